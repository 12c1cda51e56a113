"""Check the engine's search against the algorithm as printed, and its promises, on many inputs.

    python -m benchmarks.check_engine                           100,000 random sequences, fixed seed
    python -m benchmarks.check_engine --data ../shared/data     every page of a folder as well

Exit status 1 on a mismatch. The tests run a small part of this.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from benchmarks.corpus import pages
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.sequence.region_search import search_region
from scrapy_tps.engine.sequence.walking import walk
from scrapy_tps.engine.strategies import BUILT_IN
from tests.fuzz.promises import check_promises
from tests.support.sequences import random_sequence
from tests.support.straightforward import search_region as straightforward

RATIOS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 0.9)
UNBOUNDED = 10**9  # with the inclusive rule a page may have thousands of levels
PAGE_RATIOS = (0.0, 0.2, 0.9)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sequences", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="folder of *.html or *.html.gz files")
    parser.add_argument("--sample", type=int, help="only so many pages")
    chosen = parser.parse_args()
    mismatches = check_sequences(chosen.sequences, chosen.seed)
    if chosen.data:
        mismatches += check_pages(chosen.data, chosen.sample)
    return 1 if mismatches else 0


def differs(symbols: list[int], ratio: float, inclusive: bool) -> bool:
    """Whether the region search and its straightforward reference disagree."""
    start, end, splits = search_region(symbols, ratio, inclusive=inclusive, visits_per_node=UNBOUNDED)
    found = (start, end, [tuple(split) for split in splits])
    return found != straightforward(symbols, ratio, inclusive=inclusive)


def check_sequences(count: int, seed: int) -> int:
    """Compare on random sequences, with every ratio and both comparison rules in turn."""
    rng = random.Random(seed)
    mismatches = 0
    for number in range(count):
        symbols = random_sequence(rng)
        if differs(symbols, RATIOS[number % len(RATIOS)], number // len(RATIOS) % 2 == 0):
            mismatches += 1
            print(f"sequence {number} differs: {symbols}")
    print(f"{count} random sequences, seed {seed}: {mismatches} mismatches")
    return mismatches


def check_pages(folder: Path, sample: int | None) -> int:
    """Compare on every page, and check that every strategy keeps its promises there."""
    count = mismatches = 0
    for path, body in pages(folder, sample):
        count += 1
        document = parse(decode(body))
        if document.body is not None:
            symbols = walk(document.body).symbols
            for ratio in PAGE_RATIOS:
                for inclusive in (False, True):
                    if differs(symbols, ratio, inclusive):
                        mismatches += 1
                        print(f"{path.name} differs at ratio {ratio}, inclusive {inclusive}")
        mismatches += sum(breaks_a_promise(path, body, strategy) for strategy in sorted(BUILT_IN))
    print(f"{count} pages: {mismatches} mismatches")
    return mismatches


def breaks_a_promise(path: Path, body: bytes, strategy: str) -> bool:
    """Whether a strategy breaks a promise on a page."""
    try:
        check_promises(body, {"TPS_STRATEGY": strategy})
    except AssertionError as error:
        print(f"{path.name}, {strategy}: {error!r}")
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
