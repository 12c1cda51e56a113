"""What a shared store costs the processes that crawl.

    python -m benchmarks.scale.crawler [--pairs 8] [--pages 400]

Crawls of one page of the example project under many addresses and on 50 sites, answered without a network (so that the
crawl itself costs as little as a crawl can), with a real ``redis-server`` and without, in turn, with a flush every
second. Processor time of the whole process, the thread that sends included; the median of the ratios of neighbours.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from benchmarks.scale.__main__ import Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "example_project"))

SITES = 50
QUERIES = [
    f"li.product .{name}::text"
    for name in ("name", "brand", "price", "was-price", "rating", "reviews", "badge")
]


class Answers:
    """Answers every request with the page."""

    page: bytes = b""

    def process_request(self, request: Request) -> HtmlResponse:
        return HtmlResponse(request.url, body=self.page, encoding="utf-8", request=request)


class Pages(Spider):
    name = "pages"
    pages = 400

    async def start(self) -> AsyncIterator[Any]:
        for number in range(self.pages):
            yield Request(f"http://site-{number % SITES}.example/{number}")

    def parse(self, response: Any) -> Iterator[Any]:
        yield {query: response.css(query).getall() for query in QUERIES}


def crawl(pages: int, settings: dict[str, Any]) -> float:
    """Crawl; return the processor time."""
    crawler = Crawler(
        Pages,
        Settings(
            {
                "ADDONS": {"scrapy_tps.Addon": 500},
                "DOWNLOADER_MIDDLEWARES": {Answers: 999},
                "TPS_STATS_FILE": None,
                "TWISTED_REACTOR_ENABLED": False,
                "TELNETCONSOLE_ENABLED": False,
                "REMOTE_CONTROL_ENABLED": False,
                "LOG_LEVEL": "ERROR",
                **settings,
            }
        ),
    )
    gc.collect()
    started = time.process_time()
    asyncio.run(crawler.crawl_async(pages=pages))
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--pages", type=int, default=400)
    options = parser.parse_args()
    from demo.sites import SITES as DEMO  # noqa: PLC0415 (of the example project)

    page = DEMO["shop.example"].page("/c/headphones", {})
    assert page is not None
    Answers.page = page.encode()
    ratios = []
    with tempfile.TemporaryDirectory() as directory, closing(Server(Path(directory))) as server:
        shared = {"TPS_STORE": server.url, "TPS_JOB": "job", "TPS_STATS_INTERVAL": 1.0}
        crawl(options.pages, {}), crawl(options.pages, shared)
        for number in range(options.pairs):
            times = [crawl(options.pages, one) for one in ((shared, {}) if number % 2 else ({}, shared))]
            without, with_store = reversed(times) if number % 2 else times
            ratios.append(with_store / without)
            print(
                f"{without / options.pages * 1000:6.2f} ms a page, with the store {ratios[-1]:.3f} times",
                flush=True,
            )
    print(f"median {statistics.median(ratios):.3f}; bar 1.03")


if __name__ == "__main__":
    main()
