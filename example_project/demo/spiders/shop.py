"""Products: from the cards of the grid and from their own pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from demo.items import Product


class ShopSpider(Spider):
    name = "shop"
    allowed_domains = ["shop.example"]

    async def start(self) -> AsyncIterator[Any]:
        yield Request("http://shop.example/c/headphones", self.parse_grid)

    def parse_grid(self, response: Response) -> Iterator[Request]:
        """Parse a page of the grid; ``scrapy check shop`` checks these contracts:

        @url http://shop.example/c/headphones
        @tps_outcome pruned
        @tps_reduces 0.3
        @tps_keeps li.product 12
        @returns requests 13
        """
        for card in response.css("ul.products > li.product"):
            product = Product(
                url=response.urljoin(card.css("a.name::attr(href)").get("")),
                sku=card.attrib["data-sku"],
                name=card.css("a.name::text").get(""),
                brand=card.css(".brand::text").get(),
                price=pounds(card.css(".price::text").get()),
                was_price=pounds(card.css(".was-price::text").get()),
                rating=number(card.css(".rating::text")),
                reviews=int(number(card.css(".reviews::text")) or 0),
                badge=card.css(".badge::text").get(),
            )
            yield Request(product.url, self.parse_product, cb_kwargs={"product": product})
        yield from response.follow_all(css="nav.pagination a.next", callback=self.parse_grid)

    def parse_product(self, response: Response, product: Product) -> Iterator[Product]:
        product.stock = response.css("article .stock::text").get()
        product.colours = response.css("article .colour-name::text").getall()
        product.description = response.css("article .description p::text").getall()
        product.specifications = {
            row.css("th::text").get(""): row.css("td::text").get("")
            for row in response.css("table.specifications tr")
        }
        yield product


def pounds(text: str | None) -> float | None:
    return float(text.replace("£", "").replace(",", "")) if text else None


def number(selected: Any) -> float | None:
    text = selected.re_first(r"[\d.]+")
    return float(text) if text else None
