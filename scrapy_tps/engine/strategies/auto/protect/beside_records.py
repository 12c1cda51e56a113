"""What belongs to the records of a page: text around them, parts that hold items like theirs, sections like theirs.

Where records dominate a page, the rules that go by position alone take the rest for noise. On pages of documentation
the "records" are sections or entries of a list, and the rest are introductions and the lists of the sections after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONTROL, FORM, SUBHEADING
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.queries import any_in

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.group import Group
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import BesideRecords

_CORE: Final = extension("content_protection")
_LISTS: Final = frozenset({"ul", "ol", "dl"})
#: Elements of running text.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"})


def beside_records(page: Page, limits: BesideRecords) -> list[tuple[int, int]]:
    """Protect text around the records, parts that hold items like theirs, sections like theirs.

    Text is prose and lists without links among their siblings, the headings that bars above them start with, and
    lines without links between the first heading and them. Items are like the records where their paths of tags *and*
    classes are the same, and, without a class, their symbols. Sections are parts of the same make as the one that
    holds the records, below a heading like that of it: the records of a page of sections (the lectures of a course,
    the papers of an author) are the longest of its lists. A list of short links is none.
    """
    best, end = page.best, page.end
    if best is None or page.parent[best.start] < 0:
        return []
    found = _lines_below_heading(page, best.start, limits.line) if limits.headed else []
    if page.columns is None:
        found += _parts_beside(page, best, limits)
    else:
        found += _CORE.beside_records(
            page.columns,
            best.start,
            best.end,
            _TEXT,
            _LISTS,
            SUBHEADING,
            limits.near if limits.headed else 0,
            limits.line,
            limits.links_worth,
            limits.list_worth,
            limits.compared,
            limits.same_make,
        )
    return [(child, end[child]) for child in found]


def _parts_beside(page: Page, best: Group, limits: BesideRecords) -> list[int]:
    end, parent, symbols = page.end, page.parent, page.symbols
    near = limits.near if limits.headed else 0
    inner = parent[best.start]
    found = _texts_beside(page, inner, limits.list_worth)
    holds_items = _Items(page, best, limits)
    above, start = inner, best.start
    while above >= 0:
        heading = _heading_of(page, start, near)
        for child in page.children(above):
            if (
                child < start
                and page.text_before[end[child]] - page.text_before[child] <= limits.line
                and (own := _heading_of(page, child, near)) >= 0
            ):
                found.append(own)
            if above == inner or child == start:
                continue
            if holds_items(child) or (
                heading >= 0
                and symbols[child] == symbols[start]
                and (own := _heading_of(page, child, near)) >= 0
                and page.tags[own] == page.tags[heading]
                and page.worth_per_character(child) > limits.links_worth
            ):
                found.append(child)
        start, above = above, parent[above]
    return found


def _texts_beside(page: Page, inner: int, list_worth: float) -> list[int]:
    """Prose, and lists without links, among the children of the element that holds the records."""
    prose_before, end = page.prose_before, page.end
    running, lists = set(page.sequence.find(_TEXT)), set(page.sequence.find(_LISTS))
    return [
        child
        for child in page.children(inner)
        if (child in running and prose_before[end[child]] > prose_before[child])
        or (child in lists and page.worth_per_character(child) > list_worth)
    ]


def _lines_below_heading(page: Page, records: int, longest: float) -> list[int]:
    """Short parts without links and controls between the part with the first heading and that with the records."""
    heading, parent, end, text_before = page.first_heading, page.parent, page.end, page.text_before
    if not 0 <= heading < records:
        return []
    while not records < end[parent[heading]]:
        heading = parent[heading]
    controls = page.all_with(CONTROL | FORM)
    return [
        child
        for child in page.children(parent[heading])
        if heading < child
        and end[child] <= records
        and 0 < text_before[end[child]] - text_before[child] <= longest
        and 1 not in page.in_link[child : end[child]]
        and not any_in(controls, child, end[child])
    ]


class _Items:
    """Tells whether a part holds items like the records."""

    def __init__(self, page: Page, records: Group, limits: BesideRecords) -> None:
        self.page, self.limits = page, limits
        symbols, tags, end = page.symbols, page.tags, page.end
        index, alike = records.start, set()
        self._makes: list[set[int]] = []
        while index < records.end:
            if tags[index] == tags[records.start]:
                alike.add(symbols[index])
                if len(self._makes) < limits.compared:
                    self._makes.append(set(symbols[index : end[index]]))
            index = end[index]
        self._places = page.with_symbols(alike)

    def __call__(self, part: int) -> bool:
        page, place, stop = self.page, part, self.page.end[part]
        for _ in range(self.limits.compared):
            place = self._places.find(1, place, stop)
            if place < 0:
                return False
            if page.sequence.class_of(place):
                return True
            own = set(page.symbols[place : page.end[place]])
            if any(len(own & make) >= self.limits.same_make * len(own | make) for make in self._makes):
                return True
            place = page.end[place]
        return False


def _heading_of(page: Page, part: int, near: int) -> int:
    """The heading that a part starts with, or -1."""
    for node in range(part + 1, min(page.end[part], part + near)):
        if page.is_text[node]:
            break
        if page.hints[node] & SUBHEADING:
            return node
    return -1
