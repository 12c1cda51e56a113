"""Parts that softer hints mark (header, footer, aside, form, button, words in names), where the sequence agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.marked_parts import marked_parts
from scrapy_tps.engine.strategies.auto.marks import marked_as

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import MarkedParts


def marked(page: Page, limits: MarkedParts) -> list[Removal]:
    """Remove the marked parts that may go."""
    total = page.worth_before[-1]
    return [
        (start, end, "marked", f"{marked_as(hints)}; {worth / total:.0%} of the page")
        for start, end, hints, worth in page.ask(marked_parts, limits)
    ]
