"""Spiders get the same items whatever way the pages take: each mode of asking against a crawl without scrapy-tps."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
import scrapy

from benchmarks.crawl_cost import BROAD, NARROW
from tests.support.crawling import Crawled, crawl
from tests.support.demo_sites import ToDemoSites, demo_sites

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from scrapy.http import Response


@pytest.fixture(scope="module")
def project() -> Iterator[str]:
    """The demo sites of the example project, served; the address of their proxy."""
    with demo_sites() as address:
        yield address


class Replaced:
    """Hands spiders a copy of each page, as middlewares do that change a URL or a flag."""

    def process_response(self, request: scrapy.Request, response: Response) -> Response:
        return response.replace(flags=[*response.flags, "seen"])


class Pickled:
    """Hands spiders each page as it comes out of a queue or a cache of pickles."""

    def process_response(self, request: scrapy.Request, response: Response) -> Response:
        copied: Response = pickle.loads(pickle.dumps(response))
        return copied


class Shopper(scrapy.Spider):
    """Asks for menus, filters, sidebars and footers as well as for the products: selections of every shape."""

    name = "shopper"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield scrapy.Request("http://shop.example/c/headphones")

    def parse(self, response: Any) -> Iterator[Any]:
        cards = response.css("ul.products > li.product")
        yield {
            "url": response.url,
            "departments": response.css("nav.mega-menu > ul > li > a::text").getall(),
            "offers": response.xpath("//nav[@aria-label='Departments']//strong/text()").getall(),
            "menu": [
                {
                    "group": column.css("p::text").get(),
                    "links": column.css("ul a::attr(href)").getall(),
                    "first": column.xpath("string(.//li[1])").get(),
                }
                for column in response.css(".mega-menu [id^=flyout] > div > div")
            ],
            "filters": {
                facet.css("legend::text").get(): facet.xpath(".//label/span[1]/text()").getall()
                for facet in response.css("form.filters fieldset")
            },
            "counts": response.css(".filters .text-slate-400::text").re(r"\d+"),
            "boxes": response.xpath("count(//aside//input[@type='checkbox'])").get(),
            "asks": response.xpath("boolean(//*[@id='consent'])").get(),
            "sorted": response.css("select[name=sort] option::text").getall(),
            "recent": response.css(".carousel-track a::attr(href)").getall(),
            "shops": response.css("footer .columns-2 a::text").getall(),
            "help": response.xpath("//h3[.='Help']/following-sibling::ul/li/a/text()").getall(),
            "trail": response.css("nav[aria-label=Breadcrumb] li a::text").getall(),
            "letter": response.css("section.newsletter form").attrib.get("action"),
            "cards": [[card.css("a.name::text").get(), card.css(".price::text").get()] for card in cards],
        }
        for card in cards[::3]:
            yield response.follow(card.css("a.name")[0], self.parse_product)
        yield from response.follow_all(css="nav.pagination a.next")

    async def parse_product(self, response: Any) -> AsyncIterator[Any]:
        yield {
            "url": response.url,
            "price": response.css("article .price::text").getall(),
            "related": response.css("section.related a span:first-of-type::text").getall(),
            "recent": [link.attrib["href"] for link in response.css(".carousel-track").css("a")],
            "facts": response.xpath("//div[@id='tab-specs']//tr[th]/td/text()").getall(),
            "delivery": response.css("#tab-delivery p::text").get(),
            "everything": len(response.css("footer .columns-4 li")),
        }


class Asking(scrapy.Spider):
    """Asks for what the benchmarks' spiders select: tags that get the main content alone, and names."""

    name = "asking"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in (
            "http://shop.example/c/headphones",
            "http://search.example/search?q=parish",
            "http://forum.example/",
            "http://news.example/",
            "http://jobs.example/jobs",
            "http://shop.example/c/headphones?page=2",
            "http://archive.example/new",
        ):
            yield scrapy.Request(url)

    def parse(self, response: Any) -> Iterator[Any]:
        found = {query: any(map(str.strip, response.css(query).getall())) for query in (*BROAD, *NARROW)}
        yield {"url": response.url, **found}


ABOVE = 540  # of the downloader middleware: sees pages when they have been pruned
#: Settings of each mode; `folder` is one of the crawl's own.
MODES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "checked": {"TPS_SHADOW": 1.0},
    "checked now and then": {"TPS_SHADOW": 0.2},
    "disk queues": {"JOBDIR": "{folder}/job"},
    "replaced": {"DOWNLOADER_MIDDLEWARES": {Replaced: ABOVE}},
    "pickled": {"DOWNLOADER_MIDDLEWARES": {Pickled: ABOVE}},
    "aggressive": {"TPS_STRATEGY": "aggressive"},
    "paper": {"TPS_STRATEGY": "paper"},
}
CACHE = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": "{folder}/cache"}


def run(spider: type[scrapy.Spider], project: str, folder: Path, settings: dict[str, Any]) -> Crawled:
    """Crawl the demo sites, and return the items in order."""
    settings = {
        name: value.format(folder=folder) if isinstance(value, str) else value
        for name, value in {"TPS_STRATEGY": "auto", **settings}.items()
    }
    middlewares = {ToDemoSites: 740, **settings.pop("DOWNLOADER_MIDDLEWARES", {})}
    crawled = crawl(
        spider,
        settings | {"DOWNLOADER_MIDDLEWARES": middlewares, "DEMO_SITES": project, "LOG_LEVEL": "WARNING"},
    )
    crawled.items.sort(key=lambda item: json.dumps(item, sort_keys=True, default=vars))
    return crawled


Whole = dict[type[scrapy.Spider], list[Any]]


@pytest.fixture(scope="module")
def whole(project: str, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return the items of spiders without scrapy-tps."""
    folder = tmp_path_factory.mktemp("whole")
    return {
        spider: run(spider, project, folder, {"TPS_ENABLED": False}).items for spider in (Shopper, Asking)
    }


@pytest.mark.parametrize("mode", MODES)
def test_a_spider_that_asks_for_menus_filters_and_sidebars_loses_nothing(
    mode: str, project: str, tmp_path: Path, whole: Whole
) -> None:
    crawled = run(Shopper, project, tmp_path, MODES[mode])
    assert crawled.items == whole[Shopper]
    assert len(crawled.items) == 3 + 12
    assert crawled.stats["tps/outcome/pruned"] == 3 + 12


@pytest.mark.parametrize("strategy", ["auto", "aggressive", "tps", "paper"])
def test_no_selection_of_the_benchmarks_comes_back_empty_because_of_pruning(
    strategy: str, project: str, tmp_path: Path, whole: Whole
) -> None:
    assert run(Asking, project, tmp_path, {"TPS_STRATEGY": strategy}).items == whole[Asking]


def test_pages_of_the_cache_give_the_same_again(project: str, tmp_path: Path, whole: Whole) -> None:
    fetched, cached = (run(Shopper, project, tmp_path, CACHE) for _ in range(2))
    assert cached.stats["httpcache/hit"] == fetched.stats["httpcache/store"]
    assert fetched.items == cached.items == whole[Shopper]
