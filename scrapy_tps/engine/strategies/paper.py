"""The algorithm as published: one region, found by Algorithms 3 and 4, or its complement (Algorithm 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_tps.engine.outcomes import NO_REGION, PRUNED
from scrapy_tps.engine.strategies import Selection, Span
from scrapy_tps.engine.strategies.checks import load_check

if TYPE_CHECKING:
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
        spans = []
        for split in sorted(splits, key=lambda split: split.position):
            low, high = (split.position, split.end) if split.kept_left else (split.start, split.position)
            side, sizes = (
                ("right", (split.right, split.left))
                if split.kept_left
                else ("left", (split.left, split.right))
            )
            reason = (
                f"the {side} part ({sizes[0]} nodes) shares no tag path of a frequency above "
                f"{split.threshold} with the other part ({sizes[1]} nodes), and is the smaller one"
            )
            if inverted:
                reason = "outside of the region that failed the content check"
            spans.append(Span(low, high, inverted, reason, "split"))
        region = (
            "the region fails the content check"
            if inverted
            else "the main region: the larger part of every split"
        )
        spans.append(Span(start, end, not inverted, region, "region"))
        spans.sort(key=lambda span: span.start)
        return Selection(PRUNED, spans, splits)
