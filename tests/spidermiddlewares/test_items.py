"""Items per site, and pages that gave none."""

from __future__ import annotations

import gc
import logging
import weakref
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

import pytest
from parsel import Selector
from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.http import HtmlResponse

from scrapy_tps.response import PrunedMixin
from scrapy_tps.spidermiddlewares.items import is_first_for_all
from scrapy_tps.stats.fields import PageItems
from tests.support.crawling import SEQUENTIAL, crawl
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.mockserver import MockServer


NONE_SEEN = (
    "Nothing to judge: 1 page fetched, but none is known to have reached a callback with its response.tps."
)


class Shop(Spider):
    name = "shop"
    url: str

    async def start(self) -> Any:
        yield Request(self.url)

    def parse(self, response: Any) -> Any:
        for title in response.css("div.product h2 a::text").getall():
            yield {"title": title}


class AsyncShop(Shop):
    async def parse(self, response: Any) -> Any:
        for title in response.css("div.product h2 a::text").getall():
            yield {"title": title}


class EveryOtherPipeline:
    def process_item(self, item: Any) -> Any:
        if int(item["title"].split()[-1]) % 2:
            raise DropItem("odd")
        return item


class ReplacingPipeline:
    def process_item(self, item: Any) -> Any:
        return {**item}


def test_dropped_items_are_not_counted(server: MockServer) -> None:
    crawled = crawl(Shop, {"ITEM_PIPELINES": {EveryOtherPipeline: 300}}, url=server("/shop"))
    assert crawled.stats["tps/items"] == crawled.stats["item_scraped_count"] == PRODUCTS // 2


def test_replaced_items_are_counted(server: MockServer) -> None:
    crawled = crawl(Shop, {"ITEM_PIPELINES": {ReplacingPipeline: -1}}, url=server("/shop"))
    assert crawled.stats["tps/items"] == PRODUCTS


@pytest.mark.parametrize("spider", [Shop, AsyncShop])
def test_pages_that_give_no_item_are_counted(server: MockServer, spider: type[Spider]) -> None:
    crawled = crawl(spider, url=server("/menu"))
    assert crawled.stats["tps/pages_without_items"] == 1
    assert "tps/items" not in crawled.stats


def test_nothing_and_requests_are_no_items(server: MockServer) -> None:
    class Nothing(Shop):
        def parse(self, response: Any) -> Any:
            yield None
            if response.meta["depth"] < 1:
                yield response.follow("/shop?page=2")

    crawled = crawl(Nothing, url=server("/shop"))
    assert crawled.stats["tps/pages_without_items"] == crawled.stats["tps/pages"] == 2


def test_pages_that_give_neither_items_nor_requests_are_counted_apart(server: MockServer) -> None:
    class Leading(Shop):
        def parse(self, response: Any) -> Any:
            if response.meta["depth"] < 2:
                yield response.follow(f"/shop?page={response.meta['depth'] + 5}")

    crawled = crawl(Leading, url=server("/shop"))
    assert crawled.stats["tps/pages_without_items"] == 3
    assert crawled.stats["tps/pages_without_output"] == 1


def test_pages_whose_requests_go_too_deep_did_give_something(server: MockServer) -> None:
    class Leading(Shop):
        def parse(self, response: Any) -> Any:
            yield response.follow(f"/shop?page={response.meta['depth'] + 5}")

    crawled = crawl(Leading, {"DEPTH_LIMIT": 2}, url=server("/shop"))
    assert crawled.stats["tps/pages_without_items"] == 3
    assert "tps/pages_without_output" not in crawled.stats


class Failing(Shop):
    """Gives an item of each page but fails on what pruning removed."""

    custom_settings: ClassVar[dict[str, Any]] = {"TPS_FALLBACK": False}
    pages = 20

    async def start(self) -> Any:
        for page in range(self.pages):
            yield Request(f"{self.url}?page={page}", priority=-page)

    def parse(self, response: Any) -> Any:
        yield {"title": "x", "menu": response.css("nav a::text").get().strip()}


