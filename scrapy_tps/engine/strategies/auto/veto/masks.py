"""Masks that come back: what was taken out so that shares could be told, and what should not go after all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.decisions import Unmask

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Dominance


def masks_with_content(page: Page, limits: Dominance) -> Unmask | tuple[()]:
    """Put back what stands between records that are protected, and hidden parts with a good deal of the prose.

    The latter only where no records dominate the page: they are its content, then.
    """
    removed, protected = page.removed, page.protected
    about_text = page.dominating(limits.dominance) is None
    numbers = [
        number
        for number, doubtful in page.masks
        if (doubtful and about_text) or protected[removed[number][0]]
    ]
    return Unmask(numbers) if numbers else ()
