"""What heads the records: headings beside the ancestors of the best group, and a short line right above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import SUBHEADING
from scrapy_tps.engine.native import extension

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordTitles

_CORE: Final = extension("groups")


def record_titles(page: Page, limits: RecordTitles) -> list[tuple[int, int]]:
    """Protect what heads the best group."""
    if page.best is None:
        return []
    start = page.best.start
    if page.columns is not None:
        return _CORE.record_titles(  # type: ignore[no-any-return]
            page.columns, start, SUBHEADING, limits.line, page.first_heading
        )
    hints, end, text_before, alive = page.hints, page.end, page.text_before, page.alive
    found: list[tuple[int, int]] = []
    inner = start
    above = page.parent[inner]
    titled = False
    while above >= 0:
        child, title = above + 1, -1
        while child < inner:
            if hints[child] & SUBHEADING:
                found.append((child, end[child]))
            if alive[child] and text_before[end[child]] > text_before[child]:
                title = child
            child = end[child]
        if title >= 0 and not titled:
            titled = True
            stop = end[title]
            if (
                text_before[stop] - text_before[title] <= limits.line
                and page.is_text[title:stop].count(1) == 1
                and 1 not in page.in_link[title:stop]
                and not hints[title]
                and page.first_heading < 0
            ):
                found.append((title, stop))
        inner, above = above, page.parent[above]
    return found
