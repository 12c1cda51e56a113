"""Rows of pages and what they hold; which remembered rows they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_tps.proposals.values import Holder, holders, key, level
from scrapy_tps.records.extract import candidate_lists

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        for element in self.element.iter("*"):
            for one in holders(element) if element.tag not in {"script", "style"} else ():
                found[key(one.value)].append(one)
        return dict(found)


#: The marks of the remembered rows that elements of a page may be, each with the number of their values.
Marks = dict[Any, dict[str, int]]


def marks_of(page: Row, memories: Iterable[SelectorMemory]) -> Marks:
    """Return for the elements of a page the remembered rows of which they hold half of the values that no other row of
    the page has."""
    rows: defaultdict[str, set[str]] = defaultdict(set)
    for memory in memories:
        for mark, values in memory.values.items():
            for value in values if mark.startswith(page.mark) else ():
                rows[key(value)].add(mark)
    own = {value: marks.pop() for value, marks in rows.items() if len(marks) == 1}
    held: defaultdict[Any, Counter[str]] = defaultdict(Counter)
    for value in filter(own.__contains__, page.holders):  # in the order of the page, whatever the hashes
        for element in {
            above for one in page.holders[value] for above in (one.element, *one.element.iterancestors())
        }:
            held[element][own[value]] += 1
    total = Counter(own.values())
    return {
        one: {mark: number for mark, number in some.items() if 2 * number >= total[mark]}
        for one, some in held.items()
    }


def likely_rows(page: Row, marks: Marks) -> list[list[Any]]:
    """Return lists of elements that may be the rows of a page: the outermost that may be one remembered row, or the
    innermost with most of its values if there is but one; and all lists of records."""
    several = [one for one, rows in marks.items() if len(rows) == 1 < len(marks.get(one.getparent(), ()))]
    kinds = [(one.tag, level(one)) for one in several]
    usual = max(kinds, key=kinds.count, default=None)
    remembered = [one for one, kind in zip(several, kinds, strict=True) if kind == usual]
    if not several and marks:
        remembered = [max(marks, key=lambda one: (sum(marks[one].values()), level(one)))]
    # records that start with a text have no first element
    return [*filter(None, [remembered, *candidate_lists(page.element)])]
