"""What each rule of a table costs, relative to decoding a page and parsing it with lxml.

    python -m benchmarks.rule_costs --data ../shared/data [--sample 60] [--repeat 5] [--strategy auto]

CPU time in sums over the pages, of each page and row the best of a few runs. A rule is charged with what it decides,
with the sums of the page where it is the first to ask for them after a change, with its conditions where it is the
first to have them, and with the writing of what it decided. ``page`` makes the columns, hints included; ``selection``
turns what was decided into spans.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.corpus import add_data_option, pages
from benchmarks.page_cost import best, parse_alone
from scrapy_tps.engine import native
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.elements import PlainElements
from scrapy_tps.engine.strategies import load_strategy
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.strategy import TableStrategy
from scrapy_tps.engine.strategies.auto.writing import selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.strategies.auto.pipeline import Pipeline

#: Seconds that looking at the clock takes by itself: as much as a small rule.
OWN_COST = min(-time.thread_time() + time.thread_time() for _ in range(1000))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--strategy", choices=("auto", "aggressive", "tps"), default="auto")
    chosen = parser.parse_args()
    strategy = load_strategy(chosen.strategy)
    assert isinstance(strategy, TableStrategy)
    base, measured = 0.0, 0
    costs: dict[str, float] = defaultdict(float)
    ran: Counter[str] = Counter()
    gc.disable()  # its pauses fall on whichever row comes next
    for _, body in pages(chosen.data, chosen.sample):
        found = best_costs(strategy, body, chosen.repeat)
        if not found:
            continue
        base += best(partial(parse_alone, body), chosen.repeat)
        measured += 1
        for name, seconds in found.items():
            costs[name] += seconds
        ran.update(found.keys())
        gc.collect()
    print(f"{measured} pages; native core: {native.AVAILABLE} ({native.REASON or 'in use'})")
    print(f"decode + lxml's parse: {1e3 * base:.1f} ms in all, taken as 100; {chosen.strategy}:")
    for name, seconds in sorted(costs.items(), key=lambda cost: -cost[1]):
        print(f"{name:24}{100 * seconds / base:7.2f}{1e6 * seconds / ran[name]:9.1f} us on {ran[name]} pages")
    print(f"{'all rows':24}{100 * sum(costs.values()) / base:7.2f}")
    return 0


def best_costs(strategy: TableStrategy, body: bytes, repeat: int) -> dict[str, float]:
    """Seconds that each row takes on a page, the least of a few runs; none where nothing runs."""
    found: dict[str, float] = {}
    for _ in range(repeat):
        root = document.parse(document.read(body, None), None).body
        if root is None:
            break
        sequence = native.walk(root, strategy.reads)
        clock = Clock(strategy.pipeline)
        with PlainElements(root):
            page = Page(sequence, read=strategy.pipeline.reads, size_ratio=strategy.size_ratio)
            clock.charge("page")
            clock.pipeline.run(page, strategy.size_ratio)
            clock.charge(clock.row)
            selection(page)
            clock.charge("selection")
        for name, seconds in clock.costs.items():
            found[name] = min(seconds, found.get(name, seconds))
    return found


class Clock:
    """A table whose rows are timed.

    :ivar pipeline: the table.
    :ivar costs: seconds by row.
    :ivar row: the row that ran last.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = replace(
            pipeline,
            rules=tuple(
                rule._replace(
                    decide=self._timed(rule.name, rule.decide),
                    when=tuple(one._replace(holds=self._timed(rule.name, one.holds)) for one in rule.when),
                )
                for rule in pipeline.rules
            ),
        )
        self.row = ""
        self.costs: dict[str, float] = defaultdict(float)
        self._last = time.thread_time()

    def charge(self, row: str) -> None:
        """Charge a row with the time since the last charge."""
        now = time.thread_time()
        self.costs[row] += max(0.0, now - self._last - OWN_COST)
        self._last = time.thread_time()

    def _timed(self, row: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            if self.row:
                self.charge(self.row)  # its writing
            self.row = row
            result = function(*args)
            self.charge(row)
            return result

        return timed


if __name__ == "__main__":
    sys.exit(main())
