from __future__ import annotations

import csv
import io
import json

from scrapy_tps.report.comparison import (
    compare,
    comparison_csv,
    comparison_json,
    comparison_text,
    judge_comparison,
)
from scrapy_tps.stats.figures import SiteFigures
from tests.support.figures import MadeUpPruning, figures_of

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
    verdict = judge_comparison(changes, "shop")
    content = json.loads(comparison_json(({"crawl": 1}, {"crawl": 2}), changes, verdict))
    assert (content["first"], content["second"]) == ({"crawl": 1}, {"crawl": 2})
    assert content["sites"][0]["items_per_page_second"] == 2
    rows = list(csv.DictReader(io.StringIO(comparison_csv(changes))))
    assert [row["site"] for row in rows] == [site["site"] for site in content["sites"]]
    assert rows[1]["reduction_first"] == "0.2"
    text = comparison_text(("crawl 1", "crawl 2"), changes, verdict).splitlines()
    start = text.index("first:  crawl 1")
    assert text[start : start + 2] == ["first:  crawl 1", "second: crawl 2"]
    row = "fewer.example 2 -> 2 60.0% -> 60.0% 5.00 -> 2.00 0.0% -> 0.0% 60.0% fewer items a page"
    assert " ".join(text[start + 4].split()) == row


def test_nothing_to_compare_is_an_empty_table() -> None:
    assert comparison_csv(compare([], [])).startswith("site,")
    assert comparison_text(("a", "b"), [], judge_comparison([])).splitlines()[-1].startswith("site")


def test_the_verdict_is_about_items_that_are_missing() -> None:
    verdict = judge_comparison(compare(FIRST.items(), SECOND.items()), "shop")
    assert [finding.kind for finding in verdict.findings] == ["fewer_items", "sites_missing"]
    assert "fewer.example (5.00 -> 2.00)" in verdict.headline
    assert verdict.findings[1].examples == ("gone.example",)
    assert verdict.findings[0].paste == "scrapy crawl shop -s TPS_SHADOW=0.05"
    assert verdict.notes == (
        "The second crawl removes more on 1 site: more.example.",
        "Only the second crawl saw 1 site: new.example.",
    )


def test_the_same_crawl_twice_is_well_and_a_site_without_items_may_be_missing() -> None:
    assert judge_comparison(compare(FIRST.items(), FIRST.items())).state == "well"
    assert judge_comparison(compare({"a": SiteFigures(pages=3)}.items(), [])).findings == ()


def test_a_comparison_that_stops_says_how_many_sites_are_left() -> None:
    changes = compare(FIRST.items(), SECOND.items())
    text = comparison_text(("a", "b"), changes, judge_comparison(changes), limit=2)
    assert text.endswith("… and 4 more sites\n")
