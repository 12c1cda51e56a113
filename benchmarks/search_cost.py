"""Region search on hostile sequences: CPU seconds each, the best of three.

    python -m benchmarks.search_cost [--length 1000000]

The last line is the bar: the worst of the hostile inputs.
"""

from __future__ import annotations

import argparse
import sys
import time

from scrapy_tps.engine import native
from scrapy_tps.engine.native import search_region
from tests.support.sequences import hostile_sequences

BAR_NATIVE, BAR_PYTHON = 0.1, 5.0  # seconds at a length of 10^6


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--length", type=int, default=1_000_000)
    chosen = parser.parse_args()
    worst = 0.0
    for name, symbols in hostile_sequences(chosen.length).items():
        for ratio in (0.0, 0.2):
            seconds = float("inf")
            for _ in range(3):
                started = time.thread_time()
                start, end, splits = search_region(symbols, ratio)
                seconds = min(seconds, time.thread_time() - started)
            worst = max(worst, seconds)
            print(
                f"{name:24} ratio {ratio}: {seconds:7.3f} s, {len(splits)} splits, {end - start} nodes kept"
            )
    bar = (BAR_NATIVE if native.AVAILABLE else BAR_PYTHON) * chosen.length / 1_000_000
    print(
        f"bar: worst of the hostile inputs {worst:.3f} s <= {bar} s: {'held' if worst <= bar else 'MISSED'}"
    )
    return int(worst > bar)


if __name__ == "__main__":
    sys.exit(main())
