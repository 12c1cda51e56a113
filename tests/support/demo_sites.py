"""The demo sites of the example project, served for crawls of the tests."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider

from tests.support.crawling import ROOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from typing_extensions import Self

PROJECT = ROOT / "example_project"

#: Parts that `auto` removes from all pages of a site, or from some; with the site's start page.
REMOVED_PARTS = {
    "shop.example": ("/c/headphones", ["footer", "legend", "h2.text-2xl", "p.mt-2"]),
    "news.example": ("/", ["footer.footer", "aside.promo-box", "section.rail__box", "li.comment"]),
    "forum.example": ("/", ["div.navbar", "div.page-footer", "h3.quickreply-title", "a.top-anchor"]),
}


@contextmanager
def demo_sites() -> Iterator[str]:
    """Serve the demo sites, with their project to be imported from; gives the address of their proxy."""
    sys.path.insert(0, str(PROJECT))
    try:
        from demo.sites.server import SitesServer

        server = SitesServer()
        server.start()
        yield server.url
        server.stop()
    finally:
        sys.path.remove(str(PROJECT))


class PartsReader(Spider):
    """Gives an item from each page of a site, and follows links of its content, two levels deep."""

    name = "parts"
    host = ""

    async def start(self) -> AsyncIterator[Any]:
        yield Request(f"http://{self.host}{REMOVED_PARTS[self.host][0]}")

    def parse(self, response: Any) -> Any:
        yield from self.outputs(response, self.read(response, REMOVED_PARTS[self.host][1]))

    def outputs(self, response: Any, item: dict[str, Any] | None) -> Any:
        if item is not None:
            yield {"url": response.url, **item}
        if response.meta["depth"] < 2:
            main = response.css("main a, #page-body a, article a")
            yield from response.follow_all(main[:8], self.parse)

    def read(self, response: Any, parts: list[str]) -> dict[str, Any] | None:
        raise NotImplementedError


class ToDemoSites:
    """Sends every request to the demo sites, by the setting ``DEMO_SITES``."""

    def __init__(self, crawler: Crawler) -> None:
        self.proxy = crawler.settings["DEMO_SITES"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        request.meta["proxy"] = self.proxy
