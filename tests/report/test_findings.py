from __future__ import annotations

import re
from pathlib import Path

import pytest

from scrapy_tps.report.findings import TABLE, site_warnings
from scrapy_tps.stats.evidence import ENOUGH_PAGES
from scrapy_tps.stats.figures import SiteFigures
from tests.support.figures import MadeUpPruning, figures_of

PAGES = ENOUGH_PAGES + 1


@pytest.mark.parametrize(
    "figures",
    [
        figures_of(MadeUpPruning()),
        figures_of(*[MadeUpPruning("no_region", kept_nodes=100)] * 40, items=0),
        figures_of(MadeUpPruning("excluded"), items=0),
        SiteFigures(pages=40, pages_without_items=40),
        SiteFigures(pages=40, pages_without_items=39, pages_without_output=39, items=1),
        SiteFigures(
            pages=40, pages_without_items=39, pages_without_output=39, pruned_pages=40, pruned_items=1
        ),
        SiteFigures(pages=40, pages_without_items=39, pages_without_output=39, whole_pages=40, whole_items=1),
        SiteFigures(pages=40, pages_without_items=40, pages_without_output=ENOUGH_PAGES - 1),
    ],
    ids=[
        "pruned",
        "not pruned",
        "excluded",
        "lists that lead on",
        "an item",
        "an item that a pipeline dropped",
        "an item of a whole page that a pipeline dropped",
        "few pages without anything",
    ],
)
def test_what_is_as_it_should_be_is_no_doubt(figures: SiteFigures) -> None:
    assert site_warnings(figures) == []


@pytest.mark.parametrize(
    ("figures", "reasons"),
    [
        (
            SiteFigures(pages=PAGES, pages_without_output=ENOUGH_PAGES, pruned_pages=PAGES),
            [("nothing_given", "5 of 6 pages yielded neither items nor requests")],
        ),
        (
            SiteFigures(pages=PAGES, pages_without_output=PAGES, whole_pages=PAGES),
            [("nothing_given", "6 of 6 pages yielded neither items nor requests, none of them pruned")],
        ),
        (
            SiteFigures({"errors/KeyError: 'a'": 1}, pages=9, items=8, callback_errors=1),
            [("callback_failed", "the callback failed on 1 page: KeyError: 'a'")],
        ),
        (
            SiteFigures({"sparse/Log in": 9, "sparse/Product": 1}, pages=99, items=80),
            [("sparse_pages", "9 of 99 pages are titled “Log in” and yield almost nothing")],
        ),
        (
            SiteFigures({"sparse/Log in": 1, "redirected/http://a.example/login": 239}, pages=2, items=1),
            [("sparse_pages", "239 requests led to http://a.example/login, “Log in”")],
        ),
        (
            SiteFigures({"sparse/Just a moment...": 1}, pages=1, pages_without_output=1, walls=1),
            [("sparse_pages", "1 of 1 page is titled “Just a moment...” and yields almost nothing")],
        ),
        (SiteFigures({"sparse/Shop": 1}, pages=1, pages_without_output=1), []),
        (
            SiteFigures({"whole_page///h3": 2}, pages=9, items=8),
            [("whole_page", "//h3 selects from the whole page in a loop over its parts, on 2 pages")],
        ),
        (
            SiteFigures({"garbled/name": 6}, pages=9, items=8),
            [("garbled", "name has misread characters (�, Ã¤) on 6 pages")],
        ),
        (
            SiteFigures({"refused/HTTP 403": 5, "refused/TimeoutError": 1}, pages=9, items=2),
            [("refused", "6 of 10 requests failed, most often by HTTP 403")],
        ),
        (SiteFigures({"outcome/error": 2}), [("pruning_failed", "pruning failed on 2 pages, not pruned")]),
        (SiteFigures({"alarms/few_items": 2}), [("alarm", "2 alarms: few_items")]),
        (
            SiteFigures(
                {
                    "alarms/shadow/switched_off": 1,
                    "alarms/shadow/errors": 1,
                    "alarms/shadow/changed_requests": 1,
                    "alarms/shadow/lost_items": 2,
                    "alarms/zzz": 1,
                }
            ),
            [
                (
                    "lost",
                    "2 items lost, 1 request changed, the callback failed on 1 page because it was pruned",
                ),
                ("alarm", "1 alarm: zzz"),
                ("switched_off", "not pruned any more after a loss"),
            ],
        ),
    ],
)
def test_doubts_say_what_is_wrong_worst_first(figures: SiteFigures, reasons: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.text) for one in site_warnings(figures)] == reasons


def test_the_documentation_has_all_kinds_in_their_order() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "stats.md"
    findings = page.read_text(encoding="utf-8").partition("## Findings")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)`", findings, re.MULTILINE) == [kind.name for kind in TABLE]
