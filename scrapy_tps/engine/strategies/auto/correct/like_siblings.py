"""Marks that say what a record is about: some of many like siblings carry them, the others do not.

Posts carry the names of their categories as classes (``category-fixed``, ``tag-newsletter``), pinned topics of a
board are announcements, and the items of a list that are shown later are hidden by their ``style``. Of tabs and
panels two are enough. Found on pages that no rule was made on, where such records went; on the labelled sets nothing
changes by more than .1 points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import HIDDEN, WEAK
from scrapy_tps.engine.loops import siblings
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import DISPLAYS, SOFT
from scrapy_tps.engine.strategies.auto.queries import is_panel

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import LikeSiblings

_like_siblings: Final = over_columns(siblings.like_siblings)
_MARKS: Final = SOFT | SOFT << WEAK
_TWO: Final = 2


def like_siblings(page: Page, limits: LikeSiblings) -> list[Correction]:
    """Take marks from parts that are like siblings without, where half of the siblings are without; or HIDDEN."""
    found = _like_siblings(
        page.measured,
        _MARKS,
        HIDDEN,
        _TWO,
        limits.most_nodes,
        limits.least_tags,
        limits.alike,
        limits.alike_hidden,
    )
    return [
        Correction(index, going)
        for index, going, *others in found
        if any(other >= 0 and _same_classes(page, index, other, limits) for other in others)
        and (_siblings(page, index) >= limits.siblings or (going != HIDDEN and is_panel(page, index)))
    ]


def _siblings(page: Page, index: int) -> int:
    """How many children of its parent have the tag path of a part, with itself."""
    return sum(page.tags[child] == page.tags[index] for child in page.children(page.parent[index]))


def _same_classes(page: Page, one: int, other: int, limits: LikeSiblings) -> bool:
    of_other = page.classes(other)
    shared = (of_other & page.classes(one)) - DISPLAYS
    return len(shared) >= limits.same_classes * (len(of_other) - len(of_other & DISPLAYS))
