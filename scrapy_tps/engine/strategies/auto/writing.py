"""The only module that changes a page: it writes the decisions of rules into the columns."""

from __future__ import annotations

from functools import partial
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, Final, cast

from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.outcomes import AMBIGUOUS, NO_REGION, PRUNED
from scrapy_tps.engine.strategies import Selection, Span
from scrapy_tps.engine.strategies.auto.decisions import Phase, Records, Removals
from scrapy_tps.engine.strategies.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Correction, Removal, Veto
    from scrapy_tps.engine.strategies.auto.page import Page

_fill: Final = compiled(loops.fill)

_CUES, _CORRECT, _, _PROTECT, _, _RETAIN, _VETO = Phase


def write(page: Page, phase: Phase, decided: Any) -> None:
    """Write the decisions of a rule, and measure again if they change the sums."""
    if phase is _CUES:
        page.first_heading = decided
    elif phase is _CORRECT:
        _correct(page, decided)
    elif phase is _RETAIN:
        page.retained += decided
    else:
        if phase is _PROTECT:
            _protect(page, decided)
        elif phase is _VETO:
            _put_back(page, decided)
        else:
            _remove(page, decided)
        page.measure()


def _correct(page: Page, corrections: Sequence[Correction]) -> None:
    cues, added, more = page.cues, 0, False
    for node, off, on in corrections:
        more = more or bool(on and not cues[node])
        cues[node] = cues[node] & ~off | on
        added |= on
    if more:
        page.cue_more()
    if page.arrays is None:
        page.cues_found |= added
    page.forget()


def _protect(page: Page, parts: Records | Sequence[tuple[int, int]]) -> None:
    if isinstance(parts, Records):
        page.records += [(group.start, group.end, group.items) for group in parts.groups]
        page.best = parts.best
        parts = [*((group.start, group.end) for group in parts.groups), *parts.titles]
    _fill(page.protected, parts, 1)


def _remove(page: Page, removals: Removals | Sequence[Removal]) -> None:
    if isinstance(removals, Removals):
        page.doubtful.update(removals.doubtful)
        page.splits += removals.splits
        removals = removals.removals
    page.removed += removals
    _fill(page.alive, removals, 0)
    if page.best is not None and not page.alive[page.best.start]:
        page.best = None


def _put_back(page: Page, vetoes: Sequence[int] | Sequence[Veto]) -> None:
    """Take removals, or the vetoed nodes, out of the list; nodes that no removal holds any more are alive."""
    if isinstance(vetoes[0], int):
        back = set(vetoes)
        page.removed = [removal for number, removal in enumerate(page.removed) if number not in back]
    else:
        _spare(page, cast("Sequence[Veto]", vetoes))
    page.alive[:] = b"\x01" * page.size
    _fill(page.alive, page.removed, 0)


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
    spans = partial(_spans, page) if page.arrays is None else page.arrays.spans
    kept, roots = [part.root for part in page.retained], [part.root for part in pages]
    runs = spans(page.removed, kept, page.records, roots)
    return Selection(PRUNED, Spans(runs, page.removed, [part[1:] for part in pages]), page.splits)


def _spans(
    page: Page,
    removed: list[Removal],
    kept: list[int],
    records: list[tuple[int, int, int]],
    pages: list[int],
) -> list[int]:
    """Return start, end and owner of runs of nodes, one after the other.

    An owner is the number of the first removal that took them, from 1 on; -1 means records; -2, -3 and so on mean the
    first, second … of the `pages`. Other kept parts have no owner and are in no run.
    """
    size, ends = page.size, page.end
    owner = [0] * size
    borders = bytearray(size + 1)  # owners change only at the ends of parts
    for number, (start, end, _, _) in enumerate(removed, 1):
        borders[start] = borders[end] = 1
        _own(owner, start, end, number)
    for start in kept:
        borders[start] = borders[ends[start]] = 1
        owner[start : ends[start]] = [0] * (ends[start] - start)
    for start, end, _ in records:
        borders[start] = borders[end] = 1
        _own(owner, start, end, -1)
    for number, start in enumerate(pages):
        borders[start] = borders[ends[start]] = 1
        _own(owner, start, ends[start], -2 - number)
    owned: list[tuple[int, int, int]] = []
    begin, last = 0, owner[0]
    for border in compress(range(1, size), islice(borders, 1, None)):
        here = owner[border]
        if here != last:
            owned.append((begin, border, last))
            begin, last = border, here
    owned.append((begin, size, last))
    return [number for run in owned if run[2] for number in run]


def _own(owner: list[int], start: int, end: int, number: int) -> None:
    """Write a number to the nodes of this part that have none."""
    held = owner[start:end]
    if free := held.count(0):
        whole = free == end - start
        owner[start:end] = [number] * free if whole else [one or number for one in held]
