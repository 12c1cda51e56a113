"""What the rules that go by position alone must leave: code, text beside the records, further lists of the same make.

Where records dominate a page, :mod:`~scrapy_tps.strategies.surroundings` and
:mod:`~scrapy_tps.strategies.splits` take the rest for noise. On pages of documentation the "records" are sections
or entries of a list, and the rest are introductions, code and the lists of the sections after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import CONTROL, FORM, MAIN, SUBHEADING
from scrapy_tps.native import extension
from scrapy_tps.strategies.protection import any_in
from scrapy_tps.strategies.surroundings import LINKS_WORTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.workspace import Workspace

#: A part with the first heading in it and at most this share of the page is its title block: claim, message, byline.
HEADED: Final = 0.1
#: With less of its text left than this share, a ``main`` element has lost what it is for.
MAIN_LEFT: Final = 0.8
#: A heading within so many nodes, and before any text, is the one that a part starts with.
NEAR: Final = 12
#: A line between the first heading and the records (a claim, how many there are), and a bar above them with a heading
#: in it, have so many characters at most. Larger parts with a heading are lists of something else.
LINE: Final = 200
#: Lists worth more per character hold next to no links.
LIST_WORTH: Final = 0.6
#: Items without a class are compared with so many records, and so many of them; they are of the same make when they
#: share this part of their symbols. On pages without classes a menu in table rows is a list of table rows.
COMPARED: Final = 5
SAME_MAKE: Final = 0.5
_CORE: Final = extension("_kept")
_CODE: Final = frozenset({"pre", "code"})
_LISTS: Final = frozenset({"ul", "ol", "dl"})
#: Elements of running text.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"})


def protect_code(page: Workspace) -> None:
    """Protect preformatted text and code: nobody writes menus or advertisements in it."""
    end = 0
    for start in page.sequence.find(_CODE):
        if start >= end:
            end = page.end[start]
            page.protected[start:end] = b"\x01" * (end - start)
    if end:
        page.measure_protection()


def protect_below_heading(page: Workspace) -> None:
    """Protect what stands below the first heading in the same part, where that is a small part of the page."""
    heading = page.first_heading
    if heading < 0:
        return
    end = page.end[page.parent[heading]]
    if page.share(heading, end) <= HEADED:
        page.protected[heading:end] = b"\x01" * (end - heading)
        page.measure_protection()


def protect_beside_records(page: Workspace, best: Group, *, headed: bool = True) -> None:
    """Protect what belongs to the records: text around them, parts that hold items like theirs, sections like theirs.

    Text is prose and lists without links among their siblings, the headings that bars above them start with, and
    lines without links between the first heading and them. Items are like the records where their paths of tags *and*
    classes are the same, and, without a class, their symbols. Sections are parts of the same make as the one that
    holds the records, below a heading like that of it: the records of a page of sections (the lectures of a course,
    the papers of an author) are the longest of its lists. A list of short links is none.

    :param headed: whether headings and lines below them count; without, sections do not either.
    """
    end, parent, symbols = page.end, page.parent, page.symbols
    inner = parent[best.start]
    if inner < 0:
        return
    found = _lines_below_heading(page, best.start) if headed else []
    near = NEAR if headed else 0
    if page.columns is not None:
        for child in found:
            page.protected[child : end[child]] = b"\x01" * (end[child] - child)
        some = _CORE.protect_beside(
            page.columns,
            best.start,
            best.end,
            _TEXT,
            _LISTS,
            SUBHEADING,
            near,
            LINE,
            LINKS_WORTH,
            LIST_WORTH,
            COMPARED,
            SAME_MAKE,
        )
        if found or some:
            page.measure_protection()
        return
    found += _texts_beside(page, inner)
    holds_items = _Items(page, best)
    above, start = inner, best.start
    while above >= 0:
        heading = _heading_of(page, start, near)
        for child in _children(page, above):
            if (
                child < start
                and page.texts[end[child]] - page.texts[child] <= LINE
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
                and _worth_per_character(page, child) > LINKS_WORTH
            ):
                found.append(child)
        start, above = above, parent[above]
    for child in found:
        page.protected[child : end[child]] = b"\x01" * (end[child] - child)
    if found:
        page.measure_protection()


def _texts_beside(page: Workspace, inner: int) -> list[int]:
    """Prose, and lists without links, among the children of the element that holds the records."""
    proses, end = page.proses, page.end
    running, lists = set(page.sequence.find(_TEXT)), set(page.sequence.find(_LISTS))
    return [
        child
        for child in _children(page, inner)
        if (child in running and proses[end[child]] > proses[child])
        or (child in lists and _worth_per_character(page, child) > LIST_WORTH)
    ]


def _lines_below_heading(page: Workspace, records: int) -> list[int]:
    """Short parts without links and controls between the part with the first heading and that with the records."""
    heading, parent, end, texts = page.first_heading, page.parent, page.end, page.texts
    if not 0 <= heading < records:
        return []
    while not records < end[parent[heading]]:
        heading = parent[heading]
    controls = page.all_with(CONTROL | FORM)
    return [
        child
        for child in _children(page, parent[heading])
        if heading < child
        and end[child] <= records
        and 0 < texts[end[child]] - texts[child] <= LINE
        and 1 not in page.linked[child : end[child]]
        and not any_in(controls, child, end[child])
    ]


class _Items:
    """Tells whether a part holds items like the records."""

    def __init__(self, page: Workspace, records: Group) -> None:
        self.page = page
        symbols, tags, end = page.symbols, page.tags, page.end
        index, alike = records.start, set()
        self._makes: list[set[int]] = []
        while index < records.end:
            if tags[index] == tags[records.start]:
                alike.add(symbols[index])
                if len(self._makes) < COMPARED:
                    self._makes.append(set(symbols[index : end[index]]))
            index = end[index]
        self._places = page.with_symbols(alike)

    def __call__(self, part: int) -> bool:
        page, place, stop = self.page, part, self.page.end[part]
        for _ in range(COMPARED):
            place = self._places.find(1, place, stop)
            if place < 0:
                return False
            if page.sequence.class_of(place):
                return True
            own = set(page.symbols[place : page.end[place]])
            if any(len(own & make) >= SAME_MAKE * len(own | make) for make in self._makes):
                return True
            place = page.end[place]
        return False


def _worth_per_character(page: Workspace, part: int) -> float:
    stop = page.end[part]
    text = page.texts[stop] - page.texts[part]
    return (page.worths[stop] - page.worths[part]) / text if text else 0.0


def _heading_of(page: Workspace, part: int, near: int) -> int:
    """The heading that a part starts with, or -1."""
    for node in range(part + 1, min(page.end[part], part + near)):
        if page.text[node]:
            break
        if page.hints[node] & SUBHEADING:
            return node
    return -1


def _children(page: Workspace, node: int) -> Iterator[int]:
    child, stop = node + 1, page.end[node]
    while child < stop:
        yield child
        child = page.end[child]


class Main:
    """The ``main`` element of a page before rules that go by position and markup alone, to put back what it lost.

    An index of a few links is a link list in markup of its own, and a short page beside a long menu the smaller
    side of a split. Neither of them is noise where it is most of what the page itself calls its main content.
    """

    def __init__(self, page: Workspace) -> None:
        self.page = page
        self.start = page.first_with(MAIN)
        self.end = page.end[self.start] if self.start >= 0 else -1
        self._alive = bytes(page.alive) if self.start >= 0 else b""
        self._removed = len(page.removed)

    def __contains__(self, node: int) -> bool:
        return self.start <= node < self.end

    def is_lost(self) -> bool:
        """Whether too little of its text is left."""
        page = self.page
        if len(page.removed) == self._removed or self.start < 0:
            return False
        left = page.chars_in(self.start, self.end, page.alive)
        return left < MAIN_LEFT * page.chars_in(self.start, self.end, self._alive)

    def put_back(self) -> None:
        """Undo what was removed inside of it since then."""
        page = self.page
        page.alive[self.start : self.end] = self._alive[self.start : self.end]
        page.removed[self._removed :] = [
            (start, end, rule, reason)
            for low, high, rule, reason in page.removed[self._removed :]
            for start, end in ((low, min(high, self.start)), (max(low, self.end), high))
            if start < end
        ]
