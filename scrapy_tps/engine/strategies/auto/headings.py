"""The heading that the page is about, and headings that lead to other pages ("Related articles").

The first is the page's first ``h1`` outside of boilerplate; without one, the heading that its ``title`` repeats:
templates of shops and boards write the name of a product or topic as an ``h2``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues.reading import HEADING, RELATED, SUBHEADING
from scrapy_tps.engine.cues.related_words import TELLING_WORDS, speaks_of_related
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.plain_columns import flipped
from scrapy_tps.engine.strategies.auto.queries import DOCUMENT, NamedByTitle, named_by_title
from scrapy_tps.engine.strategies.auto.thresholds import (
    Thresholds,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class RelatedHeadings(Thresholds):
    heading: int = 80  # characters of a heading at most …
    nodes: int = 20  # … and nodes
    most: int = 20  # so many such headings are looked at: each may have all other headings counted
    links: int = 3  # so many links make a list …
    linked: float = 0.5  # … with this part of its characters in them
    # so many times its own characters are said before it, outside of links (2: recipes cut - .2): what such a heading
    # leads to on a page of little else is what the page is about
    before: float = 1.0


def first_heading(page: Page, limits: NamedByTitle) -> int:
    """Say where it is, or -1."""
    found = page.first_with(HEADING)
    if found >= 0:
        return found
    texts, end = page.text_before, page.end
    short = (
        (heading, texts[end[heading]] - texts[heading])
        for heading in page.all_with(SUBHEADING)
        if page.alive[heading] and end[heading] - heading <= limits.nodes
    )
    named = named_by_title(page, islice(short, limits.read), limits)
    return named[1] if named else -1


_CORE: Final = extension("cues")

_WORDS: Final = _CORE and extension("texts").Table(dict.fromkeys(TELLING_WORDS, (1, 0, 0)))

#: Addresses of people: like documents, nobody calls these similar to a page.
_PEOPLE: Final = re.compile(r"\s*(?:mailto|tel):", re.IGNORECASE)

#: What holds more than related content.
_WHOLE: Final = frozenset({"body", "main", "article"})


def related_headings(page: Page, limits: RelatedHeadings) -> list[Correction]:
    """Give the cue of related content to lists of links that such headings begin."""
    titles = page.all_with(HEADING)
    if not titles:
        return []
    speaking = (
        heading
        for heading in _short_headings(page, limits.heading)
        if heading > titles[0]
        and page.end[heading] - heading <= limits.nodes
        # "Read also: how a mill works" is the link itself, and what follows it the text
        and not _links(page, heading, page.end[heading])
        and not page.in_link[heading]
        and speaks_of_related(_said(page, heading))
    )
    return [
        Correction(part, 0, RELATED)
        for heading in islice(speaking, limits.most)
        if (part := _headed(page, heading, limits))
    ]


def _short_headings(page: Page, longest: int) -> list[int]:
    """Headings with so many characters at most; natively without most of those that say something else."""
    if page.columns is not None:
        return _CORE.telling_headings(page.columns, SUBHEADING, longest, _WORDS)  # type: ignore[no-any-return]
    return [
        heading
        for heading in page.all_with(SUBHEADING)
        if 0 < _text(page, heading, page.end[heading]) <= longest
    ]


def _said(page: Page, heading: int) -> str:
    is_text = page.is_text
    return " ".join(
        page.sequence.text_of(place) for place in range(heading, page.end[heading]) if is_text[place]
    )


def _headed(page: Page, heading: int, limits: RelatedHeadings) -> int:
    """The list that a heading begins, or that follows it, or 0."""
    end, parent, headings = page.end, page.parent, page.all_with(SUBHEADING)
    inner, part = heading, parent[heading]
    while part > 0 and _links(page, end[heading], end[part]) < limits.links:
        inner, part = part, parent[part]
    if (
        page.sequence.tag_of(part) not in _WHOLE
        and not _text(page, part, heading)
        and _is_list(page, end[heading], end[part], headings, limits)
    ):
        return part
    part, stop = end[inner], end[part]
    while part < stop and not _text(page, part, end[part]):
        part = end[part]
    return part if part < stop and _is_list(page, part, end[part], headings, limits) else 0


def _is_list(page: Page, start: int, stop: int, headings: list[int], limits: RelatedHeadings) -> bool:
    """Whether nodes [start, stop) are links, and no more text than what is said outside of links before them."""
    return (
        _links(page, start, stop) >= limits.links
        and page.characters_in(start, stop, page.in_link) >= limits.linked * _text(page, start, stop)
        and not any(
            _PEOPLE.match(address := page.sequence.value_of(link, "href") or "") or DOCUMENT.search(address)
            for link in page.links[bisect_left(page.links, start) : bisect_left(page.links, stop)]
        )
        and page.characters_in(0, start, flipped(page.in_link)) >= limits.before * _text(page, start, stop)
        # sections of something else have headings that lead nowhere
        and all(
            page.in_link[heading] or _links(page, heading, page.end[heading])
            for heading in headings[bisect_left(headings, start) : bisect_left(headings, stop)]
        )
    )


def _links(page: Page, start: int, stop: int) -> int:
    return bisect_left(page.links, stop) - bisect_left(page.links, start)


def _text(page: Page, start: int, stop: int) -> float:
    return page.text_before[stop] - page.text_before[start]
