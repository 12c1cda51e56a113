"""Pages of one text, in ``aggressive``: small parts next to a text that makes up most of the page.

The rule needs no heading, and also removes author and specifications.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import priced
from scrapy_tps.engine.strategies.auto.thresholds import (
    ENOUGH_PROSE,
    PRICES,
    RecordSurroundings,
    Thresholds,
    needed,
    scaled,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class MostlyAlike(Thresholds):
    # parts of the same tag path are similar if they share this part of their classes, and one of them shares this part
    # of its tag paths with the other
    same_classes: float = 0.5
    same_tags: float = 0.6


@dataclass(frozen=True, slots=True)
class NextToText(RecordSurroundings):
    # the text is the smallest part with this share of the prose; it must hold this share of the weight
    text: float = 0.7
    dominance: float = needed(0.5)
    prose: float = scaled(0.05)  # parts that hold more of the prose stay


_text_core: Final = compiled(parts.text_core)

_siblings: Final = compiled(parts.small_siblings)


def are_priced(page: Page, part: int) -> bool:
    """Whether a part names prices for at least half of its records: products below a text about their category."""
    items = sum(count for start, stop, count, *_ in page.records if part <= start and stop <= page.end[part])
    least = max((items + 1) // 2, PRICES)
    return len(list(islice(priced(page, part, page.end[part], page.alive), least))) == least


def next_to_text(page: Page, limits: NextToText) -> list[Removal]:
    """Remove small parts after a text that makes up most of the page, and before its heading."""
    core = _text_core(page.columns, limits.text, limits.dominance, ENOUGH_PROSE)
    if core <= 0:
        return []
    most_prose = limits.prose * max(page.prose_before[-1], ENOUGH_PROSE)
    shares = limits.share, limits.links_share, limits.links_weight
    return [
        (child, page.end[child], "surroundings", "next to the text that makes up most of the page")
        for _, child in _siblings(page.columns, core, core, page.first_heading, *shares)
        if page.prose_before[page.end[child]] - page.prose_before[child] <= most_prose
    ]


def is_like(page: Page, part: int, text: int, around: dict[int, set[int]], limits: MostlyAlike) -> bool:
    """Whether a part is similar to the one with the text, such as a reply to an opening post.

    One of the two may have more classes ("first", "by the author of the thread").

    :param around: the tag paths in parts with the text, which this adds to.
    """
    if page.symbols[part] == page.symbols[text]:
        return True
    if page.tags[part] != page.tags[text]:
        return False
    own, other = page.classes(part), page.classes(text)
    shared = len(own & other)
    if not shared or shared < limits.same_classes * max(len(own), len(other)):
        return False
    if text not in around:
        around[text] = set(page.tags[text : page.end[text]])
    inside = set(page.tags[part : page.end[part]])
    return len(inside & around[text]) >= limits.same_tags * len(inside)
