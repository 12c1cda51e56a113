"""Main content in parts that are named like boilerplate: markup cues that mislead.

The meaning of a name depends on the place and the structure of the part. Sidebars, menus and filters consist of links;
headers and footers in an article belong to the article (HTML Standard, sections 4.3.8 and 4.3.9); a picture without a
link is not an advertisement; a button with a whole line of text is a title; and an overlay with the text of the page's
title is a banner, not a dialog. Promotions and site headers have links: a banner of text alone reports a result ("Novak
holds the seat"). Page builders call cards promotions, and also the part around all cards of a page; a promotion is
about one thing.

Shops put the price of a product, its options and its stock into the order form, or into a column called sidebar: many
spiders read the first price below the heading. Library catalogues and comparisons put their results into a form, to
select results or the next page.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import boilerplate, parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.marked_parts import MARKED_PARTS, heading_zone, marked_parts
from scrapy_tps.engine.strategies.auto.misnamed import misnamed
from scrapy_tps.engine.strategies.auto.queries import (
    characters_of,
    holds_records,
    joined,
    priced,
    within,
)
from scrapy_tps.engine.strategies.auto.thresholds import (
    DOMINANCE,
    FIELDS,
    MarkedParts,
    Misnamed,
    OwnParts,
    Thresholds,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Correction, Marked
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class PromotionLists(Thresholds):
    share: float = 0.1  # parts of more than this share of the page …
    headings: int = 3  # … with so many headings are lists


@dataclass(frozen=True, slots=True)
class MarkedContent(Thresholds):
    parts: MarkedParts = MARKED_PARTS
    # a form around so many records is for selecting records or the next page
    records: int = 3
    linked: float = 0.5  # … around a text with at most this share in links, without controls, for a script


#: Parts that consist of links.
_OF_LINKS: Final = reading.strong_or_weak(
    reading.SIDEBAR | reading.FILTER | reading.MENU | reading.ASIDE | reading.SOCIAL
)

#: Parts that may be a search, a choice of results or a sign-up.
_OF_CONTROLS: Final = reading.strong_or_weak(reading.ASIDE | reading.FILTER | reading.SOCIAL)

#: Parts that an article has of its own, even if they have the role of the site's banner.
_FRAME: Final = reading.strong_or_weak(reading.HEADER | reading.FOOTER) | reading.LANDMARK

_HEADER: Final = reading.strong_or_weak(reading.HEADER)

_SIDEBAR: Final = reading.strong_or_weak(reading.SIDEBAR)

#: Other cues of a sidebar: most themes write <aside class=sidebar>.
_ASIDE: Final = reading.strong_or_weak(reading.ASIDE)

#: Elements that show a picture or a time.
_OF_PICTURES: Final = reading.strong_or_weak(reading.ASIDE | reading.DIALOG)

#: Names of an overlay of text on a picture.
_DIALOG: Final = reading.strong_or_weak(reading.DIALOG)

_MENU: Final = reading.strong_or_weak(reading.MENU)

#: An address within the same page; ``#`` alone is for scripts.
_IN_PAGE: Final = re.compile(r"#\w")

#: A word in a class: ``nav-tabs``, ``productTabs``, but not ``table``.
_TABS: Final = re.compile(r"(?<![a-z])tabs?(?![a-z])|Tabs?(?![a-z])")

#: The fewest nodes of a part with two links with text.
_TWO_LINKS: Final = 5

#: Names of lists of topics; outside an article, a ``nav`` and what is called related are none.
_OF_TOPICS: Final = reading.NAVIGATION | reading.strong_or_weak(
    reading.MENU | reading.RELATED | reading.ASIDE | reading.FOOTER
)

_READ: Final = _OF_LINKS | _FRAME | _OF_PICTURES | _OF_TOPICS | reading.BUTTON

#: The thresholds that the loop gets.
_BITS: Final = (_ASIDE, _FRAME, _OF_PICTURES, _OF_TOPICS, reading.BUTTON, reading.MAIN)

_MISNAMED: Final = Misnamed()

_own_parts: Final = compiled(boilerplate.own_parts)

_holding: Final = compiled(boilerplate.holding)

_linked_menus: Final = compiled(parts.linked_menus)

_CONTROLS: Final = frozenset({"input", "select", "textarea"})

_FIGURES: Final = frozenset({"picture", "figure"})

_SHOWN: Final = frozenset({"img", "video", "time"}) | _FIGURES


def own_parts(page: Page, limits: OwnParts) -> list[Correction]:
    """Remove the cues of parts that are content by their structure."""
    find = page.sequence.find
    articles = find({"article"})
    if articles or page.first_with(reading.MAIN) >= 0:
        places = (find({"button"}), articles, find(_CONTROLS), find(_FIGURES), find(_SHOWN), page.links)
        sidebar = 0
    else:  # all of the page is the content
        sidebar = _SIDEBAR if page.first_with(_SIDEBAR) >= 0 else 0
        none = articles[:0]
        places = (find({"button"}), none, find(_CONTROLS) if sidebar else none, none, none, none)
    bits = (_READ, _OF_LINKS, _OF_CONTROLS, sidebar, *_BITS)
    found = _own_parts(page.columns, bits, limits, places)
    return [*found, *_banners(page), *_tab_labels(page, limits), *misnamed(page, _MISNAMED)]


def _banners(page: Page) -> list[Correction]:
    """Return parts with cues of a dialog that hold a first heading which the page's title repeats, or all first
    headings."""
    dialogs = _holding(page.columns, _DIALOG, reading.HEADING)
    if not dialogs:
        return []
    headings = page.all_with(reading.HEADING)
    title = "".join(page.sequence.title().split()).casefold()
    found: list[Correction] = []
    for index in dialogs:
        inside = page.between(headings, index, page.end[index])
        said = [joined(page, heading).casefold() for heading in inside]
        if len(inside) == len(headings) or any(one and one in title for one in said):
            found.append((index, _DIALOG, 0))
    return found


def _tab_labels(page: Page, limits: OwnParts) -> list[Correction]:
    """Return menus whose links lead to parts of the page itself, below a first heading or called tabs: they name
    these."""
    links, sequence = page.links, page.sequence
    leading = _linked_menus(page.columns, _MENU, links, _TWO_LINKS, limits, sequence.value_of)
    if not leading:
        return []
    heading, menus = page.first_with(reading.HEADING), page.all_with(_MENU)
    found: list[Correction] = []
    after = 0
    for index, first, last in leading:
        if (
            index >= after
            and (0 <= heading <= index or _TABS.search(sequence.class_of(index) or ""))
            and all(_IN_PAGE.match(href or "") for href in sequence.values_of(links[first:last], "href"))
        ):
            after = page.end[index]
            inside = page.between(menus, index, after)
            found += [(menu, _MENU, 0) for menu in inside]
    return found


_PROMOTION: Final = reading.PROMOTION | reading.PROMOTION << reading.WEAK

#: Other words for promotions are unambiguous; a banner may head the page.
_BANNER: Final = re.compile("[Bb](?i:anner)")

#: Controls; and elements other than links that show or load something else.
_ACTED_ON: Final = frozenset({"button", "form", "input", "select", "textarea"})

_ACTING: Final = _ACTED_ON | {"img", "picture", "svg", "object", "video", "iframe", "ins", "script"}


def own_banners(page: Page, limits: PromotionLists) -> list[Correction]:
    """Remove the cues of banners of text alone, of headers of text alone on a page without a first heading, and of
    large lists below headings."""
    found: list[Correction] = []
    if page.first_with(reading.HEADING) < 0:
        headers = _holding(page.columns, _HEADER, reading.SUBHEADING)
        said = [node for node in headers if page.sequence.tag_of(node) != "header" and _only_says(page, node)]
        found += [(node, _HEADER, 0) for node in said]
    promotions = page.all_with(_PROMOTION)
    headings = page.all_with(reading.SUBHEADING) if promotions else promotions
    for node in promotions:
        stop = page.end[node]
        if (
            page.share(node, stop) > limits.share
            and bisect_left(headings, stop) - bisect_left(headings, node) >= limits.headings
        ) or (_BANNER.search(page.sequence.class_of(node) or "") and _only_says(page, node)):
            found.append((node, _PROMOTION, 0))
    return found


def _only_says(page: Page, node: int) -> bool:
    stop = page.end[node]
    return (
        page.text_before[stop] > page.text_before[node]
        and not page.any_in(page.links, node + 1, stop)
        and not within(page, _ACTING, node + 1, stop)
    )


#: Cues of parts that may hold the product of a page …
_OFFERING: Final = (
    reading.FORM
    | reading.SIDEBAR
    | reading.ASIDE
    | reading.BUTTON
    | reading.PROMOTION
    | reading.SOCIAL
    | reading.HEADER
)

#: … unless they also have these cues: other products, and price filters.
_OTHER: Final = reading.RELATED | reading.FILTER

_OFF: Final = _OFFERING | _OFFERING << reading.WEAK

_FORM: Final = reading.FORM | reading.FORM << reading.WEAK

_COLUMN_HEADINGS: Final = frozenset({"th"})

_ASKING: Final = _CONTROLS | {"button"}


def marked_content(page: Page, limits: MarkedContent) -> list[Correction]:
    """Remove cues of noise from forms around content, and from the parts around the first price below the first
    heading."""
    marked = marked_parts(page, limits.parts)
    found = [
        (start, _FORM, 0)
        for start, _, cues, _ in marked
        if cues == reading.FORM and _holds_content(page, start, limits)
    ]
    price = _first_price(page, marked, limits.parts.zone)
    part = page.parent[price] if price >= 0 else -1
    while part > max(page.first_heading, 0):
        if page.cues[part] & _OFF:
            found.append((part, _OFF, 0))
        part = page.parent[part]
    return found


def _holds_content(page: Page, form: int, limits: MarkedContent) -> bool:
    """Whether a form is around content, not fields.

    It is around records with links, or a row of three headings: these name columns, while in a form each labels one
    field. Or it has a link, and a price outside links. Or it has no control that a reader sees, and few links or a
    price: old Reddit writes each comment into one.
    """
    end = page.end[form]
    if holds_records(page, form, limits.records, linked=True):
        return True
    rows = Counter(page.parent[place] for place in within(page, _COLUMN_HEADINGS, form + 1, end))
    if rows and max(rows.values()) >= FIELDS:
        return True
    prices = priced(page, form, end, page.alive)
    controls = within(page, _ASKING, form, end)
    if any(kind != "hidden" for kind in page.sequence.values_of(controls, "type")):
        # a product: prices of filters are in links
        return page.any_in(page.links, form, end) and not all(map(page.in_link.__getitem__, prices))
    if next(prices, None) is not None:
        return True
    # bars above records, with numbers of results, are left to the rule of these
    if page.best is not None and form < page.best.start:
        return False
    return page.columns.characters_linked(form, end) <= limits.linked * characters_of(page, form)


def _first_price(page: Page, marked: list[Marked], zone_share: float) -> int:
    """Return the first price below the first heading if it would be removed with a part with cues, or -1."""
    heading = page.first_heading
    offering = [
        (start, end)
        for start, end, cues, _ in marked
        if start > heading and cues & _OFFERING and not cues & _OTHER
    ]
    if offering and page.dominating(DOMINANCE) is not None:
        # on pages of many items, only the surroundings of the heading of one item are searched
        first, last = heading_zone(page, zone_share)
        offering = [part for part in offering if first < part[0] < last]
    for start, end in offering:
        for text in priced(page, start, end, page.alive):
            left = bytearray(page.alive)
            for gone, stop, *_ in marked:
                left[gone:stop] = bytes(stop - gone)
            return text if next(priced(page, max(heading, 0), start, left), None) is None else -1
    return -1
