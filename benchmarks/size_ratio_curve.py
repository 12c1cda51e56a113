"""Content present and noise removed against ``TPS_SIZE_RATIO``, per strategy and set.

    python -m benchmarks.size_ratio_curve                          the labelled pages of the project
    python -m benchmarks.size_ratio_curve --data ../shared         the sets of ../shared/data as well
    python -m benchmarks.size_ratio_curve --data ../shared --wcxb-every 10
    python -m benchmarks.size_ratio_curve --ratio 0.2 --ratio 0.8 --strategy auto --every 3

Prints a Markdown table. `--data` names a folder with `data` and `bench` (the readers of the sets). On WCXB, whose
labels are texts and not records, a cell holds the recall of the main content's words and F1 instead.
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


def sets_of(folder: Path, every: int, wcxb_every: int) -> Iterator[tuple[str, list[Any], Any]]:
    """Name, pages and scoring function of each set below a folder; of WCXB every n-th page, 0 for none."""
    sys.path.insert(0, str(folder / "bench"))
    evaluate = importlib.import_module("evaluate")
    for name, pages in evaluate.sets(folder / "data"):
        step = wcxb_every if name == "wcxb" else every
        if step and (folder / "data" / name).is_dir():
            yield name, list(islice(pages(), 0, None, step)), evaluate.score


def of_set(pages: list[Any], scorer: Any, strategy: str, ratio: float) -> tuple[float, float]:
    """Content present and noise removed on the pages of one set; of texts recall and F1."""
    settings = {"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": str(ratio)}
    scores = []
    for page in pages:
        scored = scorer(page, prune(page.body, url=page.url, encoding=page.encoding, settings=settings).html)
        if scored is not None:
            scores.append(scored)
    if "f1" in scores[0]:
        return statistics.fmean(scored["recall"] for scored in scores), statistics.fmean(
            scored["f1"] for scored in scores
        )
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
    arguments.add_argument(
        "--wcxb-every", type=int, default=0, help="score every n-th page of WCXB (default: leave it out)"
    )
    chosen = arguments.parse_args()
    ratios = chosen.ratio or RATIOS
    print("Each cell: content present / noise removed, in percent (WCXB: recall / F1).\n")
    print("| strategy | set | " + " | ".join(f"{ratio:g}" for ratio in ratios) + " |")
    print("|---|---|" + "---|" * len(ratios))
    others = list(sets_of(chosen.data, chosen.every, chosen.wcxb_every)) if chosen.data else []
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
