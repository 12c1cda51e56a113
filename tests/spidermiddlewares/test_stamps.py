"""Items that say how their page was pruned (``TPS_ITEM_FIELD``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import attrs
import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy import Request, Spider

from tests.support.crawling import crawl
from tests.support.shop_pages import PRODUCTS

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
        yield {"title": "no page"}
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
def test_items_of_pages_are_stamped(server: MockServer, make: Any, spider: type[Spider]) -> None:
    crawled = crawl(spider, {"TPS_ITEM_FIELD": "how"}, url=server("/shop"), make=make)
    assert {"title": "no page"} in crawled.items
    stamped = [item for item in crawled.items if item != {"title": "no page"}]
    assert [ItemAdapter(item)["how"] for item in stamped] == [STAMP] * PRODUCTS
    assert {type(item) for item in stamped} == {make}


def test_items_are_left_alone_by_default(server: MockServer) -> None:
    assert {"title": "Product 1"} in crawl(Shop, url=server("/shop")).items


@pytest.mark.parametrize("make", [BareDataItem, BareScrapyItem, FrozenItem])
def test_items_that_cannot_be_stamped_are_kept_and_counted(
    server: MockServer, make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    crawled = crawl(Shop, {"TPS_ITEM_FIELD": "how"}, url=server("/shop"), make=make)
    assert len(crawled.items) - 1 == crawled.stats["tps/items/not_stamped"] == PRODUCTS
    [warning] = [record.getMessage() for record in caplog.records if "TPS_ITEM_FIELD" in record.getMessage()]
    assert f"Items of {make.__name__} cannot have the field how" in warning


def test_the_stamp_tells_of_pages_kept_whole(server: MockServer) -> None:
    crawled = crawl(Shop, {"TPS_ITEM_FIELD": "how", "TPS_DOMAINS": {"127.0.0.1": False}}, url=server("/shop"))
    assert {item["how"]["outcome"] for item in crawled.items if "how" in item} == {"excluded"}
