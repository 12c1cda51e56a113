"""The measurements as tables, one for each sort of set."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from benchmarks.literature.runs import NOTHING, needed_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.literature.runs import Judged, Results

_NONE = "–"


def tables(results: Results) -> Iterator[str]:
    """The lines of all tables, in Markdown."""
    for pages, strategies in results.sets().items():
        found = {strategy: results.of(pages, strategy) for strategy in strategies}
        most = max(map(len, found.values()))
        sites = len({one.site for judged in found.values() for one in judged})
        yield f"\n{pages}: {most} pages of {sites} sites\n"
        heads: list[str] | None = None
        for strategy, judged in found.items():
            row = figures(judged)
            if heads is None:
                heads = list(row)
                yield "| " + " | ".join(["", *heads, "changed", "ms", "KB", "pages"]) + " |"
                yield "|" + "---|" * (len(heads) + 5)
            costs = [one.milliseconds for one in judged if one.milliseconds]
            memory = [one.bytes for one in judged if one.bytes]
            cells = [
                *(row.get(head, _NONE) for head in heads),
                _NONE
                if strategy == NOTHING
                else f"{sum(one.outcome == 'pruned' for one in judged)} of {able(judged, strategy)}",
                f"{statistics.median(costs):.1f}" if costs else _NONE,
                f"{statistics.median(memory) / 1024:.0f}" if memory else _NONE,
                "all" if len(judged) == most else str(len(judged)),
            ]
            yield f"| `{strategy}` | " + " | ".join(cells) + " |"
            for error in sorted({one.error for one in judged if one.error}):
                yield f"  {sum(one.error == error for one in judged)} pages: {error}"


def able(judged: Sequence[Judged], strategy: str) -> int:
    """On how many pages a strategy knows enough of the site to say anything."""
    needed = needed_pages(strategy)
    of_site: dict[str, int] = {}
    for one in judged:
        of_site[one.site] = of_site.get(one.site, 0) + 1
    return sum(of_site[one.site] > needed for one in judged)


def figures(judged: Sequence[Judged]) -> dict[str, str]:
    """The measures of a set, in per cent where they are shares; F1 as it is usual."""
    scored = [(one, one.measures) for one in judged if one.measures]
    every = [measures for _, measures in scored]
    if not every:
        return {}  # pages without labels
    if "equal" in every[0]:
        weights = [one.get("weight", 1.0) for one in every]  # of a page, where several are one case
        cases = sum(weights)
        equal = sum(one["equal"] * weight for one, weight in zip(every, weights, strict=True))
        cut = sum(one.cut * weight for (one, _), weight in zip(scored, weights, strict=True))
        return {"equal output": _percent(equal / cases), "DOM cut": _percent(cut / cases)}
    if "f1" in every[0]:
        articles = [measures for one, measures in scored if one.kind == "article"]
        return {
            "F1": f"{statistics.fmean(one['f1'] for one in every):.3f}",
            "recall": f"{statistics.fmean(one['recall'] for one in every):.3f}",
            "F1 articles": f"{statistics.fmean(one['f1'] for one in articles):.3f}" if articles else _NONE,
        }
    noise = [one["noise_removed"] for one in every if one["noise_removed"] is not None]
    labelled = [one for one in every if one["records"]]
    return {
        "content present": _percent(statistics.fmean(one["survived"] == one["records"] for one in labelled)),
        "record recall": _percent(
            sum(one["survived"] for one in every) / sum(one["records"] for one in every)
        ),
        "noise removed": _percent(statistics.fmean(noise)),
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
