"""Record groups: runs of neighbouring siblings of the same make, the parts that must not be cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.native import over_columns

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Groups

_Search: Final = over_columns(groups.Search)


def find_groups(page: Page, muted: bytearray, limits: Groups) -> list[tuple[int, int, int, float, float]]:
    """Return the record groups of a page, as what a ``Group`` is made of: some pages have hundreds.

    Nodes whose byte in `muted` is 1 count as absent.
    """
    return _Search(page.measured, muted, limits).groups()
