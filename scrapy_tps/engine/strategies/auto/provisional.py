"""Provisional removals, which a veto can put back.

Certain boilerplate (parts with cues from tag, role and hidden state, header and footer at the page's edges, dialogs
that scripts put at the end) is removed before anything is compared, because a giant menu would distort all shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import boilerplate
from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.control_lists import holds_values
from scrapy_tps.engine.strategies.auto.decisions import Removals
from scrapy_tps.engine.strategies.auto.queries import SOFT, SURE, marked_as
from scrapy_tps.engine.strategies.auto.thresholds import (
    DOMINANCE,
    ENOUGH_PROSE,
    FEW_OPTIONS,
    CertainBoilerplate,
    Thresholds,
    needed,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class PutBackContent(Thresholds):
    dominance: float = needed(DOMINANCE)
    few: int = needed(FEW_OPTIONS)
    share: float = 0.1  # the largest share of the page's text in a list of values


_TOP: Final = reading.HEADER | reading.MENU | reading.PROMOTION

_BOTTOM: Final = reading.FOOTER | reading.SOCIAL | reading.PROMOTION

#: Parts with only these cues are small at the edges.
_NOTICE: Final = reading.PROMOTION | reading.SOCIAL

_Boilerplate: Final = compiled(boilerplate.Boilerplate)

#: The thresholds that the loop gets.
_BITS: Final = (
    SURE,
    SOFT,
    _TOP,
    _BOTTOM,
    reading.LANDMARK,
    reading.CONSENT,
    reading.MAIN,
    reading.HEADING,
    reading.DIALOG,
    reading.HIDDEN,
    reading.FOOTER,
    _NOTICE,
)


def certain_boilerplate(page: Page, limits: CertainBoilerplate) -> Removals | tuple[()]:
    """Provisionally remove certain boilerplate, first from the top, then from the bottom; hidden parts with much prose
    are doubtful."""
    least = max(limits.least_weight, limits.rest * page.weight_before[-1])
    removals, doubtful = _Boilerplate(page.columns, _BITS, limits, least, ENOUGH_PROSE, marked_as).run()
    return Removals(removals, doubtful) if removals else ()


_SELECT: Final = frozenset({"select"})


def put_back_content(page: Page, limits: PutBackContent) -> list[int]:
    """Put back parts between protected records, lists of values, and hidden parts with much prose.

    The latter come back only if no records dominate the page, because they are then its content.
    """
    removed = page.removed  # so far, all removals are provisional
    back = set(page.doubtful) if page.doubtful and page.dominating(limits.dominance) is None else set()
    selects = page.sequence.find(_SELECT)
    gone = {part[0] for part in removed}.intersection(selects) if selects else selects
    size = page.length_of(0, page.size) if gone else 0
    for select in gone:
        if holds_values(page, select, limits.few, limits.share, size):
            back.add(select)
    return [number for number, part in enumerate(removed) if page.protected[part[0]] or part[0] in back]


_has_text_beside: Final = compiled(loops.has_text_beside)


def nothing_left(page: Page, _: Thresholds) -> str:
    """Put everything back if no text would stay outside the parts that always stay, and the page has some."""
    if not page.removed or _has_text_beside(page.columns, page.retained):
        return ""
    return "only headings and links to other pages would have been left"
