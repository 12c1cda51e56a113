"""A crawl of made-up pages, run as a process of its own by the tests of the figures.

``python -m tests.support.stats_program '{"settings": {...}, "pages": 10, ...}'`` prints one line of JSON per page, and
one with Scrapy's stats for each spider at the end.
"""

# ruff: noqa: T201 -- the tests read what it prints

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.statscollectors import StatsCollector

from scrapy_tps.extensions import TpsFigures
from scrapy_tps.stats.figures import page_counts


@dataclass
class MadeUpPruning:
    outcome: str = "pruned"
    strategy: str = "paper"
    raw_nodes: int = 100
    kept_nodes: int = 40
    raw_chars: int = 1000
    kept_chars: int = 700
    excluded_by: str | None = None

    @property
    def reduction(self) -> float:
        return 1 - self.kept_nodes / self.raw_nodes


class OwnCollector(StatsCollector):
    """A user's collector, with something of its own."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self.opened = 0

    def open_spider(self, spider: Any = None) -> None:
        self.opened += 1

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        super().inc_value(f"own/{key}", count, start)


class OldCollector(OwnCollector):
    """One that insists on the spider, as before Scrapy 2.14."""

    def open_spider(self, spider: Any) -> None:
        assert spider is self._crawler.spider
        super().open_spider()


class PagesMiddleware:
    """Answers every request with a made-up page and reports it as the real middleware does."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Any) -> PagesMiddleware:
        return cls(crawler)

    async def process_request(self, request: Any) -> HtmlResponse:
        await asyncio.sleep(self.crawler.settings.getfloat("PAGE_SECONDS"))
        sites = self.crawler.stats.sites
        site = sites.site_of(request.url)
        whole = site.startswith("whole")
        pruning = MadeUpPruning("no_region", kept_nodes=100) if whole else MadeUpPruning()
        sites.add(site, page_counts(pruning, 2000))
        print(json.dumps({"page": request.url, "at": time.monotonic()}), flush=True)
        return HtmlResponse(request.url, body=b"<p>page", request=request)


class RealPagesMiddleware(PagesMiddleware):
    """Answers with pages that the add-on prunes and counts."""

    async def process_request(self, request: Any) -> HtmlResponse:
        menu = "".join(f"<li><a href='/menu/{number}'>menu {number}</a></li>" for number in range(20))
        offers = "".join(
            f"<div class=offer><h2>Offer {number}</h2><p>What offer {number} is about.</p><b>{number} EUR</b></div>"
            for number in range(60)
        )
        body = f"<html><body><ul id=menu>{menu}</ul><div id=main>{offers}</div></body></html>"
        return HtmlResponse(request.url, body=body.encode(), request=request)


class RealPagesSpider(scrapy.Spider):
    name = "real"

    async def start(self) -> Any:
        for number in range(6):
            yield scrapy.Request(f"http://{'ab'[number % 2]}.example/{number}")

    def parse(self, response: Any) -> Any:
        figures = {"site": response.url[7:16], "nodes": [response.tps.raw_nodes, response.tps.kept_nodes]}
        print(json.dumps(figures), flush=True)
        yield from ({"title": title} for title in response.css("h2::text").getall())


class PagesSpider(scrapy.Spider):
    name = "pages"
    pages = 10
    sites = ("www.a.example", "b.example", "whole.example")

    async def start(self) -> Any:
        for number in range(self.pages):
            yield scrapy.Request(f"http://{self.sites[number % len(self.sites)]}/{number}")

    def parse(self, response: Any) -> Any:
        sites = self.crawler.stats.sites
        site = sites.site_of(response.url)
        if site == "b.example":
            sites.add(site, {"pages_without_items": 1})
        else:
            sites.add(site, {"items": 2})
        if response.url.endswith("/0"):
            sites.record_alarm(site, "fewer_items")


def main() -> None:
    options = json.loads(sys.argv[1])
    real = options.get("real", False)
    settings = {
        "DOWNLOADER_MIDDLEWARES": {RealPagesMiddleware if real else PagesMiddleware: 999},
        **({"ADDONS": {"scrapy_tps.Addon": 500}} if real else {}),
        **({} if real else {"EXTENSIONS": {TpsFigures: 0}}),
        "REMOTE_CONTROL_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        **options.get("settings", {}),
    }
    spiders: list[type[scrapy.Spider]] = (
        [RealPagesSpider]
        if real
        else [
            type("Spider", (PagesSpider,), {"name": name, "pages": options.get("pages", 10)})
            for name in options.get("spiders", ["pages"])
        ]
    )
    TpsFigures.interval = options.get("interval", TpsFigures.interval)
    asynchronous = settings.get("TWISTED_REACTOR") in {
        None,
        "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    }
    process = (AsyncCrawlerProcess if asynchronous else CrawlerProcess)(settings)

    def report_stats(crawler: Any) -> None:
        stats = {
            key: value for key, value in crawler.stats.get_stats().items() if "tps/" in key or "own/" in key
        }
        print(json.dumps({"stats": stats, "opened": getattr(crawler.stats, "opened", None)}), flush=True)

    crawlers = []
    for spider in spiders:
        crawler = process.create_crawler(spider)
        crawlers.append(crawler)
        process.crawl(crawler)
    process.start()
    for crawler in crawlers:
        report_stats(crawler)


if __name__ == "__main__":
    main()
