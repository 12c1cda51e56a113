"""The two-sided split: the paper's search, repaired, on the alphabet of tags and with sizes by worth.

Velloso & Dorneles, Algorithms 3 and 4, keep the larger side of every split and go on in it. Here a split
lets the smaller side go only where it holds no protected record, no first heading and little prose; where it
may not go, the search goes on in *both* sides. Sizes are the worth of the text instead of numbers of nodes.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING, Final, TypeAlias

from scrapy_tps.engine.native import extension
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.strategies.auto.decisions import Sides
from scrapy_tps.engine.strategies.auto.marks import WITHIN_LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import SplitSides

_CORE: Final = extension("parts")

_EMPHASIS: Final = frozenset({"b", "strong", "em", "i", "u"})
#: Low, border and high, threshold, worth of the left and of the right, (start, end) of what goes.
_Side: TypeAlias = "tuple[int, int, int, int, float, float, list[tuple[int, int]]]"


def split_sides(page: Page, limits: SplitSides) -> Sides | tuple[()]:
    """Remove small sides of uneven splits, with little prose."""
    if page.columns is None:
        found = _find_sides(page, limits)
    else:
        found = _CORE.split_sides(
            page.columns,
            page.first_heading,
            page.size_ratio,
            limits.visits_per_node,
            limits.least_nodes,
            limits.prose,
        )
    splits: list[Split] = []
    removals: list[Removal] = []
    for low, border, high, threshold, left, right, parts in found:
        side = "before" if left <= right else "after"
        reason = f"the smaller part {side} a border where the tag paths change; no record in it"
        removals += [
            (start, stop, "split", reason) for start, stop in parts if not _is_emphasis(page, start, stop)
        ]
        splits.append(Split(low, border, high, threshold, int(left), int(right), left > right))
    return Sides(removals, splits) if splits else ()


def _is_emphasis(page: Page, start: int, stop: int) -> bool:
    """Whether nodes [start, stop) are part of a line and stress something: a number in bold before a title."""
    stressed = False
    while start < stop:
        tag = page.sequence.tag_of(start)
        if tag not in WITHIN_LINES and tag != "br":
            return False
        stressed = stressed or tag in _EMPHASIS
        start = page.end[start]
    return stressed


def _find_sides(page: Page, limits: SplitSides) -> list[_Side]:
    sides: list[_Side] = []
    alive = bytearray(page.alive)
    budget = limits.visits_per_node * page.size
    waiting = [(1, page.size)]
    end, worth_before, protection_before, prose_before = (
        page.end,
        page.worth_before,
        page.protection_before,
        page.prose_before,
    )
    while waiting and budget > 0:
        low, high = waiting.pop()
        places = list(compress(range(low, high), alive[low:high]))
        if len(places) < limits.least_nodes:
            continue
        found, visits = _first_split(page, alive, places, low, high)
        budget -= visits
        if found is None:
            continue
        border, threshold = found
        left, right = worth_before[border] - worth_before[low], worth_before[high] - worth_before[border]
        start, stop = (low, border) if left <= right else (border, high)
        if (
            protection_before[stop] - protection_before[start]
            or prose_before[stop] - prose_before[start] > limits.prose
            or start <= page.first_heading < stop
        ):
            waiting += [(low, border), (border, high)]
            continue
        parts = _whole_parts(start, stop, end)
        for first, after in parts:
            alive[first:after] = bytes(after - first)
        sides.append((low, border, high, threshold, left, right, parts))
        waiting.append((border, high) if left <= right else (low, border))
    return sides


def _whole_parts(start: int, stop: int, end: Sequence[int]) -> list[tuple[int, int]]:
    """The nodes [start, stop) without those that reach beyond: these are ancestors of what stays."""
    parts: list[tuple[int, int]] = []
    index = begin = start
    while index < stop:
        if end[index] > stop:
            if begin < index:
                parts.append((begin, index))
            index += 1
            begin = index
        else:
            index = end[index]
    if begin < stop:
        parts.append((begin, stop))
    return parts


def _first_split(
    page: Page, alive: bytearray, places: list[int], low: int, high: int
) -> tuple[tuple[int, int] | None, int]:
    """Return (border, threshold) of the first uneven split, or None, and the visits made.

    Symbols with a frequency above the threshold are intervals from their first to their last place; where
    the merged intervals end, the page can be split. Thresholds rise from 0: the first pass leaves nothing
    out.
    """
    tags, worth_before = page.tags, page.worth_before
    living = list(compress(tags[low:high], alive[low:high]))
    first = dict(zip(reversed(living), reversed(places), strict=True))
    last = dict(zip(living, places, strict=True))
    active = list(last)  # as they came
    visits = len(places) + len(active)
    whole = worth_before[high] - worth_before[low]
    before, smallest = worth_before[low], (1.0 - page.size_ratio) / 2.0 * whole

    def border_between() -> int:
        reach = last[active[0]]
        for tag in active:
            if first[tag] > reach:
                left = worth_before[reach + 1] - before
                if left <= smallest or whole - left <= smallest:
                    return reach + 1
            if last[tag] > reach:
                reach = last[tag]
        return -1

    if len(active) < 2:
        return None, visits
    border = border_between()
    if border >= 0:  # two of five, without frequencies
        return (border, 0), visits
    count = Counter(living)
    for threshold in sorted(set(count.values())):
        active = [tag for tag in active if count[tag] > threshold]
        visits += len(active)
        if len(active) < 2:
            break
        border = border_between()
        if border >= 0:
            return (border, threshold), visits
    return None, visits
