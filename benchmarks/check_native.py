"""Check that the native core and pure Python give the same results, bit for bit.

    python -m benchmarks.check_native --data ../shared/data [--sample N]

Each page of the folder is pruned by every strategy, in two processes, one with the core and one without. The exit
status is 1 on a difference.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from lxml import etree

from benchmarks.corpus import pages
from scrapy_tps import prune
from scrapy_tps.engine import native
from scrapy_tps.engine.pruned_page import account_data
from scrapy_tps.engine.strategies import BUILT_IN


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        print_digests(chosen.data, chosen.sample)
        return 0
    if not native.AVAILABLE:
        parser.error(f"there is no native core: {native.REASON}")
    print(
        f"lxml {etree.__version__}, libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}, core of {native.__file__}"
    )
    return int(check_pages(chosen.data, chosen.sample) > 0)


def check_pages(folder: Path, sample: int | None) -> int:
    """Compare whole prunings: the account, what stays node by node, and the pruned page."""
    sampled = ["--sample", str(sample)] if sample else []
    command = [sys.executable, "-m", "benchmarks.check_native", "--worker", "--data", str(folder), *sampled]
    outputs = [
        subprocess.run(
            command,
            env={**os.environ, "SCRAPY_TPS_NATIVE": wish, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.splitlines()
        for wish, seed in (("1", "1"), ("0", "2"))
    ]
    lines = len(outputs[0])
    differing = [one for one, other in zip(*outputs, strict=True) if one != other]
    print("\n".join(differing))
    core, pure = (hashlib.sha256("\n".join(output).encode()).hexdigest()[:16] for output in outputs)
    print(
        f"{lines} prunings (pages by strategies): {len(differing)} differences (core {core}, pure Python {pure})"
    )
    return len(differing)


def print_digests(folder: Path, sample: int | None) -> None:
    """Print a line for each page and strategy: a digest of everything that came out."""
    for path, body in pages(folder, sample):
        for strategy in sorted(BUILT_IN):
            pruning = prune(body, settings={"TPS_STRATEGY": strategy})
            account = {name: value for name, value in account_data(pruning).items() if name != "timings"}
            digest = hashlib.sha256(f"{account!r}{pruning.html}".encode("utf-8", "surrogatepass"))
            print(f"{path.name} {strategy} {pruning.outcome} {digest.hexdigest()}")


if __name__ == "__main__":
    sys.exit(main())
