"""The view of a page by item loaders and BeautifulSoup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from itemloaders.processors import TakeFirst
from scrapy import Spider
from scrapy.loader import ItemLoader

from tests.support.crawling import crawl
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer


class Loader(ItemLoader):
    default_item_class = dict
    default_output_processor = TakeFirst()
    every_out = len


class Loads(Spider):
    """Fills items from the response, from its selectors and from the original."""

    name = "loads"

    def parse(self, response: Any) -> Any:
        loader = Loader(response=response)
        loader.add_css("title", "title::text")
        loader.add_css("every", "div.product")
        loader.add_css("nav", "nav a::text")
        yield loader.load_item()
        for product in response.css("div.product"):
            loader = Loader(selector=product, response=response)
            loader.add_css("name", "h2 a::text")
            loader.nested_css("span.price").add_xpath("price", "text()")
            yield loader.load_item()
        loader = Loader(response=response.original)
        loader.add_css("nav", "nav a::text")
        yield loader.load_item()


class Soup(Spider):
    """Parses the text of a page once more."""

    name = "soup"

    def parse(self, response: Any) -> Any:
        from bs4 import BeautifulSoup

        for page in (response, response.original):
            for parser in ("lxml", "html.parser"):
                soup = BeautifulSoup(page.text, parser)
                yield {
                    "products": [link.get_text() for link in soup.select("div.product h2 a")],
                    "navs": len(soup.find_all("nav")),
                }


def test_item_loaders_see_the_pruned_page(server: MockServer) -> None:
    first, *products, last = crawl(Loads, {"TPS_COMPARE": False}, start_urls=[server("/shop")]).items
    assert first == {"title": "Shop, page 1", "every": PRODUCTS}
    assert products == [
        {"name": f"Product {number}", "price": f"{number}.99"} for number in range(1, PRODUCTS + 1)
    ]
    assert last == {"nav": "Category 0"}


def test_beautiful_soup_sees_the_pruned_page_in_its_text(server: MockServer) -> None:
    pytest.importorskip("bs4", reason="BeautifulSoup is not installed")
    pruned, pruned_too, original, original_too = crawl(
        Soup, {"TPS_COMPARE": False}, start_urls=[server("/shop")]
    ).items
    assert pruned == pruned_too
    assert original == original_too
    assert pruned["products"] == original["products"]
    assert len(pruned["products"]) == PRODUCTS
    assert (pruned["navs"], original["navs"]) == (0, 2)
