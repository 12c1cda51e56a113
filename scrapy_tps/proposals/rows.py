"""Rows of pages and what they hold; which remembered rows they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_tps.proposals.values import Holder, holders, key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.proposals.memory import SelectorMemory

#: What a row may hold: values, and the elements that hold them.
Expected = dict[str, list[Holder]]


@dataclass
class Row:
    """A row of a sampled page, or the page.

    :ivar page: number of the page.
    :ivar mark: mark of the remembered row that it is; empty if it is a new one.
    """

    page: int
    element: Any
    mark: str

    @cached_property
    def holders(self) -> Expected:
        """What holds its values, by what equal values share."""
        found: defaultdict[str, list[Holder]] = defaultdict(list)
        for one in holders(self.element):
            found[key(one.value)].append(one)
        return dict(found)


def own_values(memories: Iterable[SelectorMemory], page: str = "") -> dict[str, set[str]]:
    """Return for each remembered row, of all pages or one, the values that no other row has."""
    marks: defaultdict[str, set[str]] = defaultdict(set)
    for memory in memories:
        for mark, values in memory.values.items():
            for value in values if mark.startswith(page) else ():
                marks[key(value)].add(mark)
    own: defaultdict[str, set[str]] = defaultdict(set)
    for value, of_rows in marks.items():
        if len(of_rows) == 1:
            own[min(of_rows)].add(value)
    return own


def recognise(rows: Sequence[Row], own: dict[str, set[str]]) -> None:
    """Note which remembered rows some rows are: by half of the values that only one of these has."""
    for row in rows:
        mark = max(own, key=lambda one: len(own[one] & row.holders.keys()), default="")
        if row.mark not in own and mark and 2 * len(own[mark] & row.holders.keys()) >= len(own[mark]):
            row.mark = mark


def elements_of_rows(memories: Iterable[SelectorMemory], row: Row) -> list[Any]:
    """Return the elements that each hold most values of a remembered row, and none of another: the outermost ones of
    the most frequent tag and level; of a single row, the innermost one."""
    own = own_values(memories, row.mark.partition(".")[0])
    found = (_innermost(values, row) for values in own.values())
    inner = [*dict.fromkeys(one for one in found if one is not None)]
    shared = Counter(above for one in inner for above in (one, *one.iterancestors()))
    outer = []
    for element in inner:
        alone = [one for one in (element, *element.iterancestors()) if shared[one] == 1]
        outer.append(alone[-1] if len(inner) > 1 and alone else element)
    kinds = [(one.tag, len(list(one.iterancestors()))) for one in outer]
    most = max(kinds, key=kinds.count, default=None)
    return [one for one, kind in zip(outer, kinds, strict=True) if kind == most]


def _innermost(values: set[str], row: Row) -> Any:
    """Return the innermost element with most of some values; None if no element has half of them."""
    held: defaultdict[Any, set[str]] = defaultdict(set)
    for value in filter(values.__contains__, row.holders):  # in the order of the page, whatever the hashes
        for one in row.holders[value]:
            for above in (one.element, *one.element.iterancestors()):
                held[above].add(value)
    best = max(held, key=lambda one: (len(held[one]), len(list(one.iterancestors()))), default=None)
    return best if best is not None and 2 * len(held[best]) >= len(values) > 1 else None
