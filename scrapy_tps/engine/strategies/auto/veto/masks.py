"""Masks that come back: what was taken out so that shares could be told, and what should not go after all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.decisions import Unmask
from scrapy_tps.engine.strategies.auto.option_lists import holds_values

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import MaskedContent


def masks_with_content(page: Page, limits: MaskedContent) -> Unmask | tuple[()]:
    """Put back what stands between records that are protected, lists of values, and hidden parts with much prose.

    The latter only where no records dominate the page: they are its content, then.
    """
    removed, protected = page.removed, page.protected
    about_text = page.dominating(limits.dominance) is None
    numbers = [
        number
        for number, doubtful in page.masks
        if (doubtful and about_text)
        or protected[start := removed[number][0]]
        or (page.sequence.tag_of(start) == "select" and holds_values(page, start, limits.few, limits.share))
    ]
    return Unmask(numbers) if numbers else ()
