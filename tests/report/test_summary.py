from __future__ import annotations

from typing import Any

import pytest

from scrapy_tps.report.causes import Commands
from scrapy_tps.report.findings import TABLE, findings_of_failures
from scrapy_tps.report.summary import Summary, summarise
from scrapy_tps.stats.coverage import UseFigures, UseRow
from scrapy_tps.stats.evidence import Earlier, Evidence, Trouble
from scrapy_tps.stats.figures import SiteFigures, merged
from tests.support.figures import MadeUpPruning, figures_of

SILENT = SiteFigures(pages=7, pages_without_output=7, pruned_pages=7)
LOSING = SiteFigures({"alarms/shadow/lost_items": 2, "alarms/shadow/switched_off": 1}, pages=9, items=3)


def summary(sites: dict[str, SiteFigures], **options: Any) -> Summary:
    ordered = sorted(sites.items(), key=lambda pair: -pair[1]["pages"])
    return summarise(
        merged(sites.values()), ordered, **{"commands": Commands("shop"), "listed": 2, **options}
    )


def test_a_crawl_in_which_nothing_looks_wrong_is_well_and_says_what_was_not_pruned() -> None:
    found = summary({"a.example": figures_of(MadeUpPruning(), MadeUpPruning("no_region", kept_nodes=100))})
    assert (found.state, found.headline) == ("clean", "No findings on 2 pages.")
    assert found.notes == (
        "1 of 2 pages not pruned, so nothing is missing: no_region 1 (nothing in it could be removed).",
    )


@pytest.mark.parametrize(
    ("figures", "state"), [({}, "empty"), ({"whole_pages": 1}, "clean"), ({"items": 1}, "empty")]
)
def test_pages_that_no_callback_saw_are_not_called_well(figures: dict[str, int], state: str) -> None:
    assert summary({"a.example": SiteFigures(pages=3, **figures)}).state == state


def test_a_failure_of_pruning_is_a_finding_and_no_loss() -> None:
    found = summary({"a.example": figures_of(MadeUpPruning("error", kept_nodes=100))})
    assert [one.kind for one in found.findings] == ["pruning_failed"]
    assert found.notes == ("No page was pruned, so nothing is missing: error 1 (pruning it failed).",)


def test_every_kind_is_told_worst_first_with_what_to_do() -> None:
    sites = {
        "all.example": SiteFigures(
            {
                **LOSING,
                "items": 1,
                "callback_errors": 1,
                "outcome/error": 1,
                "refused/HTTP 403": 5,
                "sparse/Log in": 5,
                "whole_page///h3": 1,
                "garbled/name": 5,
                "alarms/own": 1,
                "alarms/offsite": 1,
            }
        ),
        "silent.example": SILENT,
    }
    blank = UseFigures(asked=12, pages=12, dry=12)
    rows = [("price", "Product"), ("", "Product"), (".price", "")]
    troubles = [Trouble(UseRow("b.example", name, item, name, blank), "blank") for name, item in rows]
    alike = Trouble(UseRow("b.example", "parse", "Product", "", blank), "only 1 different", similar=True)
    health = Evidence({one.row.key: one for one in [*troubles[:2], alike, troubles[2]]})
    found = summary(sites, failures=lambda: findings_of_failures(3, {"samples": 1}), evidence=health)
    assert [one.kind for one in found.findings] == [kind.name for kind in TABLE]
    assert all(one.text and one.advice for one in found.findings)
    assert found.headline.startswith("17 findings, the worst: the shadow check found losses")


def test_a_crawl_whose_counting_failed_is_not_called_well() -> None:
    pages = {"a.example": figures_of(MadeUpPruning())}
    found = summary(pages, failures=lambda: findings_of_failures(0, {"stats": 12, "samples": 1, "store": 2}))
    assert found.headline == "Look at this: parts of scrapy-tps failed: samples (once), stats (12 times)."
    assert (
        summary(pages, failures=lambda: findings_of_failures(0, {"store": 2})).state == "clean"
    )  # made up for, or told by itself


def test_nothing_in_its_lines_steers_a_terminal() -> None:
    alarm = SiteFigures({"alarms/own\x1b]0;title\x07": 1}, pages=1, items=1)
    lines = summary({"a\u202e\n.example": alarm}).lines()
    assert all(line.isprintable() for line in lines)
    assert "a\\u202e\\n.example (1 alarm: own\\x1b]0;title\\x07)" in lines[0]


def test_a_finding_can_be_acted_upon_by_pasting() -> None:
    found = summary({"b.example": LOSING, "s.example": SILENT}, commands=Commands("my shop"))
    assert found.findings[0].paste == 'TPS_DOMAINS = {"b.example": False}'
    assert found.findings[1].paste == "scrapy crawl 'my shop' -s TPS_SHADOW=1"


