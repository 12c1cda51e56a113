"""Preformatted text and code: nobody writes menus or advertisements in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds

_CODE: Final = frozenset({"pre", "code"})


def code(page: Page, _: Thresholds) -> list[tuple[int, int]]:
    """Protect preformatted text and code."""
    found: list[tuple[int, int]] = []
    end = 0
    for start in page.sequence.find(_CODE):
        if start >= end:
            end = page.end[start]
            found.append((start, end))
    return found
