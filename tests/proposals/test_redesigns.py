"""Twelve redesigns of the demo sites, each crawled the day before and the day after, over real HTTP."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from lxml import html
from parsel.csstranslator import HTMLTranslator
from scrapy import Request, Spider

from scrapy_tps.proposals.values import key, value_of
from scrapy_tps.stats.store import FiguresStore
from tests.support import redesigns
from tests.support.crawling import crawl
from tests.support.demo_sites import ToDemoSites, demo_sites

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from scrapy_tps.proposals.proposal import Proposal


class LabelledFacts(Spider):
    """Reads the facts of jobs by their labels."""

    name = "labels"
    facts = ("Closing date", "Reference")
    path = '//dt[.="{}"]/following-sibling::dd/text()'

    async def start(self) -> AsyncIterator[Request]:
        yield Request("http://jobs.example/jobs")

    def parse(self, response: Any) -> Iterator[Request]:
        for job in response.css("[data-testid=job-card] > div > a"):
            yield response.follow(job, self.parse_job)
        for number in (2, 3):
            yield response.follow(f"/jobs?page={number}")

    def parse_job(self, response: Any) -> Any:
        yield {fact: response.xpath(self.path.format(fact)).get() for fact in self.facts}


@dataclass(frozen=True)
class Case:
    """A redesign.

    :ivar lost: selectors that can be repaired, with their row's selector; `gone`: those that can't.
    """

    host: str
    spider: str | type[Spider]
    change: Callable[[Any], None]
    lost: dict[str, str]
    gone: tuple[str, ...] = ()


FACTS = {LabelledFacts.path.format(fact): "" for fact in LabelledFacts.facts}
CASES = [
    Case("shop.example", "shop", redesigns.class_renamed, {".price::text": "ul.products > li.product"}),
    Case("shop.example", "shop", redesigns.wrapper_added, {"ul.products > li.product": ""}),
    Case("shop.example", "shop", redesigns.table_to_grid, {"table.specifications tr": ""}),
    Case("jobs.example", LabelledFacts, redesigns.label_moved, FACTS),
    Case("forum.example", "forum", redesigns.hashed_classes, {"a.forumtitle": ""}),
    Case("forum.example", "forum", redesigns.columns_moved, {"dd.posts::text": "ul.topics > li.row"}),
    Case("shop.example", "shop", redesigns.price_split, {".price::text": "ul.products > li.product"}),
    Case("shop.example", "shop", redesigns.attribute_for_text, {".rating::text": "ul.products > li.product"}),
    Case("forum.example", "forum", redesigns.rows_renamed, {"div.post": ""}),
    Case("shop.example", "shop", redesigns.field_gone, {}, (".brand::text", ".was-price::text")),
    Case("jobs.example", "jobs", redesigns.page_type_merged, {"[data-testid=job]": ""}),
    Case("jobs.example", LabelledFacts, redesigns.language_changed, FACTS),
]


def played(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Proposal]]:
    """Crawl before and after a redesign; return the second crawl's results, and its proposals by selector."""
    with demo_sites() as address:
        sites: dict[str, Any] = import_module("demo.sites").SITES
        spider: Any = case.spider
        if isinstance(spider, str):
            spider = getattr(import_module(f"demo.spiders.{spider}"), f"{spider.title()}Spider")
        settings = {
            "DOWNLOADER_MIDDLEWARES": {ToDemoSites: 740},
            "DEMO_SITES": address,
            "TPS_STRATEGY": "auto",
            "TPS_STATS_FILE": str(folder / "figures.sqlite"),
            "LOG_LEVEL": "INFO",
        }
        crawl(spider, settings)
        monkeypatch.setitem(sites, case.host, redesigns.RedesignedSite(sites[case.host], case.change))
        crawled = crawl(spider, settings)
    with closing(FiguresStore(folder / "figures.sqlite", create=False)) as store:
        return crawled, {name: one for (_, _, name), one in store.proposals(2).items()}


