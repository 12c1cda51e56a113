"""Fixed-seed fuzzing: ``python -m tests.fuzz --pages 20000 [--seed 1] [--data FOLDER]``.

Mutates pages written for the tests, or with ``--data`` every ``*.html`` or ``*.html.gz`` of a folder, and
checks the promises of :mod:`tests.fuzz.promises` for every strategy in turn. Exit status 1 on a failure.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import traceback
from collections import Counter
from pathlib import Path

from scrapy_tps.engine.strategies import BUILT_IN
from tests.fuzz.mutations import mutate, seed_page
from tests.fuzz.promises import check_promises


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pages", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--data", type=Path, help="mutate the pages of this folder")
    chosen = arguments.parse_args()
    files = sorted(chosen.data.rglob("*.html*")) if chosen.data else []
    strategies = sorted(BUILT_IN)
    outcomes: Counter[str] = Counter()
    failures = 0
    for number in range(chosen.pages):
        rng = random.Random(f"{chosen.seed}/{number}")
        page = mutate(_read(rng.choice(files)) if files else seed_page(rng), rng)
        try:
            outcomes[
                check_promises(page, {"TPS_STRATEGY": strategies[number % len(strategies)]}).outcome
            ] += 1
        except Exception:
            failures += 1
            sys.stdout.write(f"page {number}: {traceback.format_exc(limit=-2)}\n")
    summary = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
    sys.stdout.write(f"{chosen.pages} pages, seed {chosen.seed}: {summary}; failures {failures}\n")
    return 1 if failures else 0


def _read(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
