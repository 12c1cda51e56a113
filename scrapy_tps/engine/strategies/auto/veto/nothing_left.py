"""Pages of which nothing but headings and links to other pages would be left: their evidence is too weak."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.decisions import Veto

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds


def nothing_left(page: Page, _: Thresholds) -> list[Veto]:
    """Put everything back where no text stays outside of the parts that stay in any case, and the page has some."""
    if not page.removed or _has_text_beside(page, [part.root for part in page.retained]):
        return []
    reason = "nothing but headings and links to other pages would have been left"
    return [Veto(0, page.size, 0, len(page.removed), reason)]


def _has_text_beside(page: Page, kept: list[int]) -> bool:
    if page.arrays is not None:
        return page.arrays.has_text_beside(kept)  # type: ignore[no-any-return]
    mask = bytearray(page.alive)
    for start in kept:
        mask[start : page.end[start]] = bytes(page.end[start] - start)
    return any(compress(page.text_length, mask)) or not any(page.text_length)
