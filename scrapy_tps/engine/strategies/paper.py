"""The algorithm as published: one region, found by Algorithms 3 and 4, or its complement if the region is not content
(Algorithm 6)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_tps.engine.outcomes import NO_REGION, PRUNED
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import Selection, Span, Spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.sequence.region_search import Split


@dataclass(frozen=True, slots=True)
class PaperStrategy:
    """Velloso & Dorneles, Algorithms 1 – 5; with a content check also their second main algorithm.

    :ivar content_check: a test whether the region is content: a CSS selector or XPath that must match inside it, or a
        callable that gets the sequence, and the region's start and end. If the region fails it, everything else stays
        instead. None, the default, means that no test is made.
    :ivar size_ratio: 0.20, section 4.3 of the paper.

    Raises ``ValueError`` if the content check is neither.
    """

    content_check: str | Callable[[TagPathSequence, int, int], bool] | None = None
    size_ratio: float = 0.20

    def __post_init__(self) -> None:
        if isinstance(self.content_check, str):
            compile_selector(self.content_check)
        elif self.content_check is not None and not callable(self.content_check):
            raise ValueError(f"{self.content_check!r} is neither a selector nor a callable")

    def select(
        self,
        sequence: TagPathSequence,
        size_ratio: float,
        settings: PageSettings,  # noqa: ARG002
    ) -> Selection:
        start, end, splits = sequence.search_region(size_ratio)
        if not splits:
            whole = Span(0, len(sequence), True, "no position splits the page into regions", "whole")
            return Selection(NO_REGION, [whole])
        ordered = sorted(splits, key=lambda split: split.position)
        parts = [
            (split.position, split.end, number) if split.kept_left else (split.start, split.position, number)
            for number, split in enumerate(ordered, 1)
        ]
        if self._is_content(sequence, start, end):
            runs = sorted([*parts, (start, end, -2)])
            kept = [("the main region: the larger part of every split", "region")]
            removed = [
                (low, high, "split", _reason(split))
                for (low, high, _), split in zip(parts, ordered, strict=True)
            ]
            return Selection(PRUNED, Spans(array("i", chain.from_iterable(runs)), removed, kept), splits)
        reason = "outside of the region that failed the content check"
        outside = [Span(low, high, True, reason, "split") for low, high, _ in parts]
        region = Span(start, end, False, "the region fails the content check", "region")
        return Selection(PRUNED, sorted([*outside, region]), splits)

    def _is_content(self, sequence: TagPathSequence, start: int, end: int) -> bool:
        check = self.content_check
        if not isinstance(check, str):
            return check is None or check(sequence, start, end)
        inside = set(map(id, sequence.nodes[start:end]))
        return any(id(node) in inside for node in compile_selector(check)(sequence.nodes[0]))


def _reason(split: Split) -> str:
    side, gone, other = (
        ("right", split.right, split.left) if split.kept_left else ("left", split.left, split.right)
    )
    return (
        f"the {side} part ({gone} nodes) shares no tag path of a frequency above {split.threshold} with the other part "
        f"({other} nodes), and is the smaller one"
    )
