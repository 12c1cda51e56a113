from __future__ import annotations

from array import array

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.pruned_page import account_data, page_of, restore_account
from scrapy_tps.engine.strategies import Selection, Span, Spans

REMOVED = [(1, 4, "edge", "marked as navigation"), (3, 9, "marked", "marked as a footer")]
MADE = [
    Span(1, 4, False, "marked as navigation", "edge"),
    Span(4, 6, True, "repeated records of the same structure", "records"),
    Span(6, 7, True, "a link to the next page", "pages"),
    Span(7, 9, False, "marked as a footer", "marked"),
]


@pytest.fixture
def spans() -> Spans:
    runs = array("i", [1, 4, 1, 4, 6, -1, 6, 7, -2, 7, 9, 2])
    return Spans(runs, REMOVED, [("a link to the next page", "pages")])


def test_spans_are_a_sequence_of_what_was_decided(spans: Spans) -> None:
    assert list(spans) == MADE
    assert len(spans) == 4
    assert [spans[index] for index in (0, 1, 2, -1)] == MADE
    assert spans[1:] == MADE[1:]
    assert list(reversed(spans)) == MADE[::-1]
    assert spans == MADE != spans[:2]
    with pytest.raises(IndexError):
        spans[4]


def test_a_selection_leaves_what_its_spans_keep_and_what_is_in_none(spans: Spans) -> None:
    mask = bytearray(b"\x01" * 10)
    Selection(PRUNED, spans).clear(mask)
    assert mask == bytes([1, 0, 0, 0, 1, 1, 1, 0, 0, 1])


def test_accounts_with_spans_survive_being_stored() -> None:
    page = (
        "<body><nav><a href=/>Home</a></nav><h1>News</h1>" + "<p>Words of the day, and more of them.</p>" * 20
    )
    pruning = prune(page, settings={"TPS_MIN_NODES": 0})
    assert pruning.pruned
    again = restore_account(account_data(pruning), source=page_of(pruning).source, html=pruning.html)
    assert again.regions == pruning.regions
    assert again.regions
