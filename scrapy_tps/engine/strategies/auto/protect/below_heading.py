"""The title block: what stands below the first heading in the same part, where that is a small part of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import BelowHeading


def below_heading(page: Page, limits: BelowHeading) -> list[tuple[int, int]]:
    """Protect claim, message and byline below the first heading."""
    heading = page.first_heading
    if heading < 0:
        return []
    end = page.end[page.parent[heading]]
    return [(heading, end)] if page.share(heading, end) <= limits.share else []
