"""Page objects of scrapy-poet get pruned pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider

from tests.crawling import crawl
from tests.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from tests.mockserver import MockServer

pytest.importorskip("scrapy_poet", reason="scrapy-poet is not installed")
web_poet = pytest.importorskip("web_poet")


class ListingPage(web_poet.ItemPage[dict]):  # type: ignore[misc, name-defined]
    """A page object over the response that scrapy-poet hands it."""

    response: web_poet.HttpResponse

    def __init__(self, response: web_poet.HttpResponse) -> None:
        self.response = response

    async def to_item(self) -> dict[str, Any]:
        return {
            "titles": self.response.css("div.product h2 a::text").getall(),
            "navs": len(self.response.css("nav")),
            "next": str(self.response.urljoin("/shop?page=2")),
        }


ListingPage.__init__.__annotations__["response"] = web_poet.HttpResponse


class Poet(Spider):
    name = "poet"
    url: str

    async def start(self) -> Any:
        yield Request(self.url)

    async def parse(self, response: Any, page: ListingPage) -> Any:  # type: ignore[override]
        yield await page.to_item() | {"outcome": response.tps.outcome}


Poet.parse.__annotations__["page"] = ListingPage


def test_page_objects_get_the_pruned_page(server: MockServer) -> None:
    settings = {
        "ADDONS": {"scrapy_poet.Addon": 300, "scrapy_tps.Addon": 500},
        "TPS_ITEM_FIELD": "how",
    }
    (item,) = crawl(Poet, settings, url=server("/shop")).items
    assert len(item["titles"]) == PRODUCTS
    assert item["navs"] == 0
    assert item["outcome"] == item["how"]["outcome"] == "pruned"
    assert item["next"] == server("/shop?page=2")


def test_order_of_the_add_ons_does_not_matter(server: MockServer) -> None:
    settings = {"ADDONS": {"scrapy_tps.Addon": 300, "scrapy_poet.Addon": 500}}
    (item,) = crawl(Poet, settings, url=server("/shop")).items
    assert item["navs"] == 0
