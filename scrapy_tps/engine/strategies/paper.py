"""The algorithm as published: one region, found by Algorithms 3 and 4, or its complement (Algorithm 6)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from scrapy_tps.engine.outcomes import NO_REGION, PRUNED
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.strategies import Selection, Span
from scrapy_tps.engine.strategies.checks import load_check
from scrapy_tps.engine.strategies.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence


@dataclass(frozen=True, slots=True)
class PaperStrategy:
    """Velloso & Dorneles, Algorithms 1 – 5; with ``TPS_CONTENT_CHECK`` also their second main algorithm.

    :ivar size_ratio: 0.20, section 4.3 of the paper.
    """

    size_ratio: float = 0.20

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        start, end, splits = sequence.search_region(size_ratio)
        if not splits:
            whole = Span(0, len(sequence), True, "no position splits the page into regions", "whole")
            return Selection(NO_REGION, [whole])
        check = settings.content_check
        inverted = check is not None and not load_check(check)(sequence, start, end)
        ordered = _Ordered(sorted(splits, key=lambda split: split.position))
        parts = [
            (split.position, split.end, number) if split.kept_left else (split.start, split.position, number)
            for number, split in enumerate(ordered, 1)
        ]
        if not inverted:
            runs = sorted([*parts, (start, end, -2)])
            kept = [("the main region: the larger part of every split", "region")]
            removed = cast("Sequence[tuple[int, int, str, str]]", ordered)
            return Selection(PRUNED, Spans(array("i", chain.from_iterable(runs)), removed, kept), splits)
        reason = "outside of the region that failed the content check"
        outside = [Span(low, high, True, reason, "split") for low, high, _ in parts]
        region = Span(start, end, False, "the region fails the content check", "region")
        return Selection(PRUNED, sorted([*outside, region]), splits)


class _Ordered(list[Split]):
    """Splits as :class:`~scrapy_tps.engine.strategies.spans.Spans` takes removals, whose reasons are made on access."""

    def __getitem__(self, which: Any) -> Any:
        split = super().__getitem__(which)
        if split.kept_left:
            low, high, side, sizes = split.position, split.end, "right", (split.right, split.left)
        else:
            low, high, side, sizes = split.start, split.position, "left", (split.left, split.right)
        reason = (
            f"the {side} part ({sizes[0]} nodes) shares no tag path of a frequency above "
            f"{split.threshold} with the other part ({sizes[1]} nodes), and is the smaller one"
        )
        return low, high, "split", reason
