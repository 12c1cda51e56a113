"""What the rules that go by position alone must leave: code, text beside the records, further lists of the same make.

Where records dominate a page, :mod:`~scrapy_tps.strategies.surroundings` and
:mod:`~scrapy_tps.strategies.splits` take the rest for noise. On pages of documentation the "records" are sections
or entries of a list, and the rest are introductions, code and the lists of the sections after it.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import MAIN, SUBHEADING
from scrapy_tps.native import extension
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
_CORE: Final = extension("_kept")
_CODE: Final = frozenset({"pre", "code"})
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


def protect_beside_records(page: Workspace, best: Group) -> None:
    """Protect prose among the siblings of the records, parts that hold items like theirs, and sections like theirs.

    Items are like the records where their paths of tags *and* classes are the same. Sections are parts of the same
    make as the one that holds the records, below a heading like that of it: the records of a page of sections (the
    lectures of a course, the papers of an author) are the longest of its lists. A list of short links is none.
    """
    if page.columns is not None:
        if _CORE.protect_beside(page.columns, best.start, best.end, _TEXT, SUBHEADING, NEAR, LINKS_WORTH):
            page.measure_protection()
        return
    end, parent, symbols = page.end, page.parent, page.symbols
    worths, texts, proses = page.worths, page.texts, page.proses
    inner = parent[best.start]
    if inner < 0:
        return
    running = set(page.sequence.find(_TEXT))
    found = [
        (child, end[child])
        for child in _children(page, inner)
        if child in running and proses[end[child]] > proses[child]
    ]
    alike: set[int] = set()
    index = best.start
    while index < best.end:
        if page.tags[index] == page.tags[best.start]:
            alike.add(symbols[index])
        index = end[index]
    places = page.with_symbols(alike)
    above = parent[inner]
    while above >= 0:
        heading = _heading_of(page, inner)
        found += [
            (child, end[child])
            for child in _children(page, above)
            if child != inner
            and (
                places.find(1, child, end[child]) >= 0
                or (
                    heading >= 0
                    and symbols[child] == symbols[inner]
                    and _heading_of(page, child) == heading
                    and worths[end[child]] - worths[child] > LINKS_WORTH * (texts[end[child]] - texts[child])
                )
            )
        ]
        inner, above = above, parent[above]
    for start, stop in found:
        page.protected[start:stop] = b"\x01" * (stop - start)
    if found:
        page.measure_protection()


def _heading_of(page: Workspace, part: int) -> int:
    """The path of tags of the heading that a part starts with, or -1."""
    for node in range(part + 1, min(page.end[part], part + NEAR)):
        if page.text[node]:
            break
        if page.hints[node] & SUBHEADING:
            return page.tags[node]
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
        self._alive = bytes(page.alive[self.start : self.end]) if self.start >= 0 else b""
        self._removed = len(page.removed)

    def __contains__(self, node: int) -> bool:
        return self.start <= node < self.end

    def is_lost(self) -> bool:
        """Whether too little of its text is left."""
        page = self.page
        if len(page.removed) == self._removed or self.start < 0:
            return False
        chars = page.chars[self.start : self.end]
        left = sum(compress(chars, page.alive[self.start : self.end]))
        return left < MAIN_LEFT * sum(compress(chars, self._alive))

    def put_back(self) -> None:
        """Undo what was removed inside of it since then."""
        page = self.page
        page.alive[self.start : self.end] = self._alive
        page.removed[self._removed :] = [
            (start, end, rule, reason)
            for low, high, rule, reason in page.removed[self._removed :]
            for start, end in ((low, min(high, self.start)), (max(low, self.end), high))
            if start < end
        ]
