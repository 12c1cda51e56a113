"""Content present and noise removed against ``TPS_SIZE_RATIO``, per strategy and set.

    python -m benchmarks.size_ratio_curve                          the labelled pages of the project
    python -m benchmarks.size_ratio_curve --data ../shared         the sets of ../shared/data as well
    python -m benchmarks.size_ratio_curve --ratio 0.2 --ratio 0.8 --strategy auto --every 3

Prints a Markdown table. `--data` names a folder with `data` and `bench` (the readers of the sets).
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_tps import prune

from .quality.labels import labelled_pages
from .quality.measures import score, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

STRATEGIES = ("auto", "aggressive", "tps", "paper")
RATIOS = (0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)


def of_project(strategy: str, ratio: float, every: int) -> tuple[float, float]:
    """Content present and noise removed on the pages that ship with the project."""
    settings = {"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": str(ratio)}
    scores = [
        score(page, prune(page.body, url=page.url, encoding=page.encoding, settings=settings).html)
        for page in list(labelled_pages())[::every]
    ]
    total = summary(scores)
    return total["content present"] or 0.0, total["noise removed"] or 0.0


def sets_of(folder: Path, every: int) -> Iterator[tuple[str, list[Any], Any]]:
    """Name, pages and scoring function of each set with labelled records below a folder."""
    sys.path.insert(0, str(folder / "bench"))
    evaluate = importlib.import_module("evaluate")
    for name, pages in evaluate.sets(folder / "data"):
        if name != "wcxb" and (folder / "data" / name).is_dir():
            yield name, list(pages())[::every], evaluate.score


def of_set(pages: list[Any], scorer: Any, strategy: str, ratio: float) -> tuple[float, float]:
    """Content present and noise removed on the pages of one set."""
    settings = {"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": str(ratio)}
    scores = []
    for page in pages:
        scored = scorer(page, prune(page.body, url=page.url, encoding=page.encoding, settings=settings).html)
        if scored is not None:
            scores.append(scored)
    noise = [scored["noise_removed"] for scored in scores if scored["noise_removed"] is not None]
    return statistics.fmean(scored["survived"] == scored["records"] for scored in scores), statistics.fmean(
        noise
    )


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, help="folder with the folders data and bench")
    arguments.add_argument("--strategy", action="append", choices=STRATEGIES)
    arguments.add_argument("--ratio", action="append", type=float)
    arguments.add_argument("--every", type=int, default=1, help="score every n-th page only")
    chosen = arguments.parse_args()
    ratios = chosen.ratio or RATIOS
    print("Each cell: content present / noise removed, in percent.\n")
    print("| strategy | set | " + " | ".join(f"{ratio:g}" for ratio in ratios) + " |")
    print("|---|---|" + "---|" * len(ratios))
    others = list(sets_of(chosen.data, chosen.every)) if chosen.data else []
    for strategy in chosen.strategy or STRATEGIES:
        rows = [("project", [of_project(strategy, ratio, chosen.every) for ratio in ratios])]
        for name, pages, scorer in others:
            rows.append((name, [of_set(pages, scorer, strategy, ratio) for ratio in ratios]))
        for name, cells in rows:
            shown = " | ".join(f"{present:.1%} / {noise:.1%}".replace("%", "") for present, noise in cells)
            print(f"| {strategy} | {name} | {shown} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
