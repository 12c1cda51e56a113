"""Selectors of callbacks are counted site by site, and reported if they no longer find anything."""

from __future__ import annotations

import json
import logging
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider

from scrapy_tps.stats.store import FiguresStore
from tests.support.crawling import crawl
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.support.mockserver import MockServer

SELECTORS = (".next::attr(href)", ".only::attr(href)", "//div[@class='product']", "./h2/a/text()", ".nosuch")


class Shop(Spider):
    """Pages 1 and 2 of the shop have a link to the next page; from page 3 on there is none."""

    name = "shop"
    custom_settings: ClassVar[dict[str, Any]] = {"CONCURRENT_REQUESTS": 1}  # in this order
    url = ""
    pages: tuple[int, ...] = (1, 3)
    whole = False

    async def start(self) -> Any:
        for number, page in enumerate(self.pages):
            yield Request(
                f"{self.url}?page={page}&n={number}", priority=-number, meta={"tps": not self.whole}
            )

    def parse(self, response: Any) -> Any:
        response.css(".next::attr(href)").get()
        response.css(".only::attr(href)").get()
        response.css(".nosuch")
        for product in response.xpath("//div[@class='product']"):
            yield {"title": product.xpath("./h2/a/text()").get()}


class Loops(Spider):
    """Asks the page, not the product, for some values of each product."""

    name = "loops"
    url = ""

    async def start(self) -> Any:
        yield Request(self.url)

    def parse(self, response: Any) -> Any:
        list(response.follow_all(css="nav a"))
        for product in response.css("div.product"):
            yield {
                "title": response.css("div.product h2 a::text").get(),
                "link": response.xpath("//h2/a/@href").get().strip(),
                "category": response.css("nav a::text").get(),
                "menu": response.css("nav a::text").getall(),
                "shop": response.css("title::text").get(),
                "currency": response.css("span.price::text").get()[:1],
                "price": product.css("span.price::text").get(),
            }


def ways(crawled: Any) -> dict[str, tuple[int, ...]]:
    """By selector: asked, found, found on the original only, pages, pages since it found something."""
    rows = (row for row in crawled.crawler.stats.sites.uses() if not row.item)
    return {
        row.name: (
            row.figures.asked,
            row.figures.found,
            row.figures.original,
            row.figures.pages,
            row.figures.dry,
        )
        for row in rows
    }


def test_selectors_are_counted_by_where_they_found_something(server: MockServer) -> None:
    crawled = crawl(Shop, url=server("/shop"))
    found = ways(crawled)
    assert next(iter(crawled.crawler.stats.sites.uses())).callback == "parse"
    assert found == {
        ".next::attr(href)": (2, 0, 1, 2, 1),  # below the list, goes as well
        ".only::attr(href)": (2, 0, 2, 2, 0),  # in the menu at the top, which goes
        ".nosuch": (2, 0, 0, 2, 2),
        "//div[@class='product']": (2, 2, 0, 2, 0),
        "./h2/a/text()": (2 * PRODUCTS, 2 * PRODUCTS, 0, 2, 0),
    }


def test_selectors_on_pages_not_pruned_are_counted_as_well(server: MockServer) -> None:
    found = ways(crawl(Shop, url=server("/shop"), whole=True))
    assert found[".only::attr(href)"] == (2, 2, 0, 2, 0)
    assert found["./h2/a/text()"] == (2 * PRODUCTS, 2 * PRODUCTS, 0, 2, 0)


def test_pages_without_their_original_are_counted_as_well(server: MockServer) -> None:
    settings = {"TPS_FALLBACK": False, "TPS_COMPARE": False, "TPS_LINKS": "pruned"}
    crawled = crawl(Shop, settings, url=server("/shop"))
    assert crawled.stats["tps/items"] == len(crawled.items) == 2 * PRODUCTS
    assert "tps/failures/figures" not in crawled.stats
    assert ways(crawled)[".only::attr(href)"] == (2, 0, 0, 2, 2)


def test_selectors_are_kept_in_the_file_and_in_the_report(server: MockServer, tmp_path: Path) -> None:
    file, report = tmp_path / "figures.sqlite", tmp_path / "report.json"
    crawl(Shop, {"TPS_STATS_FILE": str(file), "TPS_REPORT": str(report)}, url=server("/shop"))
    with closing(FiguresStore(file, create=False)) as store:
        kept = {row.name: row.figures.asked for row in store.uses(1) if not row.item}
    assert kept == {row["selector"]: row["asked"] for row in json.loads(report.read_text())["selectors"]}
    assert set(kept) == set(SELECTORS)


def test_a_selector_that_finds_nothing_any_more_is_told(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    settings = {"TPS_SELECTOR_PAGES": 3, "TPS_REPORT": str(tmp_path / "report.txt")}
    with caplog.at_level(logging.WARNING, "scrapy_tps"):
        crawl(Shop, settings, url=server("/shop"), pages=(1, 1, 2, 3, 4, 5, 6))
    (summary,) = [record.getMessage() for record in caplog.records if "Look at" in record.getMessage()]
    assert summary.startswith(
        "Look at this: on 127.0.0.1, .next::attr(href) (callback parse): found nothing on the last 4 pages"
    )
    assert "scrapy tps-report shop --selectors --wrong" in summary
    text = (tmp_path / "report.txt").read_text()
    assert "Sites that look wrong:" in text
    assert ".next::attr(href) (callback parse): found nothing on the last 4 pages" in text


def test_the_finding_can_be_switched_off(server: MockServer) -> None:
    settings = {"TPS_SELECTOR_PAGES": 0}
    assert crawl(Shop, settings, url=server("/shop"), pages=(1,) * 12 + (5,) * 15).stats["tps/findings"] == 0


class Failing(Shop):
    def parse(self, response: Any) -> Any:
        response.css(".nosuch").get().strip()


def test_selectors_of_callbacks_that_fail_are_counted(server: MockServer) -> None:
    assert ways(crawl(Failing, url=server("/shop"))) == {".nosuch": (2, 0, 0, 2, 2)}


def test_value_of_the_page_in_all_items_is_told_if_each_part_has_its_own(server: MockServer) -> None:
    found = crawl(Loops, url=server("/shop"))
    assert (
        len({item["title"] for item in found.items}) == len({item["category"] for item in found.items}) == 1
    )
    told = found.crawler.stats.sites.total.group("whole_page")
    assert told == {"div.product h2 a::text": 1, "//h2/a/@href": 1}
