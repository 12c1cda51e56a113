from __future__ import annotations

import csv
import io
import json

from scrapy_tps.figures import SiteFigures
from scrapy_tps.report.comparison import compare, comparison_csv, comparison_json, comparison_text
from tests.figures_helpers import MadeUpPruning, figures_of

FIRST = {
    "same.example": figures_of(MadeUpPruning(), items=10),
    "fewer.example": figures_of(MadeUpPruning(), MadeUpPruning(), items=10),
    "more.example": figures_of(MadeUpPruning(kept_nodes=80), items=1),
    "gone.example": figures_of(MadeUpPruning()),
    "empty.example": SiteFigures(),
}
SECOND = {
    "same.example": figures_of(MadeUpPruning(), items=10),
    "fewer.example": figures_of(MadeUpPruning(), MadeUpPruning(), items=4),
    "more.example": figures_of(MadeUpPruning(kept_nodes=40), items=1),
    "new.example": figures_of(MadeUpPruning()),
    "empty.example": SiteFigures(),
}


def test_sites_that_lost_items_come_first_then_those_that_are_pruned_otherwise() -> None:
    changes = compare(FIRST.items(), SECOND.items())
    assert [change.site for change in changes] == [
        "fewer.example",
        "more.example",
        "empty.example",
        "gone.example",
        "new.example",
        "same.example",
    ]
    assert [change.notes for change in changes] == [
        ["60.0% fewer items a page"],
        ["removes more"],
        [],
        ["only in the first"],
        ["only in the second"],
        [],
    ]


def test_every_format_tells_the_same() -> None:
    changes = compare(FIRST.items(), SECOND.items())
    content = json.loads(comparison_json(({"crawl": 1}, {"crawl": 2}), changes))
    assert (content["first"], content["second"]) == ({"crawl": 1}, {"crawl": 2})
    assert content["sites"][0]["items_per_page_second"] == 2
    rows = list(csv.DictReader(io.StringIO(comparison_csv(changes))))
    assert [row["site"] for row in rows] == [site["site"] for site in content["sites"]]
    assert rows[1]["reduction_first"] == "0.2"
    text = comparison_text(("crawl 1", "crawl 2"), changes).splitlines()
    assert text[:2] == ["first:  crawl 1", "second: crawl 2"]
    row = "fewer.example 2 -> 2 60.0% -> 60.0% 5.00 -> 2.00 0.0% -> 0.0% 60.0% fewer items a page"
    assert " ".join(text[4].split()) == row


def test_nothing_to_compare_is_an_empty_table() -> None:
    assert comparison_csv(compare([], [])).startswith("site,")
    assert comparison_text(("a", "b"), []).splitlines()[-1].startswith("site")
