"""Facts that markup labels: author, date, number, price, rating and so on.

The first fact of each kind stays, regardless of the part around it, unless another one stays anyway. Elements named by
an ``itemref`` also stay. Labels are ``rel``, ``itemprop``, ``property`` (RDFa) and ``datetime``, and class names of
authors and dates (hAtom's ``published`` and ``updated``). A byline is next to the heading in a header, a footer or a
bar of social media, or away from the paragraphs that look like records. Scrapers of articles read it, in addition to
title, text and topics: these are the links with ``rel=tag`` that are in a row with the first one. Addresses label
documents, in links and frames: minutes and judgments are in columns and bars. A chosen option that repeats the heading
labels the page, and so does one that the page's address names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.strategies.auto.queries import (
    DOCUMENT,
    DOCUMENT_KINDS,
    SURE,
    in_boilerplate,
    joined,
    within,
)
from scrapy_tps.engine.strategies.auto.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal, Retained
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class Labelled(Thresholds):
    # `rel="author"` (HTML Standard, section 4.6.7.2) is searched for in so many nodes below the heading; larger bylines
    # have no name of their own
    nodes: int = 300
    # a label has at most so many characters, including the date of a byline (more is a portrait of the author), and
    # nodes
    line: int = 100
    line_nodes: int = 60
    by: int = 12  # characters before the name in a larger byline
    read: int = 200  # so many of each kind are examined
    # the chosen option of a list repeats at least so many characters, and this share of a heading
    stated: int = 4
    stated_share: float = 1 / 3


_WRITTEN, _TOPIC, _TIME = "rel", "tag", "datetime"

#: The values of ``rel`` that label (HTML Standard, section 4.6.7), with the kinds of facts.
_RELATIONS: Final = (("author", _WRITTEN), ("tag", _TOPIC))

#: The properties of schema.org that are facts. Names, addresses and pictures are also labelled in menus.
_FACTS: Final = frozenset(
    {
        *("author", "creator", "datePublished", "dateModified", "dateCreated"),
        *("sku", "mpn", "productID", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "brand", "price"),
        *("ratingValue", "ratingCount", "reviewCount"),
        *("recipeCategory", "recipeCuisine", "recipeYield", "prepTime", "cookTime", "totalTime"),
    }
)

#: Substrings of addresses of documents (:data:`DOCUMENT`) and of authors' pages.
_KINDS: Final = tuple(f".{kind}".encode() for kind in DOCUMENT_KINDS)

_AUTHORS: Final = (b"/author",)

#: The address of an author's page, but not that of the list of authors.
_AUTHOR_PAGE: Final = re.compile(r"/authors?/[^/?#]")

_FRAMES: Final = frozenset({"iframe", "object"})

_SELECTS: Final = frozenset({"select"})

_OPTIONS: Final = frozenset({"option"})

#: Facts in these are about other things, or not facts. Hidden facts count: they are for machines, such as spiders.
_ELSEWHERE: Final = SURE & ~reading.HIDDEN | reading.COMMENTS | reading.RELATED | reading.MENU


def labelled(page: Page, limits: Labelled) -> list[Retained]:
    """Retain the first byline, date, number and so on that would be removed, if no other one of its kind stays."""
    left, removed = page.sequence.labelling(page.columns)
    going, dates = _labels(page, removed) if removed else {}, page.all_with(reading.DATE)
    for place in dates:
        if not page.alive[place]:
            going.setdefault(_named_date(page, place), []).append(place)
    found = _byline(page, going.pop(_WRITTEN, []), limits)
    found += _referred(page, left) if left else []
    topics = going.pop(_TOPIC, [])
    staying = _staying(page, left, dates) if going or topics else frozenset()
    found += _topics(page, topics) if topics and _TOPIC not in staying else []
    for kind, places in going.items():
        # the first for people, and the first for machines, which has another form
        looked_at = sorted(places)[: limits.read]
        is_in = page.columns.is_removed_with
        hidden = {place for place in looked_at if is_in(place, reading.HIDDEN, reading.WEAK)}
        found += _first(page, sorted(hidden), limits)
        if kind not in staying:
            found += _first(page, sorted(hidden.symmetric_difference(looked_at)), limits)
    selects = page.sequence.find(_SELECTS)
    return [*found, *_documents(page), *(_stated(page, selects, limits) if selects else ())]


def _staying(page: Page, left: list[int], dates: list[int]) -> frozenset[str]:
    """Return the kinds of facts that stay."""
    return frozenset(_labels(page, left)).union(
        _named_date(page, place) for place in dates if page.alive[place]
    )


def _documents(page: Page) -> list[Retained]:
    """Return links to documents and frames of documents in parts removed by softer cues, and removed frames."""
    soft = [part for part in page.removed if part[2] == "marked"]
    found = _links_to(page, soft, DOCUMENT, _KINDS) if soft else []
    frames = page.sequence.find(_FRAMES)
    if frames:
        found += _frames_of_documents(page, frames, soft)
    return [(place, "") for place in found]


def _frames_of_documents(page: Page, frames: MutableSequence[int], soft: list[Removal]) -> list[int]:
    value_of, alive = page.sequence.value_of, page.alive
    starts = {part[0] for part in page.removed}
    softly = {frame for start, end, *_ in soft for frame in page.between(frames, start, end)}
    found: list[int] = []
    for frame in frames:
        if not alive[frame] and (
            (frame in starts and not page.cues[frame] & reading.HIDDEN) or frame in softly
        ):
            shown = value_of(frame, "src") or value_of(frame, "data") or ""
            found += [frame] if DOCUMENT.search(shown) else []
    return found


def _stated(page: Page, selects: MutableSequence[int], limits: Labelled) -> list[Retained]:
    """Return the chosen options that repeat the first heading or the title, or that the page's address repeats: they
    name the page in a jump menu or a filter."""
    sequence = page.sequence
    gone = [select for select in selects if not page.alive[select]][: limits.read]
    options = [option for select in gone for option in within(page, _OPTIONS, select, page.end[select])]
    chosen = [
        option
        for option, selected in zip(options, sequence.values_of(options, "selected"), strict=True)
        if selected is not None
    ]
    if not chosen:
        return []
    asked = _asked(page, gone)
    titles = ["".join(sequence.title().split()).casefold()]
    if page.first_heading >= 0:
        titles.append(joined(page, page.first_heading).casefold())
    said = {option: joined(page, option).casefold() for option in chosen[: limits.read]}
    return [
        (option, "")
        for option, text in said.items()
        if option in asked
        or (
            len(text) >= limits.stated
            and any(text in title and len(text) >= limits.stated_share * len(title) for title in titles)
        )
    ]


def _asked(page: Page, selects: list[int]) -> set[int]:
    """Return the options whose value the query of the page's address has for the name of their list."""
    sequence = page.sequence
    address = sequence.nodes[0].getroottree().docinfo.URL or ""
    wanted = dict(parse_qsl(address.partition("#")[0].partition("?")[2]))  # urlsplit() fails on wrong hosts
    if not wanted:
        return set()
    return {
        option
        for select, name in zip(selects, sequence.values_of(selects, "name"), strict=True)
        if name in wanted
        for option in within(page, _OPTIONS, select, page.end[select])
        if sequence.value_of(option, "value") == wanted[name]
    }


