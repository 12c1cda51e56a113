"""What heads the records: headings beside the ancestors of the best group, and a short line right above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import SUBHEADING
from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.native import over_columns

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordTitles

_record_titles: Final = over_columns(groups.record_titles)


def record_titles(page: Page, limits: RecordTitles) -> list[tuple[int, int]]:
    """Protect what heads the best group."""
    if page.best is None:
        return []
    return _record_titles(page.measured, page.best.start, SUBHEADING, limits.line, page.first_heading)
