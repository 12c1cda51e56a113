"""The page's first ``h1`` outside of furniture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.hints.reading import HEADING

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds


def first_heading(page: Page, _: Thresholds) -> int:
    """Say where it is, or -1."""
    return page.first_with(HEADING)
