"""Parts whose names speak of promotions and that hold a good deal of the page under several headings.

Page builders call cards promotions, and the part around all the cards of a page as well. A promotion speaks of one
thing.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import PROMOTION, SUBHEADING, WEAK
from scrapy_tps.engine.strategies.auto.decisions import Correction

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import PromotionLists

_PROMOTION: Final = PROMOTION | PROMOTION << WEAK


def promotion_lists(page: Page, limits: PromotionLists) -> list[Correction]:
    """Take the hint from parts named after promotions that are lists."""
    parts = [
        index for index in page.all_with(_PROMOTION) if page.share(index, page.end[index]) > limits.share
    ]
    if not parts:
        return []
    headings = page.all_with(SUBHEADING)
    return [
        Correction(index, _PROMOTION)
        for index in parts
        if bisect_left(headings, page.end[index]) - bisect_left(headings, index) >= limits.headings
    ]