def _links_to(
    page: Page, parts: list[Removal], address: re.Pattern[str], pieces: tuple[bytes, ...]
) -> list[int]:
    """Return the links to such addresses in parts; the native core looks for a piece of each of these first."""
    links = page.sequence.links_with(page.columns, page.links, parts, pieces)
    return [link for link in links if address.search(page.sequence.value_of(link, "href") or "")]


def _referred(page: Page, left: list[int]) -> list[Retained]:
    """Return elements that items which stay name as further properties, by ``id``."""
    sequence = page.sequence
    names = set(" ".join(filter(None, sequence.values_of(left, "itemref"))).split())
    if not names:
        return []
    with_id = sequence.nodes[0].xpath("descendant::*[@id]")
    places = sequence.locate(element for element in with_id if element.get("id") in names)
    return [(place, "") for place in places if not page.alive[place]]


def _named_date(page: Page, place: int) -> str:
    """Return the first class of an element that names a date."""
    return next(name for name in (page.sequence.class_of(place) or "").split() if name in reading.DATES)


def _labels(page: Page, labelling: list[int]) -> dict[str, list[int]]:
    """Return the places of each kind of fact that attributes label."""
    found: dict[str, list[int]] = {}
    values_of, tag_of = page.sequence.values_of, page.sequence.tag_of
    columns = [values_of(labelling, name) for name in ("itemprop", "property", "rel", _TIME)]
    for place, one, other, rel, time in zip(labelling, *columns, strict=True):
        kinds = _FACTS.intersection(f"{one or ''} {other or ''}".split()) if one or other else frozenset()
        if rel and tag_of(place) == "a":
            kinds |= {kind for name, kind in _RELATIONS if name in rel.lower().split()}
        if time:
            kinds |= {_TIME}
        for kind in kinds:
            found.setdefault(kind, []).append(place)
    return found


