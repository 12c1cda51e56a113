"""Items per site, and pages that gave none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import DropItem

from tests.crawling import crawl
from tests.shop_pages import PRODUCTS
from tests.test_pipelines import AsyncShop, Shop

if TYPE_CHECKING:
    from scrapy import Spider

    from tests.mockserver import MockServer


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
    assert crawled.stats["tps/site/127.0.0.1/items"] == PRODUCTS // 2


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