def test_a_loss_that_an_auto_keep_holds_is_not_to_be_switched_off() -> None:
    held = SiteFigures({"alarms/shadow/lost_items": 2, "shadow/kept": 1}, pages=9, items=3)
    (found,) = summary({"a.example": held}).findings
    assert (found.kind, found.paste) == ("lost", "")
    assert "the lost part stays on later ones" in found.advice
    found = summary({"a.example": held, "b.example": LOSING}).findings[0]
    assert found.paste == 'TPS_DOMAINS = {"b.example": False}'


def test_sites_without_a_host_are_in_no_setting() -> None:
    assert summary({"(other sites)": LOSING, "data:": LOSING}).findings[0].paste == ""


def test_lists_say_how_many_more_there_are() -> None:
    found = summary({f"{n}.example": SILENT for n in range(5)})
    assert found.findings[0].sites == 5
    assert found.findings[0].text.endswith(
        "neither items nor requests: 0.example, 1.example, 2.example and 2 more sites"
    )
    assert [site for site, _ in found.wrong] == ["0.example", "1.example"]
    assert found.wrong_sites == 5


@pytest.mark.parametrize("pages", [1, 4])
def test_a_crawl_that_ends_at_its_first_pages_is_a_finding_however_few_they_are(pages: int) -> None:
    found = summary({"a.example": SiteFigures(pages=pages, pages_without_output=1, pruned_pages=pages)})
    assert [one.kind for one in found.findings] == ["nothing_given"]
    assert "the crawl produced no items" in found.headline
    assert found.findings[0].paste == "scrapy crawl shop -s TPS_SHADOW=1"


@pytest.mark.parametrize("pages", [1, 7])
def test_pages_that_were_not_pruned_are_not_blamed_on_pruning(pages: int) -> None:
    counts = {"outcome/no_region": pages}
    figures = SiteFigures(counts, pages=pages, pages_without_output=pages, whole_pages=pages)
    found = summary({"a.example": figures})
    assert found.findings[0].advice == (
        f"No page was pruned: no_region {pages} (nothing in it could be removed). Look at the pages, and at the "
        "spider's selectors."
    )
    assert found.findings[0].paste == ""


def test_failures_on_originals_are_named_beside_the_comparisons() -> None:
    failing = SiteFigures(
        {"callback_errors": 7, "shadow/pages": 23, "shadow/original_failed": 7, "pruned_pages": 30}, pages=30
    )
    assert summary({"a.example": failing}).findings[0].advice == (
        "The shadow check compared 23 pages. The callback failed on 7 pages as downloaded: on these, pruning is not "
        "the cause. Look at the callback."
    )


def test_programs_get_the_same() -> None:
    found = summary({"s.example": SILENT}).to_dict()
    assert found["state"] == "findings"
    (finding,) = found["findings"]
    assert (finding["kind"], finding["sites"], finding["count"]) == ("nothing_given", 1, 7)
    assert finding["examples"] == ("s.example",)


def test_one_accident_is_told_once_by_its_cause() -> None:
    walled = SiteFigures({"sparse/Log in": 9}, pages=20, items=20, pruned_pages=20)
    blank = UseFigures(asked=12, pages=12, dry=12)
    rows = [("price", "Product"), ("", "Product"), (".price", "")]
    troubles = [Trouble(UseRow("a.example", "parse", item, name, blank), "blank") for name, item in rows]
    earlier = Earlier(items=[("a.example", 1, 40)])
    found = summary(
        {"a.example": walled}, evidence=Evidence({one.row.key: one for one in troubles}, earlier=earlier)
    )
    assert [one.kind for one in found.findings] == ["sparse_pages"]


@pytest.mark.parametrize(
    ("counts", "about"),
    [
        (
            {"text/pages": 2},
            "3 pages; callbacks read the text of 2 pruned pages, none compared with the original",
        ),
        (
            {"text/pages": 3, "compare/pages": 2, "kept/aside > b": 1},
            "3 pages; callbacks read the text of 3 pruned pages, 2 compared with the original, 1 part kept",
        ),
    ],
)
def test_the_summary_says_no_more_than_was_checked(counts: dict[str, int], about: str) -> None:
    found = summary({"a.example": SiteFigures(counts, pages=3, whole_pages=3)})
    assert found.headline == f"No findings on {about}."


def test_of_a_distributed_crawl_the_command_reads_its_store() -> None:
    row = UseRow("a.example", "parse", "", ".price", UseFigures(asked=12, pages=12, dry=12))
    blank = Trouble(row._replace(item="Product", name="price"), "blank in all 12 items")
    evidence = Evidence({blank.row.key: blank}, dead={"a.example": [row]})
    pages = {"a.example": SiteFigures(pages=12, items=12, pruned_pages=12)}
    found = summary(pages, evidence=evidence, commands=Commands("shop", "monday"))
    assert found.findings[0].paste == "scrapy tps-report --distributed monday --selectors --wrong"
