"""Measure the cost of a crawl with scrapy-tps, relative to the same crawl without it.

    python -m benchmarks.crawl_cost --data ../shared/data/testbed [--strategy auto] [--repeat 3]

A real HTTP server in another process replays the pages at their own host names; each crawl is a process of
its own. Spiders make 20 broad selections, 20 narrow ones, or one. CPU time of the crawling process from the
opening of the spider to its closing, and its peak memory.

A crawl with scrapy-tps and one without run at the same time, each on a processor of its own, and swap places every
turn: other load disturbs both, so the ratios of such pairs scatter less than those of crawls one after the other
(``--alone``, and on machines with one processor). All figures are medians over the turns, next to the ratio of the
shortest times of both crawls. Garbage is collected before the clock stops: without scrapy-tps, response and selector
hold each other, and a third of the trees of a crawl as short as this would never be freed. Below each crawl are the
milliseconds of a page: the steps of pruning, the spider's selections, and the rest (Scrapy, and other work of
scrapy-tps). The last lines are the bars.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import parsel.selector
import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess

from scrapy_tps.engine.html import document

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

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
BARS = {"broad": (0.62, 0.85), "narrow": (1.10, 1.4), "one": (1.30, 2.0)}
MEMORY_BARS = (1.0, 1.25)


class Steps:
    """Seconds by step, of the spider's class: as its own data, they would differ in each comparison.

    :ivar timings: those of pruning, by page, because a page may be read twice.
    """

    def __init__(self) -> None:
        self.selections = 0.0
        self.timings: dict[str, dict[str, float]] = {}


class ReplaySpider(scrapy.Spider):
    name = "replay"
    urls: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    proxy = ""
    steps = Steps()

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in self.urls:
            yield scrapy.Request(url, meta={"proxy": self.proxy})

    def parse(self, response: Response, **_: Any) -> Iterator[dict[str, Any]]:
        started = time.thread_time()
        found = [len(response.css(query).getall()) for query in self.selections]
        self.steps.selections += time.thread_time() - started
        pruning = getattr(response, "tps", None)
        if pruning is not None:
            self.steps.timings[response.url] = pruning.timings
        yield {"found": found}


def crawl(options: dict[str, Any]) -> dict[str, Any]:
    """Crawl in this process; return its CPU seconds, peak memory in MiB, pages, and seconds by step."""
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
    parses = count_parses()
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(ReplaySpider)
    clock: dict[str, float] = {}
    # the spider starts when everything is imported and open
    crawler.signals.connect(
        lambda: clock.update(start=time.process_time()), signal=signals.spider_opened, weak=False
    )

    def stop() -> None:
        gc.collect()
        clock["end"] = time.process_time()

    crawler.signals.connect(stop, signal=signals.spider_closed, weak=False)
    process.crawl(
        crawler,
        urls=options["urls"],
        selections=SELECTIONS[options["spider"]],
        proxy=options["proxy"],
    )
    process.start()
    assert crawler.stats is not None
    cpu = clock["end"] - clock["start"]
    measured: Steps = crawler.spider.steps  # type: ignore[union-attr]
    steps: Counter[str] = sum(map(Counter, measured.timings.values()), Counter())
    pruning = crawler.stats.get_value("tps/microseconds", 0) / 1e6
    selections = measured.selections
    if steps:
        steps["write"] = pruning - sum(steps.values())
    return {
        "cpu": cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "pages": crawler.stats.get_value("response_received_count", 0),
        "parses": len(parses),
        "steps": {**steps, "selections": selections, "all else": cpu - pruning - selections},
    }


def count_parses() -> list[None]:
    """Return a list to which each parse of a page adds an entry: scrapy-tps's own, and those of selectors."""
    parses: list[None] = []

    def counting(parse: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            parses.append(None)
            return parse(*args, **kwargs)

        return counted

    parsel.selector.create_root_node = counting(parsel.selector.create_root_node)
    document.parse = counting(document.parse)
    return parses


def run(options: dict[str, Any], native: str, processor: int | None = None) -> dict[str, Any]:
    """Crawl in a process of its own, on one processor if so wished."""
    with tempfile.TemporaryDirectory() as folder:
        finished = subprocess.run(
            [sys.executable, "-m", "benchmarks.crawl_cost", "--worker"],
            input=json.dumps({**options, "folder": folder, "processor": processor}),
            env={**os.environ, "SCRAPY_TPS_NATIVE": native},
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        )
    result: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return result


def run_pair(
    options: dict[str, Any], strategy: str, native: str, processors: list[int]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Crawl without scrapy-tps and with it: at the same time where there are two processors."""
    one, other = ({**options, "strategy": ""}, "0"), ({**options, "strategy": strategy}, native)
    if len(processors) < 2:
        return run(*one), run(*other)
    with ThreadPoolExecutor(2) as both:
        first = both.submit(run, *one, processors[0])
        second = both.submit(run, *other, processors[1])
        return first.result(), second.result()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--repeat", type=int, default=3, help="turns")
    parser.add_argument("--spiders", nargs="*", default=list(BARS), choices=list(BARS))
    parser.add_argument("--native", nargs="*", default=["1", "0"], help="1: native core, 0: pure Python")
    parser.add_argument("--alone", action="store_true", help="one crawl after the other")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        # scrapy-tps tells how long its steps took; here that is to be CPU time, whatever else the machine does
        time.perf_counter = time.thread_time
        options = json.load(sys.stdin)
        if options["processor"] is not None:
            os.sched_setaffinity(0, {options["processor"]})
        print(json.dumps(crawl(options)))
        return 0
    if chosen.data is None:
        parser.error("--data is required")
    with replayed(chosen.data, chosen.sample) as (proxy, urls):
        return compare(urls, proxy, chosen)


@contextmanager
def replayed(folder: Path, sample: int | None) -> Iterator[tuple[str, list[str]]]:
    """Serve the pages below a folder while the context is open; yield the proxy and the URLs."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.replay_server",
        str(folder),
        *map(str, filter(None, [sample])),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        proxy = f"http://127.0.0.1:{int(server.stdout.readline())}"
        yield proxy, list(iter(lambda: server.stdout.readline().strip(), ""))  # type: ignore[union-attr]
        server.stdin.close()


def compare(urls: list[str], proxy: str, chosen: argparse.Namespace) -> int:
    """Print figures and bars; return 1 where a bar is missed."""
    lines = []
    missed = 0
    kinds = {"native" if native == "1" else "Python": native for native in chosen.native}
    processors = two_processors(chosen)
    for spider, bars in BARS.items():
        if spider not in chosen.spiders:
            continue
        options = {"urls": urls, "proxy": proxy, "spider": spider}
        pairs: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {kind: [] for kind in kinds}
        for _ in range(chosen.repeat):
            for kind, native in kinds.items():
                pairs[kind].append(run_pair(options, chosen.strategy, native, processors))
            processors.reverse()
        report(f"{spider:7} without", [without for kind in kinds for without, _ in pairs[kind]])
        for kind in kinds:
            assert all(without["pages"] == with_it["pages"] for without, with_it in pairs[kind])
            report(f"{spider:7} {kind:7}", [with_it for _, with_it in pairs[kind]])
            python = kind == "Python"
            for what, name, bar in (
                ("CPU", "cpu", bars[python]),
                ("peak memory", "memory", MEMORY_BARS[python]),
            ):
                ratios = [with_it[name] / without[name] for without, with_it in pairs[kind]]
                value = statistics.median(ratios)
                least = min(with_it[name] for _, with_it in pairs[kind])
                least /= min(without[name] for without, _ in pairs[kind])
                missed |= value > bar
                lines.append(
                    f"bar: {spider}, {kind}, {what} {value:.2f} ({min(ratios):.2f} to {max(ratios):.2f}; "
                    f"of the least of each {least:.2f}) <= {bar}: "
                    f"{'held' if value <= bar else 'MISSED'}"
                )
    print("\n".join(lines))
    return missed


def two_processors(chosen: argparse.Namespace) -> list[int]:
    """The processors for two crawls at a time; none if they are to come one after the other."""
    if chosen.alone or not hasattr(os, "sched_getaffinity"):
        return []
    return sorted(os.sched_getaffinity(0))[:2]


def report(name: str, results: list[dict[str, Any]]) -> None:
    """Print the medians of some crawls of one kind."""
    pages = results[0]["pages"]
    cpu, memory = (statistics.median(result[what] for result in results) for what in ("cpu", "memory"))
    print(
        f"{name}: CPU {cpu:6.2f} s, peak {memory:5.0f} MiB, {pages} pages parsed {results[0]['parses']} times, "
        f"{cpu / pages * 1e3:.2f} ms a page:"
    )
    steps = {
        step: statistics.median(result["steps"].get(step, 0.0) for result in results) / pages * 1e3
        for step in results[0]["steps"]
    }
    print("        " + ", ".join(f"{step} {milliseconds:.2f}" for step, milliseconds in steps.items()))


if __name__ == "__main__":
    sys.exit(main())
