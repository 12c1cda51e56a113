"""How the cost of a page grows: ten times the nodes on pages made to be expensive.

    python -m benchmarks.growth [--nodes 50000] [--strategies paper auto]

CPU time of the whole way of a page, parse included; the last lines are the bars: growth, and `auto` relative to
`paper` on the same page.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from scrapy_tps import document, native
from scrapy_tps.pruning import prune_page
from scrapy_tps.settings import PageSettings
from tests.hostile import hostile_pages

if TYPE_CHECKING:
    from collections.abc import Callable

BAR = 12.0
AUTO_BAR = 3.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--strategies", nargs="*", default=["paper", "auto"])
    chosen = parser.parse_args()
    worst = 0.0
    seconds_of: dict[str, dict[str, float]] = {}
    print(f"native core: {native.AVAILABLE} ({native.REASON or 'in use'})")
    for strategy in chosen.strategies:
        settings = PageSettings.from_mapping(
            {"TPS_STRATEGY": strategy, "TPS_MAX_NODES": 10**9, "TPS_MAX_BYTES": 10**9}
        )
        small, large = bodies(chosen.nodes), bodies(10 * chosen.nodes)
        for name, page in small.items():
            few, nodes, outcome = seconds(page, settings, 7)
            many, more_nodes, _ = seconds(large[name], settings, 3)
            growth = many / few * (10 * nodes / more_nodes)  # pages are not exactly ten times as large
            parse = best_of(partial(document.parse, large[name]), 3) / best_of(
                partial(document.parse, page), 7
            )
            worst = max(worst, growth)
            seconds_of.setdefault(strategy, {}).update(
                {f"{name}, {nodes}": few, f"{name}, {more_nodes}": many}
            )
            print(
                f"{strategy:10} {name:30} {nodes:7} nodes {few:7.3f} s {more_nodes:8} nodes {many:7.3f} s "
                f"growth {growth:5.1f} (lxml's parse alone {parse:5.1f}) {outcome}"
            )
    print(
        f"bar: ten times the nodes, at most {worst:.1f} <= {BAR} times the time: {'held' if worst <= BAR else 'MISSED'}"
    )
    missed = worst > BAR
    if {"paper", "auto"} <= seconds_of.keys():
        dearer, page = max(
            (seconds_of["auto"][page] / paper, page) for page, paper in seconds_of["paper"].items()
        )
        missed |= dearer > AUTO_BAR
        print(
            f"bar: auto at most {dearer:.2f} <= {AUTO_BAR} times paper ({page} nodes): "
            f"{'held' if dearer <= AUTO_BAR else 'MISSED'}"
        )
    return int(missed)


def bodies(nodes: int) -> dict[str, bytes]:
    """Return the hostile pages as a crawl gets them."""
    return {name: page.encode() for name, page in hostile_pages(nodes).items()}


def seconds(page: bytes, settings: PageSettings, repeat: int) -> tuple[float, int, str]:
    """Return the shortest CPU time of pruning a page, its nodes and the outcome."""
    pruning = prune_page(page, None, settings)
    return best_of(partial(prune_page, page, None, settings), repeat), pruning.raw_nodes, pruning.outcome


def best_of(function: Callable[[], object], repeat: int) -> float:
    """Return the shortest CPU time of a few calls."""
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        started = time.thread_time()
        function()
        best = min(best, time.thread_time() - started)
    return best


if __name__ == "__main__":
    sys.exit(main())
