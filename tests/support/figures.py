"""Helpers for the tests of figures, store and report."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from scrapy_tps.stats.evidence import ENOUGH_PAGES
from scrapy_tps.stats.figures import SiteFigures, page_counts


@dataclass
class MadeUpPruning:
    """The part of a Pruning that is counted."""

    outcome: str = "pruned"
    strategy: str = "paper"
    raw_nodes: int = 100
    kept_nodes: int = 40
    raw_chars: int = 1000
    kept_chars: int = 700
    excluded_by: str | None = None

    @property
    def reduction(self) -> float:
        return 1 - self.kept_nodes / self.raw_nodes


@st.composite
def prunings(draw: st.DrawFn) -> MadeUpPruning:
    outcome = draw(st.sampled_from(["pruned", "pruned", "no_region", "error", "excluded", "too_small"]))
    raw = draw(st.integers(0, 1000))
    kept = draw(st.integers(0, raw)) if outcome == "pruned" else raw
    return MadeUpPruning(outcome, draw(st.sampled_from(["paper", "auto"])), raw, kept, raw * 10, kept * 10)


@st.composite
def site_figures(draw: st.DrawFn) -> SiteFigures:
    figures = SiteFigures()
    for pruning in draw(st.lists(prunings(), max_size=6)):
        figures.add(page_counts(pruning, draw(st.integers(0, 10**6))))
    counts = {
        "items": draw(st.integers(0, 3)),
        "pages_without_items": draw(st.integers(0, 3)),
        "pages_without_output": draw(st.integers(ENOUGH_PAGES - 2, ENOUGH_PAGES + 1) | st.just(0)),
        "callback_errors": draw(st.integers(0, 1)),
        "pruned_items": draw(st.integers(0, 1)),
        "whole_items": draw(st.integers(0, 1)),
        "refused/HTTP 403": draw(st.integers(0, 1) | st.just(ENOUGH_PAGES)),
        "sparse/Log in": draw(st.integers(0, 1) | st.just(ENOUGH_PAGES)),
    }
    figures.add(counts)
    for kind in draw(st.lists(st.sampled_from(["fewer_items", "smaller"]), max_size=2)):
        figures.add({f"alarms/{kind}": 1})
    return figures


def figures_of(*prunings: MadeUpPruning, items: int = 1) -> SiteFigures:
    """Figures of a site with these pages."""
    figures = SiteFigures(items=items, whole_pages=1) if items else SiteFigures()
    for pruning in prunings:
        figures.add(page_counts(pruning, 2000))
    return figures