def _byline(page: Page, links: list[int], limits: Labelled) -> list[Retained]:
    """Return the first byline by class or, near the heading, by link, if at least a part of it would be removed."""
    near = max(page.first_heading, 0)
    places = page.all_with(reading.WRITER)
    if links:
        places = sorted({*places, *(link for link in links if near <= link < near + limits.nodes)})
    for place in (places or _in_footers(page, links))[: limits.read]:
        if page.alive[place]:
            if _is_line(page, place, limits):
                return [(place, "")] if 0 in page.alive[place : page.end[place]] else []
            if (name := _name_of(page, place, limits)) >= 0:
                return [(name, "")]
        elif _is_line(page, place, limits) and not in_boilerplate(page, place):
            return [(_around(page, place, limits), "")]
    return []


def _topics(page: Page, links: list[int]) -> list[Retained]:
    """Return the links to topics that the first one outside menus and teasers is in a row with."""
    elsewhere = _ELSEWHERE & ~reading.NAVIGATION
    for first in links:
        if not page.columns.is_removed_with(first, elsewhere, reading.WEAK):
            end = next(end for start, end, *_ in page.removed if start <= first < end)
            return [(one, "") for one in links if first <= one < end and page.tags[one] == page.tags[first]]
    return []


def _in_footers(page: Page, links: list[int]) -> list[int]:
    """The links in footers that lead to an author, by their ``rel`` or their address."""
    footers = page.columns.removed_with(page.removed, reading.FOOTER)
    authors = set(_links_to(page, footers, _AUTHOR_PAGE, _AUTHORS) if footers else ())
    for link in links:
        if page.columns.is_removed_with(link, reading.FOOTER, reading.WEAK):
            authors.add(link)
    return sorted(authors)


def _name_of(page: Page, place: int, limits: Labelled) -> int:
    """Return the removed part at the start of a larger byline: a name with a tooltip; -1 if there is none."""
    if page.end[place] - place > limits.nodes:
        return -1
    said = 0
    for node in range(place, page.end[place]):
        if page.alive[node]:
            said += page.text_length[node]
            if said > limits.by:
                break
        elif _is_line(page, node, limits):
            return node
    return -1


def _first(page: Page, places: list[int], limits: Labelled) -> list[Retained]:
    for place in places[: limits.read]:
        if _is_line(page, place, limits) and not page.columns.is_removed_with(
            place, _ELSEWHERE, reading.WEAK
        ):
            return [(place, "")]
    return []


def _around(page: Page, place: int, limits: Labelled) -> int:
    """Return the largest removed part that is still one line around a byline: the date is next to the name."""
    start = next(start for start, end, _, _ in page.removed if start <= place < end)
    while (
        (above := page.parent[place]) >= start
        and not above < page.first_heading < page.end[above]
        and _is_line(page, above, limits)
    ):
        place = above
    return place


def _is_line(page: Page, part: int, limits: Labelled) -> bool:
    end = page.end[part]
    return end - part <= limits.line_nodes and 0 < page.length_of(part, end) <= limits.line
