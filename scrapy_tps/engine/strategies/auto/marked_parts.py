"""The page's main heading, and parts that headings or softer cues mark as noise, if the sequence agrees.

The main heading is the first ``h1`` outside boilerplate, otherwise the heading that the ``title`` repeats: templates of
shops and boards write the name of a product or topic as an ``h2``. Others ("Related articles") mark links to other
pages. Softer cues are header, footer, aside, form, button and words in names; the rule that removes such parts needs
them, and so do rules that check what would be removed with them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import compress, islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.cues.words import TELLING_WORDS, speaks_of_related
from scrapy_tps.engine.loops import boilerplate
from scrapy_tps.engine.native import compiled, extension
from scrapy_tps.engine.strategies.auto.queries import DOCUMENT, SOFT, joined, marked_as
from scrapy_tps.engine.strategies.auto.thresholds import (
    DOMINANCE,
    ENOUGH_PROSE,
    MarkedParts,
    Thresholds,
    scaled,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Correction, Marked, Removal
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
    if found >= 0:
        return found
    texts, end = page.text_before, page.end
    short = (
        (heading, texts[end[heading]] - texts[heading])
        for heading in page.all_with(reading.SUBHEADING)
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


_TEXTS: Final = extension("texts")

_WORDS: Final = _TEXTS and _TEXTS.Table(dict.fromkeys(TELLING_WORDS, (1, 0, 0)))

#: Addresses of people: like documents, they are not called similar to a page.
_PEOPLE: Final = re.compile(r"\s*(?:mailto|tel):", re.IGNORECASE)

#: Elements that hold more than related content.
_WHOLE: Final = frozenset({"body", "main", "article"})


def related_headings(page: Page, limits: RelatedHeadings) -> list[Correction]:
    """Give the cue of related content to lists of links that begin with such headings."""
    title = page.first_with(reading.HEADING)
    if title < 0:
        return []
    headings = page.sequence.telling_headings(page.columns, reading.SUBHEADING, limits.heading, _WORDS)
    end, is_text, text_of = page.end, page.is_text, page.sequence.text_of
    speaking = (
        heading
        for heading in headings
        if heading > title
        and (stop := end[heading]) - heading <= limits.nodes
        # "Read also: how a mill works" is itself the link, and the text continues after it
        and not page.in_link[heading]
        and not page.any_in(page.links, heading, stop)
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
    links = page.between(page.links, start, stop)
    return (
        len(links) >= limits.links
        and page.characters_in(start, stop, in_link) >= limits.linked * text
        and page.text_before[start] - page.characters_in(0, start, in_link) >= limits.before * text
        # other sections have headings without links
        and all(
            in_link[heading] or page.any_in(page.links, heading, page.end[heading])
            for heading in page.between(headings, start, stop)
        )
        and not any(
            _PEOPLE.match(address) or DOCUMENT.search(address)
            for address in filter(None, page.sequence.values_of(links, "href"))
        )
    )


def _text(page: Page, start: int, stop: int) -> float:
    return page.text_before[stop] - page.text_before[start]


MARKED_PARTS: Final = MarkedParts()


@dataclass(frozen=True, slots=True)
class OutsideMain(Thresholds):
    # parts outside a `main` element are removed if they have less than this share, and at most this share of protected
    # weight
    share: float = scaled(0.5)
    protected: float = scaled(0.3)
    # if at most this share is between the first heading and `main`, or no link, it is kept with the heading
    title: float = 0.15


_ASIDES: Final = frozenset({"aside"})

_MARKED: Final = SOFT | reading.DIALOG | reading.CONSENT

_OF_CONTENT: Final = reading.FORM | reading.BUTTON | reading.HEADER

#: Cues of parts in which prose is not a reason to stay.
_PROSE_EXPECTED: Final = (
    reading.FOOTER
    | reading.LANDMARK
    | reading.SIDEBAR
    | reading.ASIDE
    | reading.RELATED
    | reading.CONSENT
    | reading.MENU
)

#: Cues of parts that may occur any number of times outside records.
_REPEATED: Final = reading.MENU | reading.BUTTON | reading.DIALOG

_marked_parts: Final = compiled(boilerplate.marked_parts)

#: The thresholds that the loop gets.
_BITS: Final = (
    _MARKED,
    _OF_CONTENT,
    reading.HEADER,
    reading.FOOTER,
    reading.BUTTON,
    _PROSE_EXPECTED,
    _REPEATED,
    reading.MAIN,
    reading.MENU,
    reading.DIALOG,
    reading.WEAK,
)


def heading_zone(page: Page, share: float) -> tuple[int, int]:
    """Return the smallest part around the first heading that holds this share of the page; (0, 0) if there is none.

    There is none either if the part holds the list of the heading: then it is not a product above its reviews.
    """
    if page.first_heading < 0:
        return 0, 0
    zone = page.parent[page.first_heading]
    while zone > 0 and page.share(zone, page.end[zone]) < share:
        zone = page.parent[zone]
    records = page.dominating(DOMINANCE)
    if records is not None and zone <= records.start < page.end[zone]:
        return 0, 0
    return zone, page.end[zone]


def marked_parts(page: Page, limits: MarkedParts) -> list[Marked]:
    """Return the outermost parts that may be removed, in document order; found once until a rule writes."""
    if page.marked is not None or not page.weight_before[-1]:
        return page.marked or []
    rich, poor = limits.share, limits.links_share
    if page.dominating(limits.anchor) is not None:
        rich, poor = limits.anchored, limits.anchored_links
    zone = heading_zone(page, limits.zone)
    enough_prose = page.prose_before[-1] > ENOUGH_PROSE
    page.marked = _marked_parts(
        page.columns, _BITS, limits, rich, poor, page.first_heading, *zone, enough_prose
    )
    return page.marked


def marked(page: Page, limits: MarkedParts) -> list[Removal]:
    """Remove the parts with cues that may be removed."""
    total = page.weight_before[-1]
    return [
        (start, end, "marked", f"{marked_as(cues)}; {weight / total:.0%} of the page")
        for start, end, cues, weight in marked_parts(page, limits)
    ]


def outside_main(page: Page, limits: OutsideMain) -> list[Removal]:
    """Remove the surroundings of the ``main`` element.

    Claim, byline and date between the first heading and it stay with the heading. Parts streamed into it stay too, any
    other ``main`` element, and an ``aside`` of prose behind it, which has no cue any more.
    """
    main = page.first_with(reading.MAIN)
    if main < 0:
        return []
    end, protection_before = page.end[main], page.protection_before
    if page.share(main, end) <= 1.0 - limits.share or (
        protection_before[-1]
        and protection_before[end] - protection_before[main]
        <= (1.0 - limits.protected) * protection_before[-1]
    ):
        return []
    reason = "outside the main element, which holds most of the page"
    found: list[Removal] = []
    start, heading = 1, page.first_heading
    if 0 <= heading < main and (
        page.share(heading, main) <= limits.title or not page.any_in(page.links, heading, main)
    ):
        found.append((1, heading, "main", reason))
        start = main
    others = [other for other in page.all_with(reading.MAIN) if other >= end]
    others += [aside for aside in page.sequence.find(_ASIDES) if aside >= end and not page.cues[aside] & SOFT]
    streamed = page.all_with(reading.STREAMED)
    if streamed:
        others += _streamed_into(page, streamed, main, end)
    for stays in sorted({main, *others}):
        if stays >= start:
            found.append((start, stays, "main", reason))
            start = page.end[stays]
    found.append((start, page.size, "main", reason))
    return found


def _streamed_into(page: Page, parts: list[int], start: int, end: int) -> list[int]:
    """Return the streamed parts whose placeholders are in nodes [start, end), or in parts that are streamed there.

    React sends parts that are slow to render in hidden elements named ``S:n``, behind the page, and a script moves them
    to the ``template`` elements ``B:n`` and ``P:n`` (React, ``react-dom/server``, ``renderToPipeableStream``). 33 of
    the 1,497 WCXB pages have such parts.
    """
    holders = _holders(page, parts)
    known: dict[int, bool] = {}
    for part in parts:
        chain, at, belongs = [], part, False
        while at >= 0:
            if at in known:
                belongs = known[at]
                break
            known[at] = False  # placeholders in a cycle belong nowhere
            chain.append(at)
            holder = holders.get(at, -1)
            if holder < 0:
                break
            if start <= holder < end:
                belongs = True
                break
            place = bisect_right(parts, holder) - 1
            at = parts[place] if place >= 0 and holder < page.end[parts[place]] else -1
        known.update(dict.fromkeys(chain, belongs))
    return [part for part in parts if known[part]]


def _holders(page: Page, parts: list[int]) -> dict[int, int]:
    """Return the element around the placeholder of each part that has one."""
    sequence = page.sequence
    nodes = sequence.nodes
    numbers = {nodes[index].get("id", "").partition(":")[2]: index for index in parts}
    found = {}
    for template in nodes[0].iter("template"):
        kind, _, number = (template.get("id") or "").partition(":")
        if kind in ("B", "P") and number in numbers:
            found[numbers[number]] = template.getparent()
    places = {nodes[index]: index for index in sequence.locate(found.values())}
    return {part: places[holder] for part, holder in found.items() if holder in places}
