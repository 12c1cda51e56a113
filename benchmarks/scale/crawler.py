"""Measure the cost of a shared store for crawling processes.

    python -m benchmarks.scale.crawler [--pairs 8] [--pages 400] [--each 100]
    python -m benchmarks.scale.crawler --instructions

Crawls of one page of the example project under many addresses and on 50 sites, answered without a network (so that the
crawl itself costs as little as a crawl can), with a real ``redis-server`` and without. A flush every 100 pages: on a
quiet machine that is one a second, five times as often as by default, and on a busy one it stays that, where a clock
would flush more often the slower the pages are.

In pairs: processor time of the whole process, the threads that send included, in turn with and without; the median of
the ratios of neighbours, their quartiles, and the processor time of those threads alone, which is most of what the
store costs and scatters far less than the difference of two crawls.

With ``--instructions``: instructions of user space, by ``perf`` where the machine counts them and by valgrind where it
does not (25 times slower; then threads take turns, so waiting for each other costs nothing there), of crawls with
`pages` and with a fifth of them, so that the difference has no start in it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from benchmarks.scale.__main__ import Server
from scrapy_tps.extensions import TpsFigures
from scrapy_tps.sharing.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy_tps.sharing.connection import Connection

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "example_project"))

SITES = 50
QUERIES = [
    f"li.product .{name}::text"
    for name in ("name", "brand", "price", "was-price", "rating", "reviews", "badge")
]
BAR = 1.03


class Answers:
    """Answers every request with the page."""

    page: bytes = b""

    def process_request(self, request: Request) -> HtmlResponse:
        return HtmlResponse(request.url, body=self.page, encoding="utf-8", request=request)


class Pages(Spider):
    name = "pages"
    pages = 400
    each = 100
    seen = 0

    async def start(self) -> AsyncIterator[Any]:
        for number in range(self.pages):
            yield Request(f"http://site-{number % SITES}.example/{number}")

    def parse(self, response: Any) -> Iterator[Any]:
        self.seen += 1
        if self.seen % self.each == 0:
            self.crawler.stats.sites.flush()
        yield {query: response.css(query).getall() for query in QUERIES}


def crawl(pages: int, each: int, store: str | None) -> float:
    """Crawl; return the processor time."""
    shared = {"TPS_STORE": store, "TPS_DISTRIBUTED_CRAWL": "scale"} if store else {}
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
                **shared,
            }
        ),
    )
    gc.collect()
    started = time.process_time()
    with patch.object(TpsFigures, "interval", 3600.0):
        asyncio.run(crawler.crawl_async(pages=pages, each=each))
    return time.process_time() - started


def compare_times(server: Server, pairs: int, pages: int, each: int) -> float:
    """Crawl in pairs; return the median of the ratios."""
    ratios, total, sending = [], 0.0, [0.0]
    send = Outbox.send

    def measured(outbox: Outbox, connection: Connection, *, last: bool = False) -> None:
        started = time.thread_time()
        try:
            send(outbox, connection, last=last)
        finally:
            sending[0] += time.thread_time() - started

    with patch.object(Outbox, "send", measured):
        for store in (None, server.url):
            crawl(pages // 4, each, store)
        time.sleep(0.5)  # a thread may end after its crawl
        sending[0] = 0.0
        for number in range(pairs):
            order = (server.url, None) if number % 2 else (None, server.url)
            times = {store: crawl(pages, each, store) for store in order}
            ratios.append(times[server.url] / times[None])
            total += times[None]
            print(
                f"{times[None] / pages * 1000:6.2f} ms a page, with the store {ratios[-1]:.3f} times",
                flush=True,
            )
        time.sleep(0.5)
    quartiles = ", ".join(f"{one:.3f}" for one in statistics.quantiles(ratios, n=4)[::2])
    print(
        f"the threads that send: {sending[0] / total:.4f} of the time of a crawl without; quartiles of the "
        f"ratios {quartiles}"
    )
    return statistics.median(ratios)


def instructions(pages: int, each: int, store: str | None) -> int:
    """Instructions of a process that crawls, in user space."""
    child = [sys.executable, "-m", "benchmarks.scale.crawler", "--child", store or ""]
    child += ["--pages", str(pages), "--each", str(each)]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    for tool, found in (
        (["perf", "stat", "-x,", "-e", "instructions:u"], r"^(\d+),,instructions"),
        (
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
            r"I +refs: +([\d,]+)",
        ),
    ):
        if shutil.which(tool[0]) is None:
            continue
        if tool[0] == "perf" and not re.search(found, _said([*tool, "true"], environment), re.MULTILINE):
            continue  # virtual machines often can't
        match = re.search(found, _said([*tool, *child], environment), re.MULTILINE)
        if match is not None:
            return int(match[1].replace(",", ""))
    raise SystemExit("Neither perf nor valgrind counts instructions here")


def _said(command: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stderr


def compare_instructions(server: Server, pages: int, each: int) -> float:
    """Return instructions of pages with the store, to those without."""
    short = pages // 5
    rise = {
        store: instructions(pages, each, store) - instructions(short, each, store)
        for store in (None, server.url)
    }
    for store, number in rise.items():
        print(
            f"{number / (pages - short) / 1e6:.2f} million a page {'with' if store else 'without'} the store"
        )
    return rise[server.url] / rise[None]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--each", type=int, default=100, help="pages of a flush")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of time")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    from demo.sites import SITES as DEMO  # noqa: PLC0415 (of the example project)

    page = DEMO["shop.example"].page("/c/headphones", {})
    assert page is not None
    Answers.page = page.encode()
    if options.child is not None:
        crawl(options.pages, options.each, options.child)
        return
    with tempfile.TemporaryDirectory() as directory, closing(Server(Path(directory))) as server:
        if options.instructions:
            ratio = compare_instructions(server, options.pages, options.each)
        else:
            ratio = compare_times(server, options.pairs, options.pages, options.each)
    print(f"with the store {ratio:.3f} times; bar {BAR}")


if __name__ == "__main__":
    main()
