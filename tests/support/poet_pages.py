"""Page objects of the tests; without postponed annotations, because scrapy-poet reads them at run time."""

from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from web_poet import HttpResponse, ItemPage, WebPage

from scrapy_tps import Pruning
from scrapy_tps.poet import OriginalResponse
from tests.support.demo_sites import REMOVED_PARTS, PartsReader
from tests.support.shadow_program import ListSpider
from tests.support.text_spiders import TextSpider, select_fields


class ListingPage(ItemPage[dict]):
    """A listing, from the pruned page."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response

    async def to_item(self) -> dict[str, Any]:
        return {
            "titles": self.response.css("div.product h2 a::text").getall(),
            "navs": len(self.response.css("nav")),
            "next": str(self.response.urljoin("/shop?page=2")),
        }


class AccountedPage(ItemPage[dict]):
    """A listing that tells what became of its page, and takes its categories from the page as downloaded."""

    def __init__(self, response: HttpResponse, original: OriginalResponse, account: Pruning) -> None:
        self.response = response
        self.original = original
        self.account = account

    async def to_item(self) -> dict[str, Any]:
        return {
            "products": len(self.response.css("div.product")),
            "navs": len(self.response.css("nav")),
            "categories": len(self.original.css("nav a.menu-link")),
            "outcome": self.account.outcome,
            "reduction": round(self.account.reduction, 3),
            "removed": [gone.xpath for gone in self.account.removed()],
            "top": self.original.css("a.only::text").get(),
        }


class ListPage(WebPage):
    """A listing of the site that changes."""

    def records(self) -> list[dict[str, Any]]:
        return [
            {"name": row.css("a.name::text").get(), "price": row.css("span.price::text").get()}
            for row in self.css("li.record")
        ]


class Poet(Spider):
    """A spider with page objects."""

    name = "poet"
    url: str

    async def start(self) -> Any:
        yield Request(self.url)

    async def parse(self, response: Any, page: ListingPage) -> Any:  # type: ignore[override]
        yield await page.to_item() | {"outcome": response.tps.outcome}


class Accounts(Poet):
    """Asks for the account and the page as downloaded."""

    name = "accounts"

    async def parse(self, response: Any, page: AccountedPage) -> Any:  # type: ignore[override]
        yield await page.to_item()


class AsksItself(Poet):
    """A callback may ask for them without a page object."""

    name = "asks"

    def parse(self, response: Any, account: Pruning, original: OriginalResponse) -> Any:  # type: ignore[override]
        yield {
            "outcome": account.outcome,
            "excluded_by": account.excluded_by,
            "start": original.text[:5],
        }


class PageObjectsSpider(ListSpider):
    """Gets its items from a page object, its links from the response."""

    name = "page_objects"

    async def start(self) -> Any:
        async for request in super().start():
            yield request.replace(callback=self.parse_page)

    def parse_page(self, response: Any, page: ListPage) -> Any:
        yield from page.records()
        yield from self.following(response)


class SharedPage(ListPage):
    """A listing that could ask for more, and does so for its links."""

    def __init__(self, response: HttpResponse, account: Pruning, original: OriginalResponse) -> None:
        super().__init__(response)
        self.account = account
        self.original = original


class AccountsSpider(PageObjectsSpider):
    """Its page object has the account and the original."""

    name = "shared"

    def parse_page(self, response: Any, page: SharedPage) -> Any:  # type: ignore[override]
        assert page.account.outcome == response.tps.outcome
        assert page.original.css("li.record")
        yield from super().parse_page(response, page)


class ItemFields(WebPage[dict]):
    """An item page of :mod:`tests.support.text_sites`."""

    async def to_item(self) -> dict[str, Any]:
        return select_fields(self)


class TextObjects(TextSpider):
    """Gets its items from page objects."""

    name = "text_objects"

    async def parse_item(self, response: Any, item: dict[str, Any], page: ItemFields) -> Any:  # type: ignore[override]
        yield item | await page.to_item()


class DemoParts(WebPage[dict]):
    """The texts of parts of a demo site's page."""

    async def to_item(self) -> dict[str, Any]:
        parts = REMOVED_PARTS[urlsplit(str(self.response.url)).hostname or ""][1]
        return {part: self.css(f"{part} ::text").getall() for part in parts}


class PartsObjects(PartsReader):
    """Gets its items from page objects."""

    async def parse(self, response: Any, page: DemoParts) -> Any:  # type: ignore[override]
        for output in self.outputs(response, await page.to_item()):
            yield output
