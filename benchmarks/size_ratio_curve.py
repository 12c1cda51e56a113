"""The nodes that each strategy removes, and the labelled content that it keeps, against ``TPS_SIZE_RATIO``.

    python -m benchmarks.size_ratio_curve                          the labelled pages of the project
    python -m benchmarks.size_ratio_curve --data ../shared         the sets of ../shared/data as well
    python -m benchmarks.size_ratio_curve --data ../shared --wcxb-every 10
    python -m benchmarks.size_ratio_curve --ratio 0.2 --ratio 0.8 --strategy auto --every 3

Prints a Markdown table. Each cell: the mean reduction of the pages / the share of labelled records that survive; of
WCXB, whose labels are texts, the mean share of the main content's words. `--data` names a folder with `data` and
`bench` (the readers of the sets).
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_tps import prune

from .quality.labels import labelled_pages
from .quality.measures import score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STRATEGIES = ("auto", "aggressive", "tps", "paper")
RATIOS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99)
#: Records of a page and those that survive; or 1 and the share of its words that does.
Kept = tuple[float, float]


def of_project(page: Any, html: str) -> Kept:
    """The records of a page that ships with the project."""
    scored = score(page, html)
    return scored.records, scored.survived


def sets_of(
    folder: Path, every: int, wcxb_every: int
) -> Iterator[tuple[str, list[Any], Callable[[Any, str], Kept]]]:
    """Name, pages and scoring function of each set below a folder; of WCXB every n-th page, 0 for none."""
    sys.path.insert(0, str(folder / "bench"))
    evaluate = importlib.import_module("evaluate")

    def of_set(page: Any, html: str) -> Kept:
        scored = evaluate.score(page, html) or {"records": 0, "survived": 0}
        return (1.0, scored["recall"]) if "recall" in scored else (scored["records"], scored["survived"])

    for name, pages in evaluate.sets(folder / "data"):
        step = wcxb_every if name == "wcxb" else every
        if step and (folder / "data" / name).is_dir():
            yield name, list(islice(pages(), 0, None, step)), of_set


def measured(
    pages: list[Any], kept: Callable[[Any, str], Kept], strategy: str, ratio: float
) -> tuple[float, float]:
    """The mean reduction of some pages, and the share of their labelled content that stays."""
    settings = {"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": str(ratio)}
    reductions, found = [], []
    for page in pages:
        pruning = prune(page.body, url=page.url, encoding=page.encoding, settings=settings)
        reductions.append(pruning.reduction)
        found.append(kept(page, pruning.html))
    return statistics.fmean(reductions), sum(stays for _, stays in found) / sum(whole for whole, _ in found)


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, help="folder with the folders data and bench")
    arguments.add_argument("--strategy", action="append", choices=STRATEGIES)
    arguments.add_argument("--ratio", action="append", type=float)
    arguments.add_argument("--every", type=int, default=1, help="score every n-th page only")
    arguments.add_argument(
        "--wcxb-every", type=int, default=0, help="score every n-th page of WCXB (default: leave it out)"
    )
    chosen = arguments.parse_args()
    ratios = chosen.ratio or RATIOS
    print("Each cell: nodes removed / labelled content kept, in percent.\n")
    print("| strategy | set | " + " | ".join(f"{ratio:g}" for ratio in ratios) + " |")
    print("|---|---|" + "---|" * len(ratios))
    sets = [*sets_of(chosen.data, chosen.every, chosen.wcxb_every)] if chosen.data else []
    sets.insert(0, ("project", list(labelled_pages())[:: chosen.every], of_project))
    for strategy in chosen.strategy or STRATEGIES:
        for name, pages, kept in sets:
            cells = [measured(pages, kept, strategy, ratio) for ratio in ratios]
            shown = " | ".join(f"{100 * reduction:.1f} / {100 * stays:.1f}" for reduction, stays in cells)
            print(f"| {strategy} | {name} | {shown} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
