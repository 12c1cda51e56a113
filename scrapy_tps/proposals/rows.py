"""Rows of pages and what they hold; which remembered rows they are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_tps.proposals.values import Holder, holders, key
from scrapy_tps.records.extract import candidate_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from scrapy_tps.proposals.memory import SelectorMemory

#: What a row may hold: values, and the elements that hold them.
Holders = dict[str, list[Holder]]


@dataclass
class Row:
    """A row of a sampled page, or the page.

    :ivar page: mark of the page.
    :ivar mark: mark of the remembered row that it is; empty if it is a new one.
    """

    page: str
    element: Any
    mark: str

    @cached_property
    def holders(self) -> Holders:
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


def recognise(rows: Sequence[Row], memories: Collection[SelectorMemory]) -> None:
    """Note which remembered rows some rows are: by half of the values that only one of these has, on the same page, or
    of all."""
    marks = {mark for memory in memories for mark in memory.values}
    for page in (*dict.fromkeys(row.page for row in rows), ""):
        left = own_values(memories, page)
        for row in rows:
            if row.mark in marks:
                left.pop(row.mark, None)
            elif row.page.startswith(page):
                mark = max(left, key=lambda one: len(left[one] & row.holders.keys()), default="")
                if mark and 2 * len(left[mark] & row.holders.keys()) >= len(left[mark]):
                    row.mark = mark
                    del left[mark]


#: The values of remembered rows that elements hold, by element and row.
Held = dict[Any, dict[str, set[str]]]


def held_values(page: Row, own: dict[str, set[str]]) -> Held:
    """Return for the elements of a page the values of remembered rows that they hold, by row."""
    held: defaultdict[Any, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for mark, values in own.items():
        for value in filter(
            values.__contains__, page.holders
        ):  # in the order of the page, whatever the hashes
            for one in page.holders[value]:
                for above in (one.element, *one.element.iterancestors()):
                    held[above][mark].add(value)
    return dict(held)


def likely_rows(page: Row, held: Held, *, several: bool) -> list[list[Any]]:
    """Return lists of elements that may be the rows of a page: those that each hold values of one remembered row, and
    all lists of records; if there is but one row, the innermost element with most values."""

    def level(element: Any) -> int:
        return len([*element.iterancestors()])

    if not several:
        best = max(held, key=lambda one: (len(held[one].get(page.mark, ())), level(one)), default=None)
        return [] if best is None else [[best]]
    outermost = [
        one for one, rows in held.items() if len(rows) == 1 and len(held.get(one.getparent(), ())) > 1
    ]
    kinds = [(one.tag, level(one)) for one in outermost]
    usual = max(kinds, key=kinds.count, default=None)
    remembered = [one for one, kind in zip(outermost, kinds, strict=True) if kind == usual]
    # records that start with a text have no first element
    return [*filter(None, [remembered, *candidate_lists(page.element)])]
