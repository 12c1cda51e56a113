"""The only module that changes a page: it writes the decisions of rules into the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from scrapy_tps.engine.outcomes import AMBIGUOUS, NO_REGION, PRUNED
from scrapy_tps.engine.strategies import Selection, Span
from scrapy_tps.engine.strategies.auto.decisions import Phase, Records, Removals
from scrapy_tps.engine.strategies.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal, Veto
    from scrapy_tps.engine.strategies.auto.page import Page

_CUES, _CORRECT, _, _PROTECT, _, _RETAIN, _VETO = Phase


def write_decisions(page: Page, phase: Phase, decided: Any) -> None:
    """Write the decisions of a rule."""
    if phase is _CUES:
        page.first_heading = decided
        return
    if phase is _RETAIN:
        page.retained += decided
        return
    if phase is _CORRECT:
        page.columns.correct(decided)
    elif phase is _PROTECT:
        _protect(page, decided)
    elif phase is _VETO:
        _put_back(page, decided)
    else:
        _remove(page, decided)
    page.marked = None


def _protect(page: Page, parts: Records | Sequence[tuple[int, int]]) -> None:
    if isinstance(parts, Records):
        page.records += [(group.start, group.end, group.items) for group in parts.groups]
        page.best = parts.best
        parts = [*((group.start, group.end) for group in parts.groups), *parts.titles]
    page.columns.write(page.protected, parts, 1)


def _remove(page: Page, removals: Removals | Sequence[Removal]) -> None:
    if isinstance(removals, Removals):
        page.doubtful.update(removals.doubtful)
        page.splits += removals.splits
        removals = removals.removals
    page.removed += removals
    page.columns.write(page.alive, removals, 0)
    if page.best is not None and not page.alive[page.best.start]:
        page.best = None


def _put_back(page: Page, vetoes: Sequence[int] | Sequence[Veto]) -> None:
    """Take removals, or the vetoed nodes, out of the list; nodes that no removal holds any more are alive."""
    if isinstance(vetoes[0], int):
        back = set(vetoes)
        page.removed = [removal for number, removal in enumerate(page.removed) if number not in back]
    else:
        _spare(page, cast("Sequence[Veto]", vetoes))
    page.alive[:] = b"\1" * page.size
    page.columns.write(page.alive, [(0, 0), *page.removed], 0)  # measured from the start on


def _spare(page: Page, vetoes: Sequence[Veto]) -> None:
    spared: dict[int, list[tuple[int, int]]] = {}
    for start, end, first, last, reason in vetoes:
        for number in range(first, last):
            spared.setdefault(number, []).append((start, end))
        page.kept_whole = page.kept_whole or reason
        if page.splits:
            page.splits = [split for split in page.splits if not start <= split.position < end]
    page.removed = [
        part
        for number, removal in enumerate(page.removed)
        for part in (_without(removal, spared[number]) if number in spared else (removal,))
    ]


def _without(removal: Removal, spared: Iterable[tuple[int, int]]) -> list[Removal]:
    """Return a removal without its spared parts."""
    low, high, rule, reason = removal
    parts = [(low, high)]
    for start, end in spared:
        parts = [
            part
            for first, last in parts
            for part in ((first, min(last, start)), (max(first, end), last))
            if part[0] < part[1]
        ]
    return [(first, last, rule, reason) for first, last in parts]


def selection(page: Page) -> Selection:
    """Return the kept and the removed parts, as disjoint spans in document order."""
    if not page.removed:
        outcome, reason = (
            (AMBIGUOUS, page.kept_whole)
            if page.kept_whole
            else (NO_REGION, "no part is certain enough to be removed")
        )
        return Selection(outcome, [Span(0, page.size, True, reason, "whole")])
    pages = sorted(part for part in page.retained if part.reason)
    roots = [part.root for part in page.retained]
    runs = page.columns.spans(page.removed, roots, page.records, [part.root for part in pages])
    return Selection(PRUNED, Spans(runs, page.removed, [part[1:] for part in pages]), page.splits)
