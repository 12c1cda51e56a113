"""Sure boilerplate: what tag, role and hidden state mark, and header and footer at the page's edges.

It is taken out before anything is compared: a giant menu would distort every share.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import (
    CONSENT,
    DIALOG,
    FOOTER,
    HEADER,
    HEADING,
    HIDDEN,
    LANDMARK,
    MAIN,
    MENU,
    PROMOTION,
    SOCIAL,
)
from scrapy_tps.engine.loops import boilerplate
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Masks
from scrapy_tps.engine.strategies.auto.marks import SOFT, SURE, marked_as
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import SureBoilerplate

_TOP: Final = HEADER | MENU | PROMOTION
_BOTTOM: Final = FOOTER | SOCIAL | PROMOTION
#: At the edges, what is nothing but this is small.
_NOTICE: Final = PROMOTION | SOCIAL
_Boilerplate: Final = over_columns(boilerplate.Boilerplate)
#: What it gets of the above.
_BITS: Final = (
    SURE,
    SOFT,
    _TOP,
    _BOTTOM,
    LANDMARK,
    CONSENT,
    MAIN,
    HEADING,
    DIALOG,
    HIDDEN,
    FOOTER,
    _NOTICE,
)


def sure_boilerplate(page: Page, limits: SureBoilerplate) -> Masks | tuple[()]:
    """Mask sure boilerplate, first from the top, then from the bottom; doubtful are hidden parts with much prose."""
    end, found = page.end, _found(page, limits)
    if not found:
        return ()
    removals = [(index, end[index], *_rule_and_reason(hint, at_edge)) for index, hint, at_edge, _ in found]
    return Masks(removals, [part[3] for part in found])


@lru_cache(maxsize=1000)
def _rule_and_reason(hint: int, at_edge: bool) -> tuple[str, str]:
    reason = marked_as(hint)
    return ("edge", f"{reason} at the page's edge") if at_edge else ("boilerplate", reason)


def _found(page: Page, limits: SureBoilerplate) -> list[tuple[int, int, bool, bool]]:
    """Return (index, hints, whether at the page's edge, whether doubtful) of each part."""
    least = max(limits.least_worth, limits.rest * page.worth_before[-1])
    return _Boilerplate(page.measured, _BITS, limits, least, ENOUGH_PROSE).run()
