"""Record groups: runs of neighbouring siblings of the same make, the parts that must not be cut."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps import hints
from scrapy_tps.native import extension
from scrapy_tps.strategies.subtrees import like_children, subtree_sets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.strategies.workspace import Workspace

#: Two siblings are alike when they share this part of their tag paths (Jaccard index over the alphabet of
#: tags, which per-record classes cannot tell apart).
ALIKE: Final = 0.5
#: Siblings before and after that are less alike still belong to the records (a first item with a picture,
#: a sponsored one): no border may cut them off.
RELATED: Final = 0.3
#: … when they have so many tag paths in common.
RELATED_SYMBOLS: Final = 3
#: Two items make a group only when they are this much alike, of the same class and of some size.
PAIR_ALIKE: Final = 0.7
PAIR_SYMBOLS: Final = 8
PAIR_WORTH: Final = 40.0
#: What a pair's score counts of a longer group's.
PAIR_SCORE: Final = 0.5
#: Median worth of the items, distinct tag paths in them, and their worth per character, at least.
MEDIAN_WORTH: Final = 20.0
MIN_SYMBOLS: Final = 4
WORTH_PER_CHAR: Final = 0.45
#: Markup beyond so many distinct tag paths makes a group no more of a group.
_RICH: Final = 20
#: Elements with fewer nodes in them, or less worth, hold no records.
_LEAST_NODES: Final = 10
_LEAST_WORTH: Final = 1.9 * MEDIAN_WORTH  # that of two items; what is missing is more than rounding may take

_CORE: Final = extension("_groups")
_RULES: Final = (
    ALIKE,
    RELATED,
    RELATED_SYMBOLS,
    PAIR_ALIKE,
    PAIR_SYMBOLS,
    PAIR_WORTH,
    PAIR_SCORE,
    MEDIAN_WORTH,
    MIN_SYMBOLS,
    WORTH_PER_CHAR,
    _RICH,
)


class Group(NamedTuple):
    """A record group.

    :ivar start, end: its nodes, from the first item's first to the last one's last.
    :ivar items: number of items.
    :ivar worth: worth of the items.
    :ivar score: worth times richness of markup; the best group of a page holds its main records.
    """

    start: int
    end: int
    items: int
    worth: float
    score: float


def find_groups(page: Workspace, muted: bytearray) -> list[Group]:
    """Return the record groups of a page; `muted` nodes count as absent.

    A symbol set is one number with a bit per symbol (modulo 128; symbols are numbered in document order, so
    that those of one record rarely share a bit): the sets of all subtrees take one pass, whatever the depth.
    """
    if page.columns is not None:
        return [Group(*group) for group in _CORE.find_groups(page.columns, muted, _LEAST_NODES, _RULES)]
    end, worths = page.end, page.worths
    # the first child of a node comes next, so that nodes with children are here in document order, after -1
    parents = [
        index
        for index in islice(dict.fromkeys(page.parent), 1, None)
        if end[index] - index >= _LEAST_NODES and worths[end[index]] - worths[index] >= _LEAST_WORTH
    ]
    groups: list[Group] = []
    sets: list[int] = []
    for siblings in like_children(page.sequence, page.tags, muted, parents):
        if _enough_worth(page, siblings):
            sets = sets or subtree_sets(page.parent, page.tags, muted)
            _add_runs(page, sets, siblings, groups)
    return groups


def _enough_worth(page: Workspace, siblings: list[int]) -> bool:
    """Whether two of these can be items: half of a group have the median worth, and both of a pair more than that."""
    end, worths = page.end, page.worths
    found = False
    for item in siblings:
        if worths[end[item]] - worths[item] >= MEDIAN_WORTH:
            if found:
                return True
            found = True
    return False


def _add_runs(page: Workspace, sets: list[int], siblings: list[int], groups: list[Group]) -> None:
    """Cut siblings into runs where neighbours have nothing to do with each other."""
    run = [siblings[0]]
    alike = 0
    before = sets[siblings[0]]
    for item in siblings[1:]:
        here = sets[item]
        if here == before:
            alike += 1
        else:
            common = (before & here).bit_count()
            both = (before | here).bit_count()
            if common >= ALIKE * both:
                alike += 1
            elif not (common >= RELATED * both and common >= RELATED_SYMBOLS) and not _same_class(
                page, run[-1], item
            ):
                if alike:
                    _add_group(page, sets, run, alike, groups)
                run, alike = [], 0
            before = here
        run.append(item)
    if alike:
        _add_group(page, sets, run, alike, groups)


def _same_class(page: Workspace, one: int, other: int) -> bool:
    sequence = page.sequence
    first = sequence.symbol_class[sequence.symbols[one]]
    second = sequence.symbol_class[sequence.symbols[other]]
    if not first or not second:
        return False
    if first == second:
        return True
    return hints.stem(first) == hints.stem(second)


def _add_group(page: Workspace, sets: list[int], run: list[int], alike: int, groups: list[Group]) -> None:
    if len(run) < 2 or alike < min(2, len(run) - 1):
        return
    end, worths, texts = page.end, page.worths, page.texts
    worth = [worths[end[item]] - worths[item] for item in run]
    if len(run) == 2:
        common = (sets[run[0]] & sets[run[1]]).bit_count()
        both = (sets[run[0]] | sets[run[1]]).bit_count()
        if (
            both < PAIR_SYMBOLS
            or common < PAIR_ALIKE * both
            or min(worth) < PAIR_WORTH
            or not _same_class(page, *run)
        ):
            return
    elif sorted(worth)[len(worth) // 2] < MEDIAN_WORTH:
        return
    union = 0
    for item in run:
        union |= sets[item]
    symbols = union.bit_count()
    total = add_up(worth)
    if symbols < MIN_SYMBOLS:
        return
    if total < WORTH_PER_CHAR * sum(texts[end[item]] - texts[item] for item in run):
        return
    score = total * min(symbols, _RICH) * (PAIR_SCORE if len(run) == 2 else 1.0)
    groups.append(Group(run[0], end[run[-1]], len(run), total, score))


def add_up(values: Iterable[float]) -> float:
    """The sum from left to right: what ``sum`` of Python 3.12 makes of numbers is another one."""
    total = 0.0
    for value in values:
        total += value
    return total
