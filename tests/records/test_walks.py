"""Records are the same from the native columns of a page and from those of pure Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import walking
from scrapy_tps.records.extract import Extraction
from scrapy_tps.records.regions import Budget
from tests.fuzz.mutations import mutate, seed_page
from tests.support.hostile import hostile_pages

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")


def regions_of(walked: Any) -> list[Any]:
    extraction = Extraction(walked, Budget(None))
    return list(extraction.regions(extraction.ranked(extraction.candidates()), 0.0))


def check_regions(html: str) -> None:
    body = parse(html).body
    if body is not None:
        assert regions_of(native.walk(body)) == regions_of(walking.walk_tree(body))


@given(st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_mutated_pages(rng: Any) -> None:
    check_regions(mutate(seed_page(rng), rng).decode("utf-8", "replace"))


@pytest.mark.parametrize("name", sorted(hostile_pages(1)))
def test_hostile_pages(name: str) -> None:
    check_regions(hostile_pages(3000)[name])
