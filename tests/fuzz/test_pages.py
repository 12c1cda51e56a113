"""Fuzzing: mutated pages through every strategy. ``python -m tests.fuzz`` runs as many as one likes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine.strategies import BUILT_IN
from tests.fuzz.mutations import mutate, seed_page
from tests.fuzz.promises import check_promises
from tests.support.hostile import hostile_pages
from tests.support.pages import markup


@given(
    st.randoms(use_true_random=False),
    st.sampled_from(sorted(BUILT_IN)),
    st.sampled_from([None, "utf-8", "x"]),
)
def test_mutated_pages(rng, strategy, encoding):
    check_promises(mutate(seed_page(rng), rng), {"TPS_STRATEGY": strategy}, encoding)


@given(st.binary(max_size=500), st.sampled_from(sorted(BUILT_IN)))
def test_arbitrary_bytes(body, strategy):
    check_promises(body, {"TPS_STRATEGY": strategy, "TPS_MIN_NODES": 0, "TPS_SIZE_RATIO": 0})


@given(markup(), st.sampled_from(sorted(BUILT_IN)))
def test_arbitrary_markup(html, strategy):
    options = {"TPS_STRATEGY": strategy, "TPS_MIN_NODES": 0, "TPS_SIZE_RATIO": 0}
    check_promises(html, {**options, "TPS_KEEP": ["b", ".a"], "TPS_DROP": "p"})


@pytest.mark.slow
@pytest.mark.parametrize("name", hostile_pages(10))
@pytest.mark.parametrize("strategy", sorted(BUILT_IN))
def test_hostile_pages(name, strategy):
    check_promises(hostile_pages(4000)[name], {"TPS_STRATEGY": strategy})
