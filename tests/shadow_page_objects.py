"""A spider with page objects; in a module of its own, because scrapy-poet reads the annotations at run time."""

from typing import Any

from web_poet import WebPage

from tests.shadow_program import ListSpider


class ListPage(WebPage):
    """A listing."""

    def records(self) -> list[dict[str, Any]]:
        return [
            {"name": row.css("a.name::text").get(), "price": row.css("span.price::text").get()}
            for row in self.css("li.record")
        ]


class PageObjectsSpider(ListSpider):
    """Gets its items from a page object, its links from the response."""

    name = "page_objects"

    async def start(self) -> Any:
        async for request in super().start():
            yield request.replace(callback=self.parse_page)

    def parse_page(self, response: Any, page: ListPage) -> Any:
        yield from page.records()
        yield from self.following(response)
