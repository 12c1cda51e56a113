"""The main heading of the page, and headings of links to other pages ("Related articles").

The main heading is the first ``h1`` outside boilerplate, otherwise the heading that the ``title`` repeats: templates of
shops and boards write the name of a product or topic as an ``h2``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import compress, islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.cues.words import TELLING_WORDS, speaks_of_related
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.queries import DOCUMENT, any_in, joined
from scrapy_tps.engine.strategies.auto.thresholds import Thresholds

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Correction
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class NamedByTitle(Thresholds):
    characters: int = 8  # shorter headings may be in a title by chance …
    share: float = 1 / 3  # … and shorter parts of the title are the site's name
    read: int = 50  # so many headings are read …
    nodes: int = 20  # … with at most so many nodes


@dataclass(frozen=True, slots=True)
class RelatedHeadings(Thresholds):
    heading: int = 80  # characters of a heading at most …
    nodes: int = 20  # … and nodes
    most: int = 20  # so many such headings are examined: each may require counting all other headings
    links: int = 3  # this number of links makes a list …
    linked: float = 0.5  # … with this share of its characters in links
    # the text before it, outside links, is so many times longer (2: recipes cut - .2): on a page with little other
    # text, the links of such a heading are the content
    before: float = 1.0


def first_heading(page: Page, limits: NamedByTitle) -> int:
    """Return the first heading, else the longest one that the page's ``title`` repeats, or -1.

    White space and case are ignored; of headings of the same length, the first is returned.
    """
    found = page.first_with(reading.HEADING)
    headings = page.all_with(reading.SUBHEADING) if found < 0 else []
    if not headings:
        return found
    texts, end = page.text_before, page.end
    short = (
        (heading, texts[end[heading]] - texts[heading])
        for heading in headings
        if page.alive[heading] and end[heading] - heading <= limits.nodes
    )
    title = "".join(page.sequence.title().split()).casefold()
    least = max(limits.characters, limits.share * len(title))
    named = (
        (len(text), -heading)
        for heading, size in islice(short, limits.read)
        if size >= least and len(text := joined(page, heading).casefold()) >= least and text in title
    )
    return -max(named, default=(0, 1))[1]


_CORE: Final = extension("cues")

_WORDS: Final = _CORE and extension("texts").Table(dict.fromkeys(TELLING_WORDS, (1, 0, 0)))

#: Addresses of people: like documents, they are not called similar to a page.
_PEOPLE: Final = re.compile(r"\s*(?:mailto|tel):", re.IGNORECASE)

#: Elements that hold more than related content.
_WHOLE: Final = frozenset({"body", "main", "article"})


def related_headings(page: Page, limits: RelatedHeadings) -> list[Correction]:
    """Give the cue of related content to lists of links that begin with such headings."""
    title = page.first_with(reading.HEADING)
    if title < 0:
        return []
    if page.native_columns is not None:  # omits most of those with other words
        headings = _CORE.telling_headings(page.native_columns, reading.SUBHEADING, limits.heading, _WORDS)
    else:
        headings = [
            heading
            for heading in page.all_with(reading.SUBHEADING)
            if 0 < _text(page, heading, page.end[heading]) <= limits.heading
        ]
    end, is_text, text_of = page.end, page.is_text, page.sequence.text_of
    speaking = (
        heading
        for heading in headings
        if heading > title
        and (stop := end[heading]) - heading <= limits.nodes
        # "Read also: how a mill works" is itself the link, and the text continues after it
        and not page.in_link[heading]
        and not any_in(page.links, heading, stop)
        and speaks_of_related(" ".join(map(text_of, compress(range(heading, stop), is_text[heading:stop]))))
    )
    return [
        (part, 0, reading.RELATED)
        for heading in islice(speaking, limits.most)
        if (part := _headed(page, heading, limits))
    ]


def _headed(page: Page, heading: int, limits: RelatedHeadings) -> int:
    """Return the list that a heading begins or precedes, or 0."""
    end, parent, headings = page.end, page.parent, page.all_with(reading.SUBHEADING)
    inner, part = heading, parent[heading]
    links = page.links
    enough = bisect_left(links, end[heading]) + limits.links - 1
    while part > 0 and (enough >= len(links) or links[enough] >= end[part]):
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
    """Whether nodes [start, stop) are links, with no more text than there is outside links before them."""
    text, in_link = _text(page, start, stop), page.in_link
    links = page.links[bisect_left(page.links, start) : bisect_left(page.links, stop)]
    return (
        len(links) >= limits.links
        and page.characters_in(start, stop, in_link) >= limits.linked * text
        and page.text_before[start] - page.characters_in(0, start, in_link) >= limits.before * text
        # other sections have headings without links
        and all(
            in_link[heading] or any_in(page.links, heading, page.end[heading])
            for heading in headings[bisect_left(headings, start) : bisect_left(headings, stop)]
        )
        and not any(
            _PEOPLE.match(address) or DOCUMENT.search(address)
            for address in filter(None, page.sequence.values_of(links, "href"))
        )
    )


def _text(page: Page, start: int, stop: int) -> float:
    return page.text_before[stop] - page.text_before[start]
