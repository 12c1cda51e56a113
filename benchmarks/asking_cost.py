"""What it costs a crawl that the original answers what pruning took: ``TPS_ASK`` against a crawl without it.

    python -m benchmarks.asking_cost --data ../shared/data/testbed [--sample 20] [--copies 20] [--itself]

A real HTTP server replays the pages at their own host names; for each mix of selections of
:mod:`benchmarks.asking_mixes` one crawl asks them. It fetches one page at a time, each as often as ``--copies`` says
with ``TPS_ASK`` and as often without it, in turns, one right after the other: whatever else the machine does disturbs
both alike. Measured is all the processor time of the process from before a page is requested until its items are
through: download, pruning, selections, figures. What is learnt of a site is known when the clock starts: the first
ten copies are not counted.

Printed is first how much memory the pages take that a spider holds, with ``TPS_ASK`` and without (selections that
match: no page is parsed again). Then for each mix: what a page costs more, the median of the differences between a copy
with and the one without right beside it, as a ratio of the sums over the pages; its standard error (the copies drawn
anew, 200 times); the milliseconds of a page; and how many pages were parsed again.

``--itself`` asks in both turns: what is printed is what the machine makes of a ratio of 1. On a busy machine with two
processors (30 copies counted) that was 1.004, with a standard error of .011; that of ratios of the medians of either,
not of neighbours, was .019.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse

from benchmarks.asking_mixes import MIXES, mix
from benchmarks.corpus import add_data_option, pages
from benchmarks.crawl_cost import replayed
from benchmarks.replay_server import address
from scrapy_tps import prune_response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import TextResponse
    from typing_extensions import Self

#: Processor time of a crawl relative to the same with ``TPS_ASK = False``.
BARS = {"matching": 1.02, "nothing": 1.05, "removed": 1.05}
#: Copies of each page before the clock starts.
WARM = 10
#: Times that the copies are drawn anew, to see how much a ratio scatters.
_DRAWN_ANEW = 200


class AskingSpider(scrapy.Spider):
    """Fetches one page after the other, each when all of the one before is done."""

    name = "asking"
    selections: dict[str, list[str]]
    copies = 0
    proxy = ""
    itself = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.figures: dict[str, dict[bool, list[float]]] = {
            url: {True: [], False: []} for url in self.selections
        }
        self.plan = (
            (url, copy, ask)
            for copy in range(self.copies)
            for url in self.selections
            for ask in ((True, False) if copy % 2 else (False, True))
        )
        self.current: tuple[str, int, bool] | None = None
        self.started = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.idle, signal=signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[scrapy.Request]:
        return
        yield

    def idle(self) -> None:
        """Take down what the last page took, and fetch the next one."""
        now = time.process_time()
        if self.current is not None:
            url, copy, ask = self.current
            if copy >= WARM:
                self.figures[url][ask].append(now - self.started)
        self.current = next(self.plan, None)
        if self.current is None:
            return
        url, copy, ask = self.current
        request = scrapy.Request(
            f"{url}?{copy}",
            meta={"proxy": self.proxy, "tps": {"TPS_ASK": ask or self.itself}},
            dont_filter=True,
        )
        self.started = time.process_time()
        assert self.crawler.engine is not None
        self.crawler.engine.crawl(request)
        raise DontCloseSpider

    def parse(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        chosen = self.selections[response.url.partition("?")[0]]
        yield {"found": [len(response.css(query).getall()) for query in chosen]}


def crawl(options: dict[str, Any]) -> dict[str, Any]:
    """Crawl in this process; return the seconds of each copy by page, with and without, and the pages parsed again."""
    process = AsyncCrawlerProcess(
        {
            "LOG_LEVEL": "ERROR",
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "CONCURRENT_REQUESTS": 1,
            "DOWNLOAD_DELAY": 0,
            "ADDONS": {"scrapy_tps.Addon": 500},
            "TPS_STRATEGY": options["strategy"],
            "TPS_STATS_FILE": options["file"],
        }
    )
    crawler = process.create_crawler(AskingSpider)
    given = ("selections", "copies", "proxy", "itself")
    process.crawl(crawler, **{name: options[name] for name in given})
    process.start()
    assert crawler.stats is not None
    assert isinstance(crawler.spider, AskingSpider)
    figures = crawler.spider.figures
    return {
        "with": [figures[url][True] for url in figures],
        "without": [figures[url][False] for url in figures],
        "parsed again": crawler.stats.get_value("tps/asked/pages", 0),
    }


def hold(options: dict[str, Any]) -> float:
    """Prune pages, ask them, and hold them; return the MiB by which this process has grown."""
    bodies = {address(path): body for path, body in pages(Path(options["data"]), options["sample"])}
    before = _resident()
    held = []
    for url, selections in options["selections"].items():
        response = prune_response(
            HtmlResponse(url, body=bodies[url]),
            {"TPS_STRATEGY": options["strategy"], "TPS_ASK": options["ask"]},
        )
        for query in selections:
            response.css(query)
        held.append(response)
    gc.collect()
    return _resident() - before


def _resident() -> float:
    pages_of_memory = int(Path("/proc/self/statm").read_text().split()[1])
    return pages_of_memory * os.sysconf("SC_PAGE_SIZE") / 2**20


def work(what: str, options: dict[str, Any]) -> Any:
    """Do something in a process of its own: ``crawl`` or ``hold``."""
    with tempfile.TemporaryDirectory() as folder:
        finished = subprocess.run(
            [sys.executable, "-m", "benchmarks.asking_cost", "--worker", what],
            input=json.dumps({**options, "file": str(Path(folder) / "tps.sqlite")}),
            env={**os.environ, "SCRAPY_TPS_NATIVE": "1"},
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        )
    return json.loads(finished.stdout.splitlines()[-1])


def paired(
    asking: Sequence[Sequence[float]], without: Sequence[Sequence[float]], which: Iterable[int]
) -> tuple[float, float]:
    """Return the seconds that all pages took more, and those they took without: the medians of some copies of each."""
    chosen = list(which)
    more = sum(
        statistics.median(one[copy] - other[copy] for copy in chosen)
        for one, other in zip(asking, without, strict=True)
    )
    return more, sum(statistics.median(one[copy] for copy in chosen) for one in without)


def compare(kind: str, options: dict[str, Any]) -> bool:
    """Crawl with one mix of selections, and print what it costs; return whether that is too much."""
    result = work("crawl", options)
    asking, without = result["with"], result["without"]
    copies = len(asking[0])
    more, least = paired(asking, without, range(copies))
    value = 1 + more / least
    draw = random.Random(1).choices
    again = (paired(asking, without, draw(range(copies), k=copies)) for _ in range(_DRAWN_ANEW))
    error = statistics.stdev(one / other for one, other in again)
    number = len(asking)
    held = value <= BARS[kind]
    print(
        f"asking, {kind}: CPU {value:.3f} (standard error {error:.3f}) <= {BARS[kind]}: "
        f"{'held' if held else 'MISSED'}; {least / number * 1e3:.2f} + {more / number * 1e3:.2f} ms a page; "
        f"{number} pages, {result['parsed again']} of {number * options['copies']} parsed again",
        flush=True,
    )
    return not held


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--copies", type=int, default=2 * WARM, help=f"of each page; more than {WARM + 1}")
    parser.add_argument("--mixes", nargs="*", default=list(MIXES), choices=list(MIXES))
    parser.add_argument("--itself", action="store_true", help="ask in both turns")
    if sys.argv[1:2] == ["--worker"]:
        print(json.dumps({"crawl": crawl, "hold": hold}[sys.argv[2]](json.load(sys.stdin))))
        return 0
    chosen = parser.parse_args()
    if chosen.copies < WARM + 2:
        parser.error(
            f"--copies {chosen.copies}: the first {WARM} are not counted, and two at least have to be"
        )
    bodies = {address(path): body for path, body in pages(chosen.data, chosen.sample)}
    mixes = {
        kind: {url: found for url, body in bodies.items() if (found := mix(kind, body, chosen.strategy))}
        for kind in dict.fromkeys(["matching", *chosen.mixes])
    }
    options = {
        "strategy": chosen.strategy,
        "data": str(chosen.data),
        "sample": chosen.sample,
        "itself": chosen.itself,
    }
    held = [work("hold", {**options, "selections": mixes["matching"], "ask": ask}) for ask in (False, True)]
    number = len(mixes["matching"])
    print(
        f"memory of {number} pages that are held: {held[0]:.1f} -> {held[1]:.1f} MiB ({held[1] / held[0]:.3f})"
    )
    missed = False
    with replayed(chosen.data, chosen.sample) as (proxy, _):
        for kind in chosen.mixes:
            missed |= compare(
                kind, {**options, "selections": mixes[kind], "copies": chosen.copies, "proxy": proxy}
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
