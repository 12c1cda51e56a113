"""What the pruning did to the pages of one site, in numbers that add up.

Everything here is a whole number, so that merging the figures of several intervals, processes or crawls
gives the same result in whatever order it happens (addition of floats would not). Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from scrapy_tps.stats.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_tps.stats.fields import FieldCount
    from scrapy_tps.stats.queries import Asker, PageCounts

#: Steps of the reduction histogram between 0 and 1. A reduction is rounded to the nearest step, so a
#: quantile is off by at most half a step: 0.0005, a twentieth of a percentage point.
REDUCTION_STEPS = 1000

#: Different names a tally of one site may hold. Outcomes and alarms come from code, not from pages, so real
#: crawls stay far below; the limit keeps memory bounded when a custom strategy makes names up.
MAX_NAMES = 32

#: Where names beyond :data:`MAX_NAMES` are counted.
OTHER = "other"

#: The outcome of a page that was pruned.
PRUNED = "pruned"

#: The outcome of a page that settings or the request left alone: it says nothing about the site.
EXCLUDED = "excluded"

#: The outcome of a page that pruning failed on and that was therefore kept whole.
ERROR = "error"

_MILLION = 1_000_000


class PruningFigures(Protocol):
    """The attributes of :class:`~scrapy_tps.Pruning` that are counted."""

    @property
    def outcome(self) -> str: ...
    @property
    def excluded_by(self) -> str | None: ...
    @property
    def strategy(self) -> str: ...
    @property
    def raw_nodes(self) -> int: ...
    @property
    def kept_nodes(self) -> int: ...
    @property
    def raw_chars(self) -> int: ...
    @property
    def kept_chars(self) -> int: ...
    @property
    def reduction(self) -> float: ...


def _count(tally: dict[str, int], name: str, number: int = 1) -> None:
    if name not in tally and len(tally) >= MAX_NAMES:
        name = OTHER
    tally[name] = tally.get(name, 0) + number


@dataclass(slots=True)
class ReductionHistogram:
    """How the DOM reductions of a site's pages are distributed, in bounded memory.

    A fixed-width histogram over [0, 1] with :data:`REDUCTION_STEPS` steps, kept sparse: step -> pages. The
    mean is exact to half a millionth, a quantile to half a step.
    """

    steps: dict[int, int] = field(default_factory=dict)
    millionths: int = 0
    """Sum of the reductions, each rounded to a millionth."""

    def add(self, reduction: float) -> None:
        """Count one page; values outside [0, 1] are clamped."""
        reduction = min(max(reduction, 0.0), 1.0)
        step = int(reduction * REDUCTION_STEPS + 0.5)
        self.steps[step] = self.steps.get(step, 0) + 1
        self.millionths += int(reduction * _MILLION + 0.5)

    def merge(self, other: ReductionHistogram) -> None:
        """Add the pages of `other`."""
        for step, pages in other.steps.items():
            self.steps[step] = self.steps.get(step, 0) + pages
        self.millionths += other.millionths

    @property
    def pages(self) -> int:
        """Pages counted."""
        return sum(self.steps.values())

    @property
    def mean(self) -> float | None:
        """Mean reduction, or None without pages."""
        pages = self.pages
        return self.millionths / _MILLION / pages if pages else None

    def quantile(self, share: float) -> float | None:
        """Smallest step that at least `share` (0 < share <= 1) of the pages do not exceed.

        None without pages. The rule is numpy's ``inverted_cdf``: no interpolation between pages.
        """
        pages = self.pages
        if not pages:
            return None
        seen = 0
        for step in sorted(self.steps):
            seen += self.steps[step]
            if seen >= share * pages:
                return step / REDUCTION_STEPS
        raise ValueError(f"share is {share!r}; allowed: more than 0, at most 1")


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason why a site looks wrong.

    :ivar kind: a name of :mod:`scrapy_tps.stats.doubts`, for programs.
    :ivar text: the reason in words, without the site.
    :ivar count: how many pages, items and requests, or alarms it is about.
    """

    kind: str
    text: str
    count: int