class FailingAtOnce(Failing):
    def parse(self, response: Any) -> Any:
        return [{"title": "x", "menu": response.css("nav a::text").get().strip()}]


class FailingLater(Failing):
    def parse(self, response: Any) -> Any:
        yield {"title": "x"}
        yield {"title": "x", "menu": response.css("nav a::text").get().strip()}


class FailingAwaited(Failing):
    async def parse(self, response: Any) -> Any:
        return [{"title": "x", "menu": response.css("nav a::text").get().strip()}]


class FailingAsynchronously(Failing):
    async def parse(self, response: Any) -> Any:
        yield {"title": "x", "menu": response.css("nav a::text").get().strip()}


class Handing:
    """Hands something on in place of what a callback could not give."""

    def process_spider_exception(self, response: Any, exception: Exception) -> Any:
        return [{"title": "in its place"}]


FAILING = [Failing, FailingAtOnce, FailingLater, FailingAwaited, FailingAsynchronously]


@pytest.mark.parametrize("spider", FAILING)
def test_pages_whose_callback_fails_count_as_pages_without_items(
    server: MockServer, spider: type[Spider], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    crawled = crawl(spider, url=server("/shop"))
    assert crawled.stats["tps/pages_without_items"] == crawled.stats["tps/callback_errors"] == Failing.pages
    assert "the callback failed on 20 pages" in caplog.text
    assert "neither an item nor a request" not in caplog.text  # the exception says why


@pytest.mark.parametrize("priority", [10, 500])
@pytest.mark.parametrize("spider", FAILING)
def test_callback_that_fails_is_counted_no_more_than_once(
    server: MockServer, spider: type[Spider], priority: int
) -> None:
    settings = {"SPIDER_MIDDLEWARES": {Handing: priority}}
    crawled = crawl(type("One", (spider,), {"pages": 1}), settings, url=server("/shop"))
    assert {"title": "in its place"} in crawled.items
    assert crawled.stats.get("tps/callback_errors", 0) == (priority == 10)


def test_ending_the_crawl_is_no_failure(server: MockServer) -> None:
    class Ending(Shop):
        def parse(self, response: Any) -> Any:
            yield {"title": "x"}
            raise CloseSpider("enough")

    crawled = crawl(Ending, url=server("/shop"))
    assert crawled.stats["finish_reason"] == "enough"
    assert "tps/callback_errors" not in crawled.stats
    assert "tps/pages_without_items" not in crawled.stats


def test_errors_of_the_server_are_no_failures_of_the_callback(server: MockServer) -> None:
    crawled = crawl(Shop, url=server("/no-such-page"))
    assert "tps/callback_errors" not in crawled.stats


@pytest.mark.parametrize(("statuses", "told"), [([200], True), ([200, 404], False)])
def test_statuses_that_are_pruned_are_no_failures(
    server: MockServer, caplog: pytest.LogCaptureFixture, statuses: list[int], told: bool
) -> None:
    crawl(Shop, {"TPS_STATUS_CODES": statuses}, url=server("/no-such-page"))
    assert ("1 of 1 request failed by HTTP 404." in caplog.text) is told


class WithFailedRequests(Shop):
    async def start(self) -> Any:
        for number in range(3):
            yield Request(f"{self.url}?page={number}", priority=9)
            yield Request(f"{self.url.replace('shop', 'status/404')}?page={number}")


def test_failed_requests_are_not_blamed_on_the_callback(server: MockServer) -> None:
    crawled = crawl(WithFailedRequests, SEQUENTIAL, url=server("/shop"))
    assert crawled.stats["tps/pages"] == 6
    [items] = [row for row in crawled.crawler.stats.sites.uses() if row.item and not row.name]
    assert (items.figures.pages, items.figures.found_pages) == (3, 3)


class Inline(Spider):
    """Downloads its page by itself: no callback gets it."""

    name = "inline"
    server: Any

    async def start(self) -> Any:
        response = await self.crawler.engine.download_async(Request(self.server("/shop")))
        assert response.tps.outcome == "pruned"
        yield {"url": response.url}


def test_a_crawl_of_which_no_page_reached_a_callback_is_not_called_well(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    crawled = crawl(Inline, server=server)
    assert len(crawled.items) == 1
    assert "No findings" not in caplog.text
    assert NONE_SEEN in caplog.text


class PlainMiddleware:
    """Passes pages on in Scrapy's own class."""

    def process_response(self, request: Request, response: Any) -> HtmlResponse:
        return HtmlResponse(response.url, body=response.body, request=request)


def test_items_of_pages_that_another_middleware_replaced_are_counted(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    crawled = crawl(Shop, {"DOWNLOADER_MIDDLEWARES": {PlainMiddleware: 300}}, url=server("/shop"))
    assert crawled.stats["tps/items"] == len(crawled.items) == PRODUCTS
    assert NONE_SEEN in caplog.text


def test_a_crawl_whose_items_come_from_json_has_items(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Interface(Shop):
        async def start(self) -> Any:
            yield Request(self.url)
            yield Request("data:application/json,{}", self.parse_json)

        def parse(self, response: Any) -> Any:
            """Yields nothing."""

        def parse_json(self, response: Any) -> Any:
            yield response.json()

    crawled = crawl(Interface, url=server("/shop"))
    assert crawled.stats["tps/items"] == len(crawled.items) == 1
    assert "no items" not in caplog.text


def test_items_without_a_page_pass(server: MockServer) -> None:
    class Early(Shop):
        async def start(self) -> Any:
            yield {"title": "no page"}
            yield Request(self.url)

    crawled = crawl(Early, url=server("/shop"))
    assert {"title": "no page"} in crawled.items
    assert len(crawled.items) == PRODUCTS + 1
    assert crawled.stats["tps/items"] == PRODUCTS


@pytest.fixture
def no_log() -> Iterator[None]:
    """Log records hold responses, and pytest holds log records."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Collecting(Shop):
    pages: ClassVar[list[weakref.ref[Any]]] = []

    def parse(self, response: Any) -> Any:
        self.pages.append(weakref.ref(response.selector.root))
        yield from super().parse(response)


@pytest.mark.usefixtures("no_log")
def test_pages_do_not_pile_up(server: MockServer) -> None:
    class Many(Collecting):
        async def start(self) -> Any:
            for number in range(1, 31):
                yield Request(server(f"/shop?page={number}"))

    Collecting.pages.clear()
    crawl(Many, url="")
    gc.collect()
    assert len(Collecting.pages) == 30
    assert sum(page() is not None for page in Collecting.pages) == 0
    assert not [one for one in gc.get_objects() if isinstance(one, PrunedMixin) and "/shop?page=" in one.url]


def test_first_match_in_all_items_is_found_beside_selectors_of_comments() -> None:
    page = Selector("".join(f"<li><h3>Name {n}</h3><!-- {n} --></li>" for n in range(4)))
    items = PageItems("https://a.example")
    for _ in range(4):
        items.add({"name": "Name 0"})
    assert is_first_for_all(page, "h3::text", ["//comment()", "//h3/text()", "li"], items)


class Emptied(Spider):
    """Gets empty pages after ten full ones."""

    name = "emptied"
    url: str

    async def start(self) -> Any:
        full = "<html><body><h1>Oak table</h1><b>12.50</b></body></html>"
        for number in range(20):
            body = quote(full if number < 10 else "")
            yield Request(f"data:text/html,{body}", meta={"number": number}, dont_filter=True)

    def parse(self, response: Any) -> Any:
        yield {"name": response.css("h1::text").get(), "price": response.css("b::text").get()}


def test_empty_pages_are_not_blamed_on_selectors(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "scrapy_tps"):
        crawl(Emptied, SEQUENTIAL)
    assert "10 of 20 pages are titled “(empty page)” and yield almost nothing" in caplog.text
    assert "misspelt" not in caplog.text
