from __future__ import annotations

import json

from scrapy_tps.report.crawl_report import comparison_json, comparison_text, side_by_side
from scrapy_tps.report.summary import Summary
from tests.support.figures import MadeUpPruning, figures_of

FIRST = {
    "same.example": figures_of(MadeUpPruning(), items=10),
    "fewer.example": figures_of(MadeUpPruning(), MadeUpPruning(), items=10),
    "gone.example": figures_of(MadeUpPruning(), items=1),
}
SECOND = {
    "same.example": figures_of(MadeUpPruning(), items=10),
    "fewer.example": figures_of(MadeUpPruning(), MadeUpPruning(), items=4),
    "new.example": figures_of(MadeUpPruning()),
}
WELL = Summary("3 pages")


def test_text_and_json_tell_the_same_and_sites_that_lost_items_come_first() -> None:
    pairs = side_by_side(FIRST.items(), SECOND.items())
    content = json.loads(comparison_json(({"crawl": 1}, {"crawl": 2}), pairs, WELL))
    assert (content["first"], content["second"]) == ({"crawl": 1}, {"crawl": 2})
    rows = content["sites"]
    assert [row["site"] for row in rows] == ["fewer.example", "gone.example", "same.example", "new.example"]
    assert (rows[0]["first"]["items"], rows[0]["second"]["items"], rows[1]["second"]) == (10, 4, None)
    head, _, first, second, _, _, *lines = comparison_text(("crawl 1", "crawl 2"), pairs, WELL).splitlines()
    assert (head, first, second) == (
        "No findings on 3 pages.",
        "first:  crawl 1",
        "second: crawl 2",
    )
    assert " ".join(lines[0].split()) == "fewer.example 2 -> 2 60.0% -> 60.0% 10 -> 4 0 -> 0"
    assert " ".join(lines[1].split()) == "gone.example 1 -> - 60.0% -> - 1 -> - 0 -> -"


def test_a_comparison_that_stops_says_how_many_sites_are_left() -> None:
    pairs = side_by_side(FIRST.items(), SECOND.items())
    assert comparison_text(("a", "b"), pairs, WELL, limit=1).endswith("… and 3 more sites\n")