def texts(page: Any, selector: str, *, css: bool) -> list[str]:
    found = page.xpath(HTMLTranslator().css_to_xpath(selector) if css else selector)
    return [key(value_of(one)) for one in (found if isinstance(found, list) else [found])]


def same_values(case: Case, name: str, proposals: dict[str, Proposal]) -> tuple[int, int]:
    """Return how many values a proposal finds that the lost selector found before, and of how many, in all pages."""
    new, row = proposals[name], case.lost[name]
    same = everything = 0
    for before, after in pages(case):
        old = [text for one in rows(before, row) for text in texts(one, name, css="dt" not in name)[:1]]
        now = [
            text for one in rows(after, row) for text in texts(one, new.selector, css=new.kind == "css")[:1]
        ]
        everything += len(old)
        if len(old) == len(now):
            same += sum(one == other for one, other in zip(old, now, strict=True))
    return same, everything


def pages(case: Case) -> Iterator[tuple[Any, Any]]:
    with demo_sites():
        site = import_module("demo.sites").SITES[case.host]
    site = getattr(site, "_site", site)
    for url in URLS[case.host](site.data):
        parts = urlsplit(url)
        text = site.page(parts.path, dict(parse_qsl(parts.query)))
        yield (
            html.document_fromstring(text),
            html.document_fromstring(redesigns.redesigned(text, case.change)),
        )


URLS: dict[str, Any] = {
    "shop.example": lambda data: [
        *(f"/c/headphones?page={number}" for number in (1, 2, 3)),
        *(f"/p/{one['slug']}" for one in data["products"]),
    ],
    "jobs.example": lambda data: [f"/job/{one['id']}" for one in data["jobs"]],
    "forum.example": lambda data: [
        "/",
        *(f"/board/{one['slug']}" for one in data["boards"]),
        *(f"/topic/{one['id']}" for one in data["topics"]),
    ],
}


def rows(page: Any, selector: str) -> list[Any]:
    return page.cssselect(selector) if selector else [page]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.change.__name__)
def test_a_lost_selector_gets_the_right_proposal_or_none(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, proposals = played(case, tmp_path, monkeypatch)
    for name in case.lost:
        assert proposals[name].selector, proposals
        same, everything = same_values(case, name, proposals)
        assert same == everything > 0, (proposals[name], same, everything)
    for name in case.gone:
        assert not proposals[name].selector, proposals
    assert set(case.lost) | set(case.gone) <= set(proposals)


def test_the_summary_says_what_to_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    played(CASES[0], tmp_path, monkeypatch)
    (line,) = [line for line in caplog.text.splitlines() if "Try" in line]
    assert line.split("), ")[1] == (
        "`.price::text` found nothing on 3 pages. Try `span.product-amount::text`: found on 3 of 3 pages, "
        "20 of 20 values seen before equal."
    )


def test_nothing_is_said_and_little_kept_of_a_site_that_stays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _, proposals = played(Case("forum.example", "forum", lambda root: None, {}), tmp_path, monkeypatch)
    assert not any(one.selector for one in proposals.values())
    assert "no other selector fits" not in caplog.text
    with closing(FiguresStore(tmp_path / "figures.sqlite", create=False)) as store:
        assert 0 < sum(len(selectors) for _, _, selectors in store.remembered("forum")) < 64 * 1024


def test_no_value_is_kept_if_none_shall_be(tmp_path: Path) -> None:
    file = tmp_path / "figures.sqlite"
    with demo_sites() as address:
        spider = import_module("demo.spiders.shop").ShopSpider
        crawl(
            spider,
            {
                "DOWNLOADER_MIDDLEWARES": {ToDemoSites: 740},
                "DEMO_SITES": address,
                "TPS_STATS_FILE": str(file),
                "TPS_REMEMBER_VALUES": False,
            },
        )
    with closing(FiguresStore(file, create=False)) as store:
        assert store.remembered("shop") == []