@dataclass(slots=True)
class SiteFigures:
    """The figures of one site (or, merged, of many)."""

    pages: int = 0
    """HTML pages seen."""
    measured: int = 0
    """Pages whose nodes were counted: the ones the reduction speaks of. Excluded, empty and oversized pages
    are not among them."""
    raw_nodes: int = 0
    """Nodes of the tag path sequence before, over the measured pages."""
    kept_nodes: int = 0
    """Nodes after."""
    raw_chars: int = 0
    """Visible characters before, over the measured pages."""
    kept_chars: int = 0
    """Visible characters after."""
    microseconds: int = 0
    """Processor time spent on the pages."""
    items: int = 0
    """Items scraped from the pages."""
    empty_pages: int = 0
    """Pages that gave no item."""
    silent_pages: int = 0
    """Pages that gave neither an item nor a request."""
    failed_pages: int = 0
    """Pages whose callback raised an exception."""
    whole_pages: int = 0
    """Pages handed to a callback as they came …"""
    whole_items: int = 0
    """… and the items it gave for them."""
    pruned_pages: int = 0
    """Pages handed to a callback pruned …"""
    pruned_items: int = 0
    """… and the items it gave for them, before pipelines drop any."""
    original_links: int = 0
    """Links that were extracted from original pages and that the pruned ones do not have."""
    outcomes: dict[str, int] = field(default_factory=dict)
    """Pages per outcome: ``pruned`` or why the page was kept whole."""
    strategies: dict[str, int] = field(default_factory=dict)
    """Pages per strategy."""
    alarms: dict[str, int] = field(default_factory=dict)
    """Alarms per kind."""
    asked: dict[str, int] = field(default_factory=dict)
    """Selections that the original pages answered, per kind, and what else they were needed for: see
    :meth:`scrapy_tps.engine.fallback.usage.Fallbacks.figures`."""
    counts: dict[str, int] = field(default_factory=dict)
    """Evidence by name: ``shadow/pages``, ``shadow/items`` and ``shadow/requests`` compared; ``past_selectors``, pruned
    pages whose callback asked no selector and gave no request; ``unasked``, pruned pages with ``TPS_ASK`` off."""
    errors: dict[str, int] = field(default_factory=dict)
    """Exceptions of callbacks."""
    refused: dict[str, int] = field(default_factory=dict)
    """Answers with another status than 200, and downloads that failed, by the status or the exception."""
    bare: dict[str, int] = field(default_factory=dict)
    """Pages that gave neither a request nor an item that is as full as others, by their titles; those titled like the
    last page that gave one are left out."""
    reduction: ReductionHistogram = field(default_factory=ReductionHistogram)
    """Distribution of the DOM reduction over the measured pages."""
    queries: Queries = field(default_factory=Queries)
    """The spider's queries and the fields of its items. The store keeps them in a table of their own, and reads them
    from there: see :meth:`scrapy_tps.stats.store.FiguresStore.queries`."""
    further: Sequence[Doubt] = ()
    """What looks wrong about these: told by who reports, not kept."""

    def add_page(self, pruning: PruningFigures, microseconds: int) -> None:
        """Count one page and the processor time it took."""
        self.pages += 1
        self.microseconds += microseconds
        outcome = pruning.outcome
        _count(self.outcomes, outcome)
        if outcome == EXCLUDED or not pruning.raw_nodes:
            return
        _count(self.strategies, pruning.strategy)
        self.measured += 1
        self.raw_nodes += pruning.raw_nodes
        self.kept_nodes += pruning.kept_nodes
        self.raw_chars += pruning.raw_chars
        self.kept_chars += pruning.kept_chars
        self.reduction.add(pruning.reduction)

    def add_alarm(self, kind: str, count: int = 1) -> None:
        """Count `count` alarms of one kind."""
        _count(self.alarms, kind, count)

    def add_counts(self, tally: str, counts: Mapping[str, int]) -> None:
        """Add to a tally of :data:`TALLIES`."""
        mine = getattr(self, tally)
        for name, count in counts.items():
            _count(mine, name, count)

    def add_queries(self, counts: Iterable[tuple[Asker, PageCounts]], now: int) -> None:
        """Count the queries of a page; `now` in seconds since 1970 (UTC)."""
        for asker, count in counts:
            self.queries.of(asker).add_page(count, now)

    def add_fields(self, counts: Iterable[FieldCount], now: int) -> None:
        """Count the fields of a page's items; `now` in seconds since 1970 (UTC)."""
        self.queries.add_fields(counts, now)

    def merge(self, other: SiteFigures) -> None:
        """Add the figures of `other`, of later pages where that matters (:attr:`queries`)."""
        for name in COUNTERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in TALLIES:
            self.add_counts(name, getattr(other, name))
        self.reduction.merge(other.reduction)
        self.queries.merge(other.queries)

    @property
    def pruned(self) -> int:
        """Pages that lost something."""
        return self.outcomes.get(PRUNED, 0)

    @property
    def left_whole(self) -> dict[str, int]:
        """Pages handed on as they came, by the reason."""
        return {outcome: pages for outcome, pages in sorted(self.outcomes.items()) if outcome != PRUNED}

    @property
    def text_reduction(self) -> float | None:
        """Share of the visible characters that went, over all measured pages; None without any."""
        return 1 - self.kept_chars / self.raw_chars if self.raw_chars else None

    @property
    def seconds(self) -> float:
        """Processor time spent on the pages."""
        return self.microseconds / _MILLION


#: The figures that are plain sums.
COUNTERS = (
    "pages",
    "measured",
    "raw_nodes",
    "kept_nodes",
    "raw_chars",
    "kept_chars",
    "microseconds",
    "items",
    "empty_pages",
    "silent_pages",
    "failed_pages",
    "whole_pages",
    "whole_items",
    "pruned_pages",
    "pruned_items",
    "original_links",
)

#: The figures that are sums by name.
TALLIES = ("outcomes", "strategies", "alarms", "asked", "counts", "errors", "refused", "bare")


def merged(figures: Iterable[SiteFigures]) -> SiteFigures:
    """The sum of `figures`."""
    total = SiteFigures()
    for one in figures:
        total.merge(one)
    return total


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
