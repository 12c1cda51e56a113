"""``scrapy tps-report --selectors``, and what the report says of selectors that stopped finding anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_tps.proposals.proposal import Proposal
from scrapy_tps.stats.coverage import UseKey, selector_use
from scrapy_tps.stats.store import FiguresStore
from tests.support.figures import MadeUpPruning, figures_of
from tests.support.steering import HOSTILE, steers

if TYPE_CHECKING:
    from scrapy_tps.stats.figures import SiteFigures

Run = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parent.parent.parent


@dataclass
class Counts:
    """The results of a page's selector."""

    used: int = 1
    found: int = 1
    original: int = 0
    partly: int = 0
    taken: int = 0
    nothing: int = 0


def ask(figures: SiteFigures, selector: str, found: int, nothing: int = 0) -> SiteFigures:
    """Let a callback ask pages that have something for `selector`, and then others."""
    key = UseKey("parse", "", selector)
    for _ in range(found):
        figures.uses.add_page([selector_use(key, Counts())], 1_000_000_000)
    for _ in range(nothing):
        figures.uses.add_page([selector_use(key, Counts(found=0))], 1_000_000_060)
    return figures


@pytest.fixture
def selectors(file: Path) -> Path:
    """A fifth crawl, in which a selector stops finding anything."""
    with closing(FiguresStore(file)) as store:
        figures = figures_of(MadeUpPruning())
        ask(figures, ".price::text", 10, 12)
        ask(figures, "h1::text", 22)
        ask(figures, ".rare", 2, 20)
        ask(figures, ".nosuch", 0, 22)
        store.add(store.begin_crawl("shop"), {"shop.example": figures}, "finished")
    return file


def test_selectors_are_listed_those_that_found_nothing_for_longest_first(run: Run, selectors: Path) -> None:
    code, output, _ = run("--selectors")
    assert code == 0
    head, *rows = output.splitlines()[2:]
    assert head.split()[:5] == ["site", "callback", "selector", "asked", "found"]
    assert [row.split()[2] for row in rows] == [".rare", ".price::text", "h1::text", ".nosuch"]
    assert rows[1].endswith("found nothing on the last 12 pages")
    assert rows[3].endswith("never found anything")


def test_selectors_come_as_json_with_the_report(run: Run, selectors: Path) -> None:
    content = json.loads(run("--format", "json")[1])
    assert content["crawl"] == 5
    assert content["selectors"][1] == {
        "site": "shop.example",
        "callback": "parse",
        "selector": ".price::text",
        "asked": 22,
        "found": 10,
        "original": 0,
        "partly": 0,
        "nothing": 12,
        "pages": 22,
        "found_pages": 10,
        "pages_since_found": 12,
        "last_found": "2001-09-09 01:46:40 UTC",
        "state": "found nothing on the last 12 pages",
        "proposal": None,
    }


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--wrong"], [".price::text"]),
        (["--limit", "1"], [".rare"]),
        (["4"], []),
    ],
)
def test_selectors_are_chosen(run: Run, selectors: Path, arguments: list[str], found: list[str]) -> None:
    rows = run("--selectors", *arguments)[1].splitlines()[3:]
    assert [row.split()[2] for row in rows] == found


def test_how_many_pages_tell_that_a_selector_has_stopped_is_a_setting(run: Run, selectors: Path) -> None:
    assert ".price" not in run("--selectors", "--wrong", settings={"TPS_SELECTOR_PAGES": 11})[1]
    assert ".price" not in run("--selectors", "--wrong", settings={"TPS_SELECTOR_PAGES": 0})[1]


def test_the_report_names_selectors_that_find_nothing_any_more(run: Run, selectors: Path) -> None:
    code, output, _ = run("--fail-on-findings")
    assert code == 3
    assert output.startswith(
        "Look at this: on shop.example, .price::text (callback parse): found nothing on the last 12 pages."
    )
    assert "         scrapy tps-report shop --selectors --wrong" in output
    assert "shop.example  .price::text (callback parse): found nothing on the last 12 pages" in output
    (finding,) = json.loads(run("--format", "json")[1])["summary"]["findings"]
    assert finding["kind"] == "selectors"


@pytest.mark.parametrize(
    "arguments",
    [["--list"], ["--html", "x.html"], ["--fail-on-findings"], ["--format", "csv"], ["--format", "json"]],
)
def test_what_does_not_go_with_selectors_is_refused(run: Run, selectors: Path, arguments: list[str]) -> None:
    assert run("--selectors", *arguments)[0] == 2


def test_selectors_can_not_steer_a_terminal(run: Run, file: Path) -> None:
    with closing(FiguresStore(file)) as store:
        figures = ask(figures_of(MadeUpPruning()), f"//a[.='{HOSTILE}']", 1)
        store.add(store.begin_crawl("shop"), {"shop.example": figures}, "finished")
    assert not steers(run("--selectors")[1])
    assert not steers(run("--format", "json")[1])


def test_the_report_names_selectors_that_found_something_in_the_crawl_before(run: Run, file: Path) -> None:
    with closing(FiguresStore(file)) as store:
        for found, nothing in ((12, 0), (0, 11)):
            figures = ask(figures_of(MadeUpPruning()), ".price::text", found, nothing)
            store.add(store.begin_crawl("shop"), {"shop.example": figures}, "finished")
    code, output, _ = run("shop", "--fail-on-findings")
    assert code == 3
    assert output.startswith(
        "Look at this: on shop.example, .price::text (callback parse): 100 → 0 % of 11 pages since crawl 6."
    )
    assert run("5", "--fail-on-findings")[0] == 0


PROPOSAL = Proposal("p.cost::text", "css", pages=6, found=6, equal_values=31, known_values=31, lost_pages=12)


@pytest.fixture
def proposed(selectors: Path) -> Path:
    """The same, with a proposal for the selector that stopped."""
    with closing(FiguresStore(selectors)) as store:
        store.propose(5, {("shop.example", "parse", ".price::text"): PROPOSAL})
    return selectors


def test_selectors_come_as_json_with_their_proposals(run: Run, proposed: Path) -> None:
    selectors = json.loads(run("--format", "json")[1])["selectors"]
    (selector,) = (one for one in selectors if one["proposal"])
    assert selector["selector"] == ".price::text"
    assert selector["proposal"] == {
        "selector": "p.cost::text",
        "kind": "css",
        "pages": 6,
        "found": 6,
        "equal_values": 31,
    }
    assert [one["selector"] for one in selectors if one["proposal"] is None] == [
        ".rare",
        "h1::text",
        ".nosuch",
    ]


def test_proposals_are_in_the_list_for_people_and_in_the_html_report(
    run: Run, proposed: Path, tmp_path: Path
) -> None:
    note = "`.price::text` found nothing on 12 pages. Try `p.cost::text`: found on 6 of 6 sampled pages"
    assert note in run("--selectors")[1]
    assert note in run()[1]
    run("--html", str(tmp_path / "report.html"), "--no-browser")
    assert "Try `p.cost::text`" in (tmp_path / "report.html").read_text(encoding="utf-8")
