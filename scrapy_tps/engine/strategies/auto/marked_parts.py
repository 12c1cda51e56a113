"""The parts that softer hints mark and that the sequence lets go.

The rule that removes them asks for them, and so do those that look what would go with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.hints.reading import (
    ASIDE,
    BUTTON,
    CONSENT,
    DIALOG,
    FOOTER,
    FORM,
    HEADER,
    LANDMARK,
    MAIN,
    MENU,
    RELATED,
    SIDEBAR,
    WEAK,
)
from scrapy_tps.engine.loops import boilerplate
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.marks import SOFT
from scrapy_tps.engine.strategies.auto.thresholds import DOMINANCE, ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import MarkedParts

_MARKED: Final = SOFT | DIALOG | CONSENT
_OF_CONTENT: Final = FORM | BUTTON | HEADER
#: Marked parts in which prose is no reason to stay.
_PROSE_EXPECTED: Final = FOOTER | LANDMARK | SIDEBAR | ASIDE | RELATED | CONSENT | MENU
#: What may occur as often as it likes outside of records.
_REPEATED: Final = MENU | BUTTON | DIALOG
_marked_parts: Final = over_columns(boilerplate.marked_parts)
#: What it gets of the above.
_BITS: Final = (_MARKED, _OF_CONTENT, HEADER, FOOTER, BUTTON, _PROSE_EXPECTED, _REPEATED, MAIN, MENU, WEAK)


class Marked(NamedTuple):
    """A part that may go: nodes [start, end), hints, worth."""

    start: int
    end: int
    hints: int
    worth: float


def heading_zone(page: Page, share: float) -> tuple[int, int]:
    """The smallest part around the first heading that holds this share of the page; (0, 0) where there is none.

    None either where it holds the list that the heading leads to: that is no thing above its reviews.
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
    """The outermost parts that may go, in document order."""
    if not page.worth_before[-1]:
        return []
    anchored = page.dominating(limits.anchor) is not None
    rich = limits.anchored if anchored else limits.share
    poor = limits.anchored_links if anchored else limits.links_share
    zone = heading_zone(page, limits.zone)
    caps = (
        rich,
        poor,
        limits.edge,
        limits.prose,
        limits.button_prose * limits.prose,
        limits.text_worth,
        limits.edge_width,
        limits.footer_starts,
        limits.protected,
        limits.frequency,
        limits.repeats,
        limits.headers,
        limits.titled,
    )
    enough_prose = page.prose_before[-1] > ENOUGH_PROSE
    found = _marked_parts(page.measured, _BITS, caps, page.first_heading, *zone, enough_prose)
    return list(map(Marked._make, found))
