"""Pages of which nothing but headings and links to other pages would be left: their evidence is too weak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import over_view
from scrapy_tps.engine.strategies.auto.decisions import Veto

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds

_has_text_beside: Final = over_view(loops.has_text_beside)


def nothing_left(page: Page, _: Thresholds) -> list[Veto]:
    """Put everything back where no text stays outside of the parts that stay in any case, and the page has some."""
    if not page.removed or _has_text_beside(page, [part.root for part in page.retained]):
        return []
    reason = "nothing but headings and links to other pages would have been left"
    return [Veto(0, page.size, 0, len(page.removed), reason)]
