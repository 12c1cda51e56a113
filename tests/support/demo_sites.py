"""The demo sites of the example project, served for crawls of the tests."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.crawling import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

PROJECT = ROOT / "example_project"


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


class ToDemoSites:
    """Sends every request to the demo sites, by the setting ``DEMO_SITES``."""

    def __init__(self, crawler: Crawler) -> None:
        self.proxy = crawler.settings["DEMO_SITES"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        request.meta["proxy"] = self.proxy
