"""Parts whose names speak of promotions and that hold a good deal of the page under several headings.

Page builders call cards promotions, and the part around all the cards of a page as well. A promotion speaks of one
thing.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, cast

from scrapy_tps.hints import PROMOTION, SUBHEADING, WEAK

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from scrapy_tps.strategies.workspace import Workspace

_PROMOTION: Final = PROMOTION | PROMOTION << WEAK
#: Parts of more than this share of the page …
SHARE: Final = 0.1
#: … with so many headings are a list.
HEADINGS: Final = 3


def unmark_lists(page: Workspace) -> None:
    """Take the hint from parts named after promotions that are lists. Expects current sums."""
    hints = cast("MutableSequence[int]", page.hints)
    parts = [index for index in page.all_with(_PROMOTION) if page.share(index, page.end[index]) > SHARE]
    if not parts:
        return
    headings = page.all_with(SUBHEADING)
    for index in parts:
        if bisect_left(headings, page.end[index]) - bisect_left(headings, index) >= HEADINGS:
            hints[index] &= ~_PROMOTION
