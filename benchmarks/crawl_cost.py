"""What a crawl costs with scrapy-tps, relative to the same crawl without it.

    python -m benchmarks.crawl_cost --data ../shared/data/testbed [--strategy auto] [--repeat 3]

A real HTTP server in another process replays the pages at their own host names; each crawl is a process of
its own. Spiders make 20 broad selections, 20 narrow ones, or one. CPU time and peak memory of the crawling
process, from the opening of the spider to its closing; the best of a few runs. The last lines are the bars.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import TextResponse

BROAD = (
    "a::attr(href)", "a::text", "div", "div > a", "li", "li a", "span::text", "p::text", "img::attr(src)", "ul > li",
    "div div div", "*[class]", "*[id]", "div span", "td", "tr", "h2, h3, h4", "body *", "a[href^=http]", "div::text",
)  # fmt: skip
NARROW = (
    "title::text", "h1::text", "meta[name=description]::attr(content)", "link[rel=canonical]::attr(href)",
    "#content", "#main", ".product", ".price::text", ".title a::text", "main h2", "nav.pagination a", "form input",
    "table.results tr", "ol > li > h3", "article header", ".result .url", "#footer a", "ul.items > li", ".next",
    "button[type=submit]",
)  # fmt: skip
SELECTIONS = {"broad": BROAD, "narrow": NARROW, "one": ("title::text",)}
#: CPU relative to no middleware, by spider: native, pure Python.
BARS = {"broad": (0.65, 0.85), "narrow": (0.90, 1.4), "one": (1.25, 2.0)}
MEMORY_BARS = (1.15, 1.25)


class ReplaySpider(scrapy.Spider):
    name = "replay"
    urls: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    proxy = ""

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in self.urls:
            yield scrapy.Request(url, meta={"proxy": self.proxy})

    def parse(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        yield {"found": [len(response.css(query).getall()) for query in self.selections]}


def crawl(options: dict[str, Any]) -> dict[str, float]:
    """Crawl in this process and return its CPU seconds, peak memory in MiB and pages."""
    settings: dict[str, Any] = {
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS": 8,
        "DOWNLOAD_DELAY": 0,
    }
    if options["strategy"]:
        settings |= {
            "ADDONS": {"scrapy_tps.Addon": 500},
            "TPS_STRATEGY": options["strategy"],
            "TPS_STATS_FILE": str(Path(options["folder"]) / "tps.sqlite"),
        }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(ReplaySpider)
    clock: dict[str, float] = {}
    # the spider starts when everything is imported and open
    crawler.signals.connect(
        lambda: clock.update(start=time.process_time()), signal=signals.spider_opened, weak=False
    )
    crawler.signals.connect(
        lambda: clock.update(end=time.process_time()), signal=signals.spider_closed, weak=False
    )
    process.crawl(
        crawler, urls=options["urls"], selections=SELECTIONS[options["spider"]], proxy=options["proxy"]
    )
    process.start()
    assert crawler.stats is not None
    return {
        "cpu": clock["end"] - clock["start"],
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "pages": crawler.stats.get_value("response_received_count", 0),
    }


def run(options: dict[str, Any], native: str, repeat: int) -> dict[str, float]:
    """Crawl in processes of their own; return the best CPU time and the smallest peak."""
    results = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            finished = subprocess.run(
                [sys.executable, "-m", "benchmarks.crawl_cost", "--worker"],
                input=json.dumps({**options, "folder": folder}),
                env={**os.environ, "SCRAPY_TPS_NATIVE": native},
                text=True,
                stdout=subprocess.PIPE,
                check=True,
            )
        results.append(json.loads(finished.stdout.splitlines()[-1]))
    return {"pages": results[0]["pages"]} | {
        name: min(result[name] for result in results) for name in ("cpu", "memory")
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--native", nargs="*", default=["1", "0"], help="1: native core, 0: pure Python")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        print(json.dumps(crawl(json.load(sys.stdin))))
        return 0
    if chosen.data is None:
        parser.error("--data is required")
    command = [
        sys.executable,
        "-m",
        "benchmarks.replay_server",
        str(chosen.data),
        *map(str, filter(None, [chosen.sample])),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        proxy = f"http://127.0.0.1:{int(server.stdout.readline())}"
        urls = list(iter(lambda: server.stdout.readline().strip(), ""))  # type: ignore[union-attr]
        missed = compare(urls, proxy, chosen)
        server.stdin.close()
    return missed


def compare(urls: list[str], proxy: str, chosen: argparse.Namespace) -> int:
    """Print figures and bars; return 1 where a bar is missed."""
    missed = 0
    for spider, bars in BARS.items():
        options = {"urls": urls, "proxy": proxy, "spider": spider, "strategy": ""}
        base = run(options, "0", chosen.repeat)
        print(
            f"{spider:7} without: CPU {base['cpu']:6.2f} s, peak {base['memory']:5.0f} MiB, {base['pages']} pages"
        )
        for native in chosen.native:
            found = run({**options, "strategy": chosen.strategy}, native, chosen.repeat)
            assert found["pages"] == base["pages"]
            kind = "native" if native == "1" else "Python"
            cpu, memory = found["cpu"] / base["cpu"], found["memory"] / base["memory"]
            print(f"{spider:7} {kind}: CPU {found['cpu']:6.2f} s, peak {found['memory']:5.0f} MiB")
            for what, value, bar in (
                ("CPU", cpu, bars[native != "1"]),
                ("peak memory", memory, MEMORY_BARS[native != "1"]),
            ):
                missed |= value > bar
                print(
                    f"bar: {spider}, {kind}, {what} {value:.2f} <= {bar}: {'held' if value <= bar else 'MISSED'}"
                )
    return missed


if __name__ == "__main__":
    sys.exit(main())
