"""Pipeline and spider middleware together: stamps."""

from __future__ import annotations

import gc
import logging
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from scrapy_tps.pipelines.pruning import TpsPipeline
from scrapy_tps.response import PrunedHtmlResponse, PrunedMixin
from scrapy_tps.spidermiddlewares.items import MOST_ITEMS, TpsSpiderMiddleware
from tests.support.crawling import crawl
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from collections.abc import Iterator

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer

STAMP = {"outcome": "pruned", "strategy": "paper", "reduction": 0.4073, "raw_nodes": 410, "kept_nodes": 243}


@dataclass
class DataItem:
    title: str
    how: dict[str, Any] = field(default_factory=dict)


@dataclass
class BareDataItem:
    title: str


@attrs.define
class AttrsItem:
    title: str
    how: dict[str, Any] | None = None


@attrs.define(frozen=True)
class FrozenItem:
    title: str
    how: dict[str, Any] | None = None


class ScrapyItem(scrapy.Item):
    title = scrapy.Field()
    how = scrapy.Field()


class BareScrapyItem(scrapy.Item):
    title = scrapy.Field()


class Shop(Spider):
    name = "shop"
    url: str
    make: Any = dict

    async def start(self) -> Any:
        yield Request(self.url)

    def parse(self, response: Any) -> Any:
        for title in response.css("div.product h2 a::text").getall():
            yield self.make(title=title)


class AsyncShop(Shop):
    async def parse(self, response: Any) -> Any:
        for title in response.css("div.product h2 a::text").getall():
            yield self.make(title=title)


@pytest.mark.parametrize("spider", [Shop, AsyncShop])
@pytest.mark.parametrize("make", [dict, DataItem, AttrsItem, ScrapyItem])
def test_items_are_stamped(server: MockServer, make: Any, spider: type[Spider]) -> None:
    crawled = crawl(spider, {"TPS_ITEM_FIELD": "how"}, url=server("/shop"), make=make)
    assert [ItemAdapter(item)["how"] for item in crawled.items] == [STAMP] * PRODUCTS
    assert {type(item) for item in crawled.items} == {make}


def test_items_are_left_alone_by_default(server: MockServer) -> None:
    crawled = crawl(Shop, url=server("/shop"))
    assert crawled.items[0] == {"title": "Product 1"}


@pytest.mark.parametrize("make", [BareDataItem, BareScrapyItem, FrozenItem])
def test_items_that_cannot_be_stamped_are_kept_and_counted(
    server: MockServer, make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    crawled = crawl(Shop, {"TPS_ITEM_FIELD": "how"}, url=server("/shop"), make=make)
    assert [ItemAdapter(item)["title"] for item in crawled.items][:2] == ["Product 1", "Product 2"]
    assert len(crawled.items) == crawled.stats["tps/items/not_stamped"] == PRODUCTS
    warnings = [
        record.getMessage() for record in caplog.records if record.name == "scrapy_tps.pipelines.pruning"
    ]
    assert len(warnings) == 1
    assert f"Items of {make.__name__} can't have the field how (TPS_ITEM_FIELD)" in warnings[0]


def test_stamp_tells_of_pages_kept_whole(server: MockServer) -> None:
    crawled = crawl(Shop, {"TPS_ITEM_FIELD": "how", "TPS_DOMAINS": {"127.0.0.1": False}}, url=server("/shop"))
    assert {item["how"]["outcome"] for item in crawled.items} == {"excluded"}


def test_items_without_a_page_pass(server: MockServer) -> None:
    class Early(Shop):
        async def start(self) -> Any:
            yield {"title": "no page"}
            yield Request(self.url)

    crawled = crawl(Early, {"TPS_ITEM_FIELD": "how"}, url=server("/shop"))
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
def test_items_on_their_way_hold_no_page(server: MockServer) -> None:
    Collecting.pages.clear()
    settings = {"TPS_ITEM_FIELD": "how", "ITEM_PIPELINES": {"scrapy_tps.pipelines.pruning.TpsPipeline": None}}
    crawled = crawl(Collecting, settings, url=server("/shop"))
    gc.collect()
    remembered = crawled.crawler.get_spider_middleware(TpsSpiderMiddleware)
    assert [page() for page in Collecting.pages] == [None]
    assert len(remembered._stamps) <= MOST_ITEMS


@pytest.mark.usefixtures("no_log")
def test_pages_do_not_pile_up(server: MockServer) -> None:
    class Many(Collecting):
        async def start(self) -> Any:
            for number in range(1, 31):
                yield Request(server(f"/shop?page={number}"))

    Collecting.pages.clear()
    crawl(Many, {"TPS_ITEM_FIELD": "how"}, url="")
    gc.collect()
    assert len(Collecting.pages) == 30
    assert sum(page() is not None for page in Collecting.pages) == 0
    assert not [one for one in gc.get_objects() if isinstance(one, PrunedMixin) and "/shop?page=" in one.url]


def test_items_that_never_reach_the_pipeline_are_forgotten() -> None:
    crawler = get_crawler(Shop, {"TPS_ITEM_FIELD": "how"})
    remembers = build_from_crawler(TpsSpiderMiddleware, crawler)
    items = [{"title": str(number)} for number in range(MOST_ITEMS + 10)]
    response = PrunedHtmlResponse("http://shop.example/", body=b"<p>")
    assert [*remembers.process_spider_output(response, items)] == items
    assert remembers.stamp(items[0]) is None
    assert remembers.stamp(items[-1]) is not None
    assert remembers.stamp(items[-1]) is None


@pytest.mark.usefixtures("no_log")
def test_without_its_setting_no_pipeline_is_there(server: MockServer) -> None:
    crawled = crawl(Collecting, {}, url=server("/shop"))
    assert crawled.crawler.get_item_pipeline(TpsPipeline) is None
