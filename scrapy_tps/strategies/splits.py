"""The two-sided split: the paper's search, repaired, on the alphabet of tags and with sizes by worth.

Velloso & Dorneles, Algorithms 3 and 4, keep the larger side of every split and go on in it. Here a split
lets the smaller side go only where it holds no protected record, no first heading and little prose; where it
may not go, the search goes on in *both* sides. Sizes are the worth of the text instead of numbers of nodes.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING, Final, TypeAlias

from scrapy_tps.native import extension
from scrapy_tps.regions import Split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_parts")

#: Parts of fewer nodes are not split.
_LEAST_NODES: Final = 20
#: Sides with more prose, in characters, stay: an article above its hundred comments is the smaller side of a split,
#: and nothing on the labelled pages that is no content holds so much.
MOST_PROSE: Final = 500
#: Visits of symbols allowed per node before the search stops with what it has.
VISITS_PER_NODE: Final = 24

#: Low, border and high, threshold, worth of the left and of the right, (start, end) of what goes.
_Side: TypeAlias = "tuple[int, int, int, int, float, float, list[tuple[int, int]]]"


def split_both_sides(page: Workspace, size_ratio: float, most_prose: float = MOST_PROSE) -> list[Split]:
    """Remove small sides of uneven splits, with no more than `most_prose` characters of prose.

    Returns the splits that removed something.
    """
    if page.columns is None:
        found = _take_sides(page, size_ratio, most_prose)
    else:
        found = _CORE.take_split_sides(
            page.columns, page.first_heading, size_ratio, VISITS_PER_NODE, _LEAST_NODES, most_prose
        )
    splits = []
    for low, border, high, threshold, left, right, parts in found:
        side = "before" if left <= right else "after"
        reason = f"the smaller part {side} a border where the tag paths change; no record in it"
        for start, stop in parts:
            page.remove(start, stop, "split", reason)
        splits.append(Split(low, border, high, threshold, int(left), int(right), left > right))
    return splits


def _take_sides(page: Workspace, size_ratio: float, most_prose: float) -> list[_Side]:
    sides: list[_Side] = []
    budget = VISITS_PER_NODE * page.size
    waiting = [(1, page.size)]
    end, worths, protections, proses = page.end, page.worths, page.protections, page.proses
    while waiting and budget > 0:
        low, high = waiting.pop()
        places = list(compress(range(low, high), page.alive[low:high]))
        if len(places) < _LEAST_NODES:
            continue
        found, visits = _first_split(page, places, low, high, size_ratio)
        budget -= visits
        if found is None:
            continue
        border, threshold = found
        left, right = worths[border] - worths[low], worths[high] - worths[border]
        start, stop = (low, border) if left <= right else (border, high)
        if (
            protections[stop] - protections[start]
            or proses[stop] - proses[start] > most_prose
            or start <= page.first_heading < stop
        ):
            waiting += [(low, border), (border, high)]
            continue
        parts = _whole_parts(start, stop, end)
        for first, after in parts:
            page.alive[first:after] = bytes(after - first)
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
    page: Workspace, places: list[int], low: int, high: int, size_ratio: float
) -> tuple[tuple[int, int] | None, int]:
    """Return (border, threshold) of the first uneven split, or None, and the visits made.

    Symbols with a frequency above the threshold are intervals from their first to their last place; where
    the merged intervals end, the page can be split. Thresholds rise from 0: the first pass leaves nothing
    out.
    """
    tags, worths = page.tags, page.worths
    living = list(compress(tags[low:high], page.alive[low:high]))
    first = dict(zip(reversed(living), reversed(places), strict=True))
    last = dict(zip(living, places, strict=True))
    active = list(last)  # as they came
    visits = len(places) + len(active)
    whole = worths[high] - worths[low]
    before, smallest = worths[low], (1.0 - size_ratio) / 2.0 * whole

    def border_between() -> int:
        reach = last[active[0]]
        for tag in active:
            if first[tag] > reach:
                left = worths[reach + 1] - before
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
