"""Record groups: runs of neighbouring siblings of the same make, the parts that must not be cut."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints import reading
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.group import Group
from scrapy_tps.engine.strategies.auto.subtrees import like_children, subtree_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Groups

_CORE: Final = extension("groups")


def find_groups(page: Page, muted: bytearray, limits: Groups) -> list[Group]:
    """Return the record groups of a page; `muted` nodes count as absent.

    A symbol set is one number with a bit per symbol (modulo 128; symbols are numbered in document order, so
    that those of one record rarely share a bit): the sets of all subtrees take one pass, whatever the depth.
    """
    if page.columns is not None:
        rules = (
            limits.alike,
            limits.related,
            limits.related_symbols,
            limits.pair_alike,
            limits.pair_symbols,
            limits.pair_worth,
            limits.pair_score,
            limits.median_worth,
            limits.min_symbols,
            limits.worth_per_character,
            limits.rich,
        )
        return [Group(*group) for group in _CORE.find_groups(page.columns, muted, limits.least_nodes, rules)]
    end, worth_before = page.end, page.worth_before
    least_worth = 1.9 * limits.median_worth  # of two items; what is missing is more than rounding may take
    # the first child of a node comes next, so that nodes with children are here in document order, after -1
    parents = [
        index
        for index in islice(dict.fromkeys(page.parent), 1, None)
        if end[index] - index >= limits.least_nodes
        and worth_before[end[index]] - worth_before[index] >= least_worth
    ]
    groups: list[Group] = []
    sets: list[int] = []
    for siblings in like_children(page.sequence, page.tags, muted, parents):
        if _enough_worth(page, siblings, limits.median_worth):
            sets = sets or subtree_sets(page.parent, page.tags, muted)
            groups += _groups(page, sets, siblings, limits)
    return groups


def _enough_worth(page: Page, siblings: list[int], median_worth: float) -> bool:
    """Whether two of these can be items: half of a group have the median worth, and both of a pair more than that."""
    end, worth_before = page.end, page.worth_before
    found = False
    for item in siblings:
        if worth_before[end[item]] - worth_before[item] >= median_worth:
            if found:
                return True
            found = True
    return False


def _groups(page: Page, sets: list[int], siblings: list[int], limits: Groups) -> Iterator[Group]:
    """Cut siblings into runs where neighbours have nothing to do with each other, and yield those that are groups."""
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
            if common >= limits.alike * both:
                alike += 1
            elif not (
                common >= limits.related * both and common >= limits.related_symbols
            ) and not _same_class(page, run[-1], item):
                if alike and (group := _group(page, sets, run, alike, limits)):
                    yield group
                run, alike = [], 0
            before = here
        run.append(item)
    if alike and (group := _group(page, sets, run, alike, limits)):
        yield group


def _same_class(page: Page, one: int, other: int) -> bool:
    sequence = page.sequence
    first = sequence.symbol_class[sequence.symbols[one]]
    second = sequence.symbol_class[sequence.symbols[other]]
    if not first or not second:
        return False
    if first == second:
        return True
    return reading.stem(first) == reading.stem(second)


def _group(page: Page, sets: list[int], run: list[int], alike: int, limits: Groups) -> Group | None:
    if len(run) < 2 or alike < min(2, len(run) - 1):
        return None
    end, worth_before, text_before = page.end, page.worth_before, page.text_before
    worth = [worth_before[end[item]] - worth_before[item] for item in run]
    if len(run) == 2:
        common = (sets[run[0]] & sets[run[1]]).bit_count()
        both = (sets[run[0]] | sets[run[1]]).bit_count()
        if (
            both < limits.pair_symbols
            or common < limits.pair_alike * both
            or min(worth) < limits.pair_worth
            or not _same_class(page, *run)
        ):
            return None
    elif sorted(worth)[len(worth) // 2] < limits.median_worth:
        return None
    union = 0
    for item in run:
        union |= sets[item]
    symbols = union.bit_count()
    total = add_up(worth)
    if symbols < limits.min_symbols:
        return None
    if total < limits.worth_per_character * sum(text_before[end[item]] - text_before[item] for item in run):
        return None
    score = total * min(symbols, limits.rich) * (limits.pair_score if len(run) == 2 else 1.0)
    return Group(run[0], end[run[-1]], len(run), total, score)


def add_up(values: Iterable[float]) -> float:
    """The sum from left to right: what ``sum`` of Python 3.12 makes of numbers is another one."""
    total = 0.0
    for value in values:
        total += value
    return total
