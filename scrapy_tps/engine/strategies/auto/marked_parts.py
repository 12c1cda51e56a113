"""The parts that softer hints mark and that the sequence lets go.

The rule that removes them asks for them, and so do those that look what would go with them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.marks import SOFT
from scrapy_tps.engine.strategies.auto.queries import any_in
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
_CORE: Final = extension("furniture")
#: What `_CORE` gets of the above.
_BITS: Final = (_MARKED, _OF_CONTENT, FOOTER, BUTTON, _PROSE_EXPECTED, _REPEATED, MAIN, MENU, WEAK)


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
    if page.columns is None:
        return _marked_parts(page, limits, rich, poor, zone)
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
        limits.titled,
    )
    enough_prose = page.prose_before[-1] > ENOUGH_PROSE
    found = _CORE.marked_parts(page.columns, _BITS, caps, page.first_heading, zone, enough_prose)
    return list(map(Marked._make, found))


def _marked_parts(
    page: Page, limits: MarkedParts, rich: float, poor: float, zone: tuple[int, int]
) -> list[Marked]:
    end, tags, protected = page.end, page.tags, page.protected
    worth_before, text_before, prose_before = page.worth_before, page.text_before, page.prose_before
    protection_before = page.protection_before
    total, all_text, all_prose = worth_before[-1], text_before[-1], prose_before[-1]
    all_protected = protection_before[-1] or 1.0
    found: list[Marked] = []
    alive, hints = page.alive, page.hints
    marks = {
        index: mark
        for index in page.hinted
        if alive[index] and (mark := (hints[index] | hints[index] >> WEAK) & _MARKED)
    }
    frequency = Counter([(tags[index], mark) for index, mark in marks.items()])
    beside: defaultdict[tuple[int, int], float] = defaultdict(float)
    for index, mark in marks.items():
        if mark & MENU:
            above = page.parent[index]
            beside[tags[index], mark] += (
                text_before[end[above]] - text_before[above] - text_before[end[index]] + text_before[index]
            )
    mains = page.all_with(MAIN)
    after = 0
    for index, hint in marks.items():
        if index < after or protected[index]:
            continue
        times = frequency[tags[index], hint]
        if hint & MENU and times > limits.frequency and beside[tags[index], hint] >= limits.titled * times:
            continue
        stop = end[index]
        if zone[0] < index < zone[1] and not hint & ~_OF_CONTENT:
            continue
        worth = worth_before[stop] - worth_before[index]
        text = text_before[stop] - text_before[index]
        prose = prose_before[stop] - prose_before[index]
        most = rich if text and worth > limits.text_worth * text else poor
        if (
            hint & FOOTER
            and all_text - text_before[stop] <= limits.edge_width * all_text
            and text_before[index] > limits.footer_starts * all_text
        ):
            most = max(most, limits.edge)
        most_prose = 1.0
        if hint & BUTTON:
            most_prose = limits.button_prose * limits.prose
        elif not hint & _PROSE_EXPECTED and all_prose > ENOUGH_PROSE:
            most_prose = limits.prose
        if (
            worth <= most * total
            and prose <= most_prose * all_prose
            and times <= (limits.repeats if hint & _REPEATED else limits.frequency)
            and not index <= page.first_heading < stop
            and protection_before[stop] - protection_before[index] < limits.protected * all_protected
            and not any_in(mains, index, stop)
        ):
            after = stop
            found.append(Marked(index, stop, hint, worth))
    return found
