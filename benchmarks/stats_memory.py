"""Memory and time of the per-site figures with many sites.

``python benchmarks/stats_memory.py [--sites 1000000] [--pages-per-site 2] [--max-sites 2000] [--no-store]``

Visits the sites in turn (one in four visits goes to one of a hundred busy sites instead, drawn from a fixed
seed, as in a broad crawl), writes every 50,000 pages as the interval would, and ends the crawl as Scrapy does:
last write, table of the top sites, sites that look wrong. Prints what Python's allocator held at most
(tracemalloc), the growth of the process (resident set, SQLite's cache included), and the time of each part.
``--no-trace`` leaves tracemalloc out: it makes everything many times slower, so take times from such a run.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_tps.report.crawl_report import site_table
from scrapy_tps.report.summary import summarise
from scrapy_tps.stats.aggregation import CrawlFigures
from scrapy_tps.stats.figures import page_counts

#: Pages between two writes: five seconds of a crawl of 10,000 pages a second, more than Scrapy reaches.
PAGES_PER_WRITE = 50_000


@dataclass
class Page:
    """The part of a Pruning that is counted."""

    kept_nodes: int
    outcome: str = "pruned"
    excluded_by: str | None = None
    strategy: str = "auto"
    raw_nodes: int = 1000
    raw_chars: int = 10_000

    @property
    def kept_chars(self) -> int:
        return self.kept_nodes * 10

    @property
    def reduction(self) -> float:
        return 1 - self.kept_nodes / self.raw_nodes


def resident() -> int:
    """Largest resident set of this process so far, in bytes (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", type=int, default=1_000_000)
    parser.add_argument("--pages-per-site", type=int, default=2)
    parser.add_argument("--max-sites", type=int, default=2000)
    parser.add_argument("--no-store", action="store_true")
    parser.add_argument("--no-trace", action="store_true")
    options = parser.parse_args()

    dice = random.Random(2026)
    pages: list[Any] = [Page(dice.randrange(1001)) for _ in range(1000)]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "figures.sqlite")
        before = resident()
        if not options.no_trace:
            tracemalloc.start()
        figures = CrawlFigures(max_sites=options.max_sites)
        if not options.no_store:
            figures.open_store(path, "benchmark")
        visits = options.sites * options.pages_per_site
        start = time.perf_counter()
        for visit in range(visits):
            number = dice.randrange(100) if dice.random() < 0.25 else visit % options.sites
            figures.add(f"site-{number}.example", page_counts(pages[visit % 1000], 2000))
            if visit % PAGES_PER_WRITE == PAGES_PER_WRITE - 1:
                figures.flush()
        recorded = time.perf_counter()
        figures.finish("finished")
        finished = time.perf_counter()
        table = site_table(figures.sites(limit=20))
        summary = summarise(figures.total, figures.sites(), listed=20)
        shown = time.perf_counter()
        assert len(table) == 21
        assert figures.total["pages"] == visits
        figures.close()
        print(f"sites               {options.sites:>12,}")
        print(f"pages               {visits:>12,}")
        print(f"sites in memory <=  {options.max_sites:>12,}")
        if not options.no_trace:
            print(f"allocated at most   {tracemalloc.get_traced_memory()[1] / 2**20:>12.1f} MiB")
        print(f"process grew by     {(resident() - before) / 2**20:>12.1f} MiB")
        if path.exists():
            print(f"file                {path.stat().st_size / 2**20:>12.1f} MiB")
        print(f"recording a page    {(recorded - start) / visits * 1e6:>12.1f} us")
        print(f"last write          {finished - recorded:>12.2f} s")
        print(f"tables ({summary.wrong_sites} wrong)    {shown - finished:>12.2f} s")


if __name__ == "__main__":
    main()
