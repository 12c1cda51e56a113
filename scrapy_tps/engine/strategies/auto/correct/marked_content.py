"""Main content in parts that would go by their marks: the price, and results to choose from.

Shops put the price of a product, its options and its stock into the form that orders it, or into a column called
sidebar. What is marked so is boilerplate on most pages, but the first price below the heading is what many spiders
are written for. Library catalogues and comparisons put their results into a form, to choose from them, or from which
page of them to go on.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import (
    ASIDE,
    BUTTON,
    FILTER,
    FORM,
    HEADER,
    PROMOTION,
    RELATED,
    SIDEBAR,
    SOCIAL,
    WEAK,
)
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marked_parts import heading_zone, marked_parts
from scrapy_tps.engine.strategies.auto.queries import holds_records, names_price, texts_with_digits
from scrapy_tps.engine.strategies.auto.thresholds import DOMINANCE, FIELDS

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.marked_parts import Marked
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import MarkedContent

#: Marks of parts that may hold what is for sale on a page …
_OFFERING: Final = FORM | SIDEBAR | ASIDE | BUTTON | PROMOTION | SOCIAL | HEADER
#: … unless they are marked as these besides: other products, and prices to choose from.
_OTHER: Final = RELATED | FILTER
_OFF: Final = _OFFERING | _OFFERING << WEAK
_FORM: Final = FORM | FORM << WEAK


def marked_content(page: Page, limits: MarkedContent) -> list[Correction]:
    """Take the hints that make them go from forms with records, and from what is around the first price."""
    marked = page.ask(marked_parts, limits.parts)
    return [*_record_forms(page, marked, limits.records), *_around_price(page, marked, limits.parts.zone)]


def _record_forms(page: Page, marked: list[Marked], least: int) -> list[Correction]:
    """Forms that hold a list of records with links, or a table with headings of columns."""
    return [
        Correction(part.start, _FORM)
        for part in marked
        if part.hints == FORM
        and (holds_records(page, part.start, least, linked=True) or _has_columns(page, part))
    ]


def _has_columns(page: Page, part: Marked) -> bool:
    """Whether a row of a part has three headings: they name columns, while those of a form label one field each."""
    headings = page.sequence.find({"th"})
    rows = Counter(page.parent[place] for place in headings if part.start < place < part.end)
    return bool(rows) and max(rows.values()) >= FIELDS


def _around_price(page: Page, marked: list[Marked], zone: float) -> list[Correction]:
    """The parts around the first price, below the first heading."""
    price = _first_price(page, marked, zone)
    if price < 0:
        return []
    found: list[Correction] = []
    part = page.parent[price]
    while part > page.first_heading and part > 0:
        if page.hints[part] & _OFF:
            found.append(Correction(part, _OFF))
        part = page.parent[part]
    return found


def _first_price(page: Page, marked: list[Marked], zone_share: float) -> int:
    """The first price below the first heading, where it would go with one of the marked parts, or -1."""
    heading = page.first_heading
    offering = [
        part for part in marked if part.start > heading and part.hints & _OFFERING and not part.hints & _OTHER
    ]
    if offering and page.dominating(DOMINANCE) is not None:
        # of pages of many items only what is around the heading of one thing is searched
        start, end = heading_zone(page, zone_share)
        offering = [part for part in offering if start < part.start < end]
    for part in offering:
        for text in texts_with_digits(page, part.start, part.end, page.alive):
            if names_price(page, text):
                left = bytearray(page.alive)
                for gone in marked:
                    left[gone.start : gone.end] = bytes(gone.end - gone.start)
                before = texts_with_digits(page, max(heading, 0), part.start, left)
                return -1 if any(names_price(page, other) for other in before) else text
    return -1
