"""What pruning a page costs, step by step, relative to decoding it and parsing it with lxml.

    python -m benchmarks.page_cost --data ../shared/data [--sample 200] [--repeat 3]

CPU time; of each page the best of a few runs; ratios within one run, medians over the pages. The last lines
are the bars.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lxml.html import HTMLParser
from parsel.selector import create_root_node

from benchmarks.corpus import add_data_option, pages
from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import decode
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.page_settings import PageSettings

#: decode + parse + strategy + cut, relative to decode + parse, by strategy: native, pure Python.
BARS = {"paper": (1.2, 2.8), "auto": (1.5, 5.0)}
#: `auto` relative to `paper`, of each page.
AUTO_BAR = 3.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--strategies", nargs="*", default=list(BARS))
    chosen = parser.parse_args()
    ratios: dict[str, list[float]] = {}
    milliseconds: list[float] = []
    settings = {name: page_settings({"TPS_STRATEGY": name}) for name in chosen.strategies}
    gc.disable()  # its pauses fall on whichever step comes next
    for _, body in pages(chosen.data, chosen.sample):
        base = best(lambda body=body: parse_alone(body), chosen.repeat)
        milliseconds.append(base * 1e3)
        for name, chosen_settings in settings.items():
            steps: dict[str, float] = {}

            def whole(
                body: bytes = body, settings: PageSettings = chosen_settings, steps: dict[str, float] = steps
            ) -> None:
                for step, seconds in prune_page(body, None, settings).timings.items():
                    steps[step] = min(seconds, steps.get(step, seconds))

            ratios.setdefault(f"{name} in all", []).append(best(whole, chosen.repeat) / base)
            for step, seconds in steps.items():
                ratios.setdefault(f"{name} {step}", []).append(seconds / base)
        gc.collect()
    print(f"{len(milliseconds)} pages; native core: {native.AVAILABLE} ({native.REASON or 'in use'})")
    print(f"decode + lxml's parse: median {statistics.median(milliseconds):.2f} ms, taken as 1")
    for name, values in ratios.items():
        quantiles = statistics.quantiles(values, n=10) if len(values) > 1 else values * 9
        print(f"{name:20} median {statistics.median(values):6.3f}   90th percentile {quantiles[8]:6.3f}")
    return report(ratios)


def report(ratios: dict[str, list[float]]) -> int:
    """Print the bars and return 1 where one is missed."""
    missed = 0
    for name, (native_bar, python_bar) in BARS.items():
        if f"{name} in all" in ratios:
            bar = native_bar if native.AVAILABLE else python_bar
            found = statistics.median(ratios[f"{name} in all"])
            missed |= found > bar
            print(
                f"bar: decode + parse + {name} + cut {found:.2f} <= {bar}: {'held' if found <= bar else 'MISSED'}"
            )
    if {"paper in all", "auto in all"} <= ratios.keys():
        pairs = zip(ratios["auto in all"], ratios["paper in all"], strict=True)
        worst = max(auto / paper for auto, paper in pairs)
        missed |= worst > AUTO_BAR
        print(
            f"bar: auto at most {worst:.2f} <= {AUTO_BAR} times paper on the same page: "
            f"{'held' if worst <= AUTO_BAR else 'MISSED'}"
        )
    return int(missed)


def parse_alone(body: bytes) -> None:
    """What Scrapy and parsel do with every page."""
    create_root_node(decode(body), HTMLParser)


def best(function: Callable[[], None], repeat: int) -> float:
    """Return the shortest CPU time of a few calls."""
    found = []
    for _ in range(repeat):
        started = time.thread_time()
        function()
        found.append(time.thread_time() - started)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
