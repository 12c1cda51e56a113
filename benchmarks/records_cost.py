"""Measure the cost of finding the records of a page, step by step, relative to lxml's parse of the same page.

    python -m benchmarks.records_cost --data ../shared/data [--sample 200] [--repeat 3] [--nodes 20000]

CPU time; of each page the best of a few runs; ratios within one run, medians over the pages; then the growth on
pages made to be expensive, from `--nodes` nodes to ten times as many, without a time budget. The native core is
measured first, pure Python then, each in a process of its own. The last lines are the bars.

lxml's parse is `lxml.html` with parsel's options, without decoding. "all" is everything that `records_below` does with
the parsed page; pages without any list count too.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.corpus import add_data_option, pages
from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.html.elements import plain_elements
from scrapy_tps.records.extract import Extraction
from scrapy_tps.records.regions import Budget
from tests.support.hostile import hostile_pages

if TYPE_CHECKING:
    from collections.abc import Iterable

#: All steps after the parse, relative to it, natively.
BAR: Final = 5.0
#: Ten times the nodes, times as long.
GROWTH_BAR: Final = 12.0
STEPS: Final = ("walk", "derived columns", "candidates", "ranking", "tables")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=20_000, help="of the smaller hostile pages; 0: none")
    parser.add_argument("--core", choices=["native", "python"], help="measure only one, in this process")
    chosen = parser.parse_args()
    if chosen.core is None:
        missed = 0
        for core, wish in (("native", "1"), ("python", "0")):
            command = [sys.executable, "-m", "benchmarks.records_cost", *sys.argv[1:], "--core", core]
            missed |= subprocess.run(
                command, env={**os.environ, "SCRAPY_TPS_NATIVE": wish}, check=False
            ).returncode
        return missed
    gc.disable()  # its pauses fall on whichever step comes next
    missed = measure_pages((body for _, body in pages(chosen.data, chosen.sample)), chosen.repeat)
    gc.enable()
    return measure_growth(chosen.nodes) | missed if chosen.nodes else missed


def measure_pages(bodies: Iterable[bytes], repeat: int) -> int:
    """Print the medians; return 1 where the bar is missed."""
    ratios: dict[str, list[float]] = {step: [] for step in ("all", *STEPS)}
    milliseconds: list[float] = []
    for body in bodies:
        best: dict[str, float] = {}
        text = decode(body)
        for _ in range(repeat):
            for step, seconds in steps_of(text).items():
                best[step] = min(seconds, best.get(step, seconds))
        gc.collect()
        if "all" not in best:
            continue  # a page without a body
        parsing = best.pop("parse")
        milliseconds.append(parsing * 1e3)
        for step, seconds in best.items():
            ratios[step].append(seconds / parsing)
    core = "native core" if native.AVAILABLE else "pure Python"
    print(f"{core}, {len(milliseconds)} pages; lxml's parse: median {statistics.median(milliseconds):.2f} ms")
    for step, values in ratios.items():
        quantiles = statistics.quantiles(values, n=10)
        print(f"{step:16} median {statistics.median(values):6.2f}   90th percentile {quantiles[8]:6.2f}")
    found = statistics.median(ratios["all"])
    if not native.AVAILABLE:
        return 0
    print(f"bar: records {found:.2f} <= {BAR} times lxml's parse: {'held' if found <= BAR else 'MISSED'}")
    return int(found > BAR)


def steps_of(text: str) -> dict[str, float]:
    """Return the CPU seconds of each step of one page."""
    clock = time.thread_time
    started = clock()
    body = parse(text).body
    parsed = clock()
    if body is None:
        return {"parse": parsed - started}
    sequence = native.walk(body)
    walked = clock()
    with plain_elements(body):
        extraction = Extraction(sequence, Budget(None))
        derived = clock()
        found = extraction.candidates()
        looked = clock()
        ranked = extraction.ranked(found)
        chosen = clock()
        regions = extraction.regions(ranked, 0.05)
    ended = clock()
    del regions
    return {
        "parse": parsed - started,
        "all": ended - parsed,
        **dict(
            zip(
                STEPS,
                (walked - parsed, derived - walked, looked - derived, chosen - looked, ended - chosen),
                strict=True,
            )
        ),
    }


def measure_growth(nodes: int) -> int:
    """Print how the cost grows with ten times the nodes; return 1 where the bar is missed."""
    small, large = hostile_pages(nodes), hostile_pages(10 * nodes)
    worst = 0.0
    for name, page in small.items():
        few, many = fastest(page, 5), fastest(large[name], 2)
        growth = many["all"] / few["all"]
        worst = max(worst, growth)
        print(
            f"{name:30} {few['all']:7.3f} s ({few['all'] / few['parse']:5.1f} times lxml's parse)"
            f" ten times the nodes {many['all']:7.3f} s, growth {growth:5.1f}"
        )
    outcome = "held" if worst <= GROWTH_BAR else "MISSED"
    print(f"bar: ten times the nodes, at most {worst:.1f} <= {GROWTH_BAR} times the time: {outcome}")
    return int(worst > GROWTH_BAR)


def fastest(page: str, repeat: int) -> dict[str, float]:
    """Return the shortest of a few runs."""
    runs = []
    for _ in range(repeat):
        gc.collect()
        runs.append(steps_of(page))
    return min(runs, key=lambda run: run["all"])


if __name__ == "__main__":
    sys.exit(main())
