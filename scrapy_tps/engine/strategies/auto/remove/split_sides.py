"""The two-sided split: the paper's search, repaired, on the alphabet of tags and with sizes by worth.

Velloso & Dorneles, Algorithms 3 and 4, keep the larger side of every split and go on in it. Here a split
lets the smaller side go only where it holds no protected record, no first heading and little prose; where it
may not go, the search goes on in *both* sides. Sizes are the worth of the text instead of numbers of nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.strategies.auto.decisions import Sides
from scrapy_tps.engine.strategies.auto.marks import WITHIN_LINES

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import SplitSides

#: A border in a headline is none between parts of a page.
_HEADLINES: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_EMPHASIS: Final = frozenset({"b", "strong", "em", "i", "u"})
_Sides: Final = over_columns(loops.Sides)


def split_sides(page: Page, limits: SplitSides) -> Sides | tuple[()]:
    """Remove small sides of uneven splits, with little prose; none is a part of a headline."""
    found = _Sides(page.measured, page.first_heading, page.size_ratio, limits).splits()
    splits: list[Split] = []
    removals: list[Removal] = []
    for low, border, high, threshold, left, right, parts in found:
        side = "before" if left <= right else "after"
        reason = f"the smaller part {side} a border where the tag paths change; no record in it"
        removals += [
            (start, stop, "split", reason)
            for start, stop in parts
            if page.sequence.tag_of(page.parent[start]) not in _HEADLINES
            and not _is_emphasis(page, start, stop)
        ]
        splits.append(Split(low, border, high, threshold, int(left), int(right), left > right))
    return Sides(removals, splits) if splits else ()


def _is_emphasis(page: Page, start: int, stop: int) -> bool:
    """Whether nodes [start, stop) are part of a line and stress something: a number in bold before a title."""
    stressed = False
    while start < stop:
        tag = page.sequence.tag_of(start)
        if tag not in WITHIN_LINES and tag != "br":
            return False
        stressed = stressed or tag in _EMPHASIS
        start = page.end[start]
    return stressed
