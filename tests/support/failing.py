"""Crawls beside which something fails: their spiders, a collector that raises, and what was logged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.statscollectors import StatsCollector

from tests.support.crawling import Crawled, crawl

if TYPE_CHECKING:
    import pytest

    from tests.support.mockserver import MockServer


PAGES = 12


class Broken(StatsCollector):
    """Raises if it is to count something of scrapy-tps, from the call number :attr:`sound` on."""

    sound = 0

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._calls = 0

    def _check(self, key: str) -> None:
        self._calls += key.startswith("tps/")
        if key.startswith("tps/") and self._calls > self.sound:
            raise ConnectionError("the server of the stats is gone")

    def set_value(self, key: str, value: Any, spider: Any = None) -> None:
        self._check(key)
        super().set_value(key, value)

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        self._check(key)
        super().inc_value(key, count, start)


class Shop(Spider):
    """An item per page; the pages one after the other."""

    name = "shop"
    server: Any

    async def start(self) -> Any:
        for number in range(PAGES):
            yield Request(self.server(f"/shop?page={number}"))

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "title": response.css("title::text").get()}


class Menus(Shop):
    """Wants what pruning takes away, and is not heard."""

    custom_settings: ClassVar[dict[str, Any]] = {"TPS_FALLBACK": False}

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "categories": response.css("nav a::text").getall()}


def run(server: MockServer, settings: dict[str, Any], spider: type[Spider] = Shop) -> Crawled:
    return crawl(spider, {"CONCURRENT_REQUESTS": 1, **settings}, server=server)


def urls(crawled: Crawled) -> list[str]:
    return sorted(item["url"] for item in crawled.items)


def problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged failures, without the summary at the end."""
    messages = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    return [message for message in messages if not message.startswith("Look at this")]
