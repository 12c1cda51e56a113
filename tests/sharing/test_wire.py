"""Figures survive the way to the server and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from scrapy_tps.sharing.wire import from_json, to_counts, to_json
from scrapy_tps.stats.figures import SiteFigures
from tests.support.figures import site_figures


@given(site_figures())
def test_figures_come_back_as_they_were_sent(figures: SiteFigures) -> None:
    sent = json.loads(to_json({"a.example": figures}))["a.example"]
    assert from_json(json.dumps(sent)) == figures


def test_nothing_is_sent_of_what_was_not_counted() -> None:
    assert to_counts(SiteFigures(pages=2, outcomes={"pruned": 2})) == {"pages": 2, "outcomes/pruned": 2}


def test_large_numbers_are_read_from_strings() -> None:
    assert from_json('{"microseconds": "123456789012345"}').microseconds == 123456789012345


@pytest.mark.parametrize(
    "text",
    ["", "[", "[]", "7", '{"pages": -1}', '{"pages": 1.5}', '{"pages": "x"}', '{"reduction_steps/1001": 1}'],
)
def test_what_are_no_figures_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not|no counts"):
        from_json(text)


def test_names_of_later_versions_are_left_out() -> None:
    assert from_json('{"pages": 1, "unheard_of": 7, "unheard/of": 1}') == SiteFigures(pages=1)
