"""Parts of the content that are named like furniture: the sidebar that holds the ingredients, the header of an article.

What a name says depends on where the part stands and on what it is made of. Sidebars, menus and filters are made of
links; headers and footers in an article are the article's (HTML Standard, sections 4.3.8 and 4.3.9); a picture that
leads nowhere is no advertisement; a button that says a whole line is a title; and an overlay that holds
what the page's title says is a banner and no dialog.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import (
    ASIDE,
    BUTTON,
    DIALOG,
    FILTER,
    FOOTER,
    HEADER,
    HEADING,
    MAIN,
    MENU,
    RELATED,
    SIDEBAR,
    SOCIAL,
    WEAK,
)
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.queries import any_in, joined

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import OwnParts


def _both(hints: int) -> int:
    return hints | hints << WEAK


#: What is made of links.
_OF_LINKS: Final = _both(SIDEBAR | FILTER | MENU | ASIDE | SOCIAL)
#: What may be a search, a sign-up or a choice of results.
_OF_CONTROLS: Final = _both(ASIDE | FILTER | SOCIAL)
#: What an article has of its own.
_FRAME: Final = _both(HEADER | FOOTER)
_HEADER: Final = _both(HEADER)
#: What a picture is shown in.
_OF_PICTURES: Final = _both(ASIDE | DIALOG)
#: What an overlay of text on a picture is called.
_DIALOG: Final = _both(DIALOG)
#: What lists of topics are called.
_OF_TOPICS: Final = _both(MENU | RELATED | ASIDE | FOOTER)
_READ: Final = _OF_LINKS | _FRAME | _OF_PICTURES | _OF_TOPICS | BUTTON
_CONTROLS: Final = frozenset({"input", "select", "textarea"})
_FIGURES: Final = frozenset({"picture", "figure"})
_PICTURES: Final = frozenset({"img", "video"}) | _FIGURES


def own_parts(page: Page, limits: OwnParts) -> list[Correction]:
    """Take the hints from parts that are content by what they are made of."""
    parts = page.all_with(_READ)
    if not parts:
        return []
    places = _Places(page)
    end, hints = page.end, page.hints
    found: list[Correction] = []
    for index in parts:
        hint = hints[index] & _READ
        off = hint & _claimed(page, index, end[index], places, limits)
        if off:
            found.append(Correction(index, off))
    return found


def _claimed(page: Page, index: int, after: int, places: _Places, limits: OwnParts) -> int:
    """The hints that do not hold for a part."""
    text = page.text_before[after] - page.text_before[index]
    off = 0
    if text >= limits.line and page.sequence.tag_of(index) == "button":
        off = BUTTON
    if page.hints[index] & _DIALOG and places.holds_title(index, after):
        off |= _DIALOG
    if not places.in_content(index):
        return off
    linked = page.characters_in(index, after, page.in_link) if text else 0
    if text >= limits.text and linked <= limits.linked * text:
        off |= _OF_LINKS if not any_in(places.controls, index, after) else _OF_LINKS & ~_OF_CONTROLS
    if 2 * linked <= text:
        off |= _HEADER if not places.in_article(index) else _FRAME
        if any_in(places.pictures, index, after) or any_in(places.times, index, after):
            off |= _OF_PICTURES
        if any_in(places.figures, index, after):
            off |= BUTTON
    else:
        links = places.count_links(index, after)
        if links <= limits.topics and linked < limits.topic * links:
            off |= _OF_TOPICS
    return off


class _Places:
    """Where the content, links and pictures of a page stand, looked for when asked."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def _articles(self) -> list[tuple[int, int]]:
        return self._outermost(self._page.sequence.find({"article"}))

    @cached_property
    def _content(self) -> list[tuple[int, int]]:
        """The outermost articles and main elements."""
        starts = [start for start, _ in self._articles]
        return self._outermost(sorted({*starts, *self._page.all_with(MAIN)}))

    def _outermost(self, starts: list[int]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for start in starts:
            if not found or start >= found[-1][1]:
                found.append((start, self._page.end[start]))
        return found

    def in_article(self, node: int) -> bool:
        """Whether a node stands in an article."""
        return _within(node, self._articles)

    def in_content(self, node: int) -> bool:
        """Whether a node stands in an article or a main element."""
        return _within(node, self._content)

    @cached_property
    def _headings(self) -> list[int]:
        return self._page.all_with(HEADING)

    def holds_title(self, start: int, end: int) -> bool:
        """Whether one of nodes [start, end) is a first heading that the page's title repeats, or all of those are."""
        page = self._page
        inside = self._headings[bisect_left(self._headings, start) : bisect_left(self._headings, end)]
        return 0 < len(inside) == len(self._headings) or any(
            said and said in self._title for said in (joined(page, node).casefold() for node in inside)
        )

    @cached_property
    def _title(self) -> str:
        return "".join(self._page.sequence.title().split()).casefold()

    @cached_property
    def pictures(self) -> list[int]:
        """Pictures that lead nowhere."""
        linked = self._page.in_link
        return [place for place in self._page.sequence.find(_PICTURES) if not linked[place]]

    @cached_property
    def times(self) -> list[int]:
        return self._page.sequence.find({"time"})

    @cached_property
    def controls(self) -> list[int]:
        return self._page.sequence.find(_CONTROLS)

    @cached_property
    def figures(self) -> list[int]:
        """Pictures that are more than icons."""
        return self._page.sequence.find(_FIGURES)

    @cached_property
    def _links(self) -> list[int]:
        return self._page.sequence.find({"a"})

    def count_links(self, start: int, end: int) -> int:
        """The number of links among nodes [start, end)."""
        return bisect_left(self._links, end) - bisect_left(self._links, start)


def _within(node: int, parts: list[tuple[int, int]]) -> bool:
    place = bisect_left(parts, (node, 0)) - 1
    return place >= 0 and node < parts[place][1]
