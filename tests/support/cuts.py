"""A strategy that takes out what selectors match: to see what comes of pruning, whatever a strategy would choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import Selection, Span


@dataclass(frozen=True)
class Without:
    """Everything stays but what the selectors match."""

    selectors: tuple[str, ...]
    size_ratio: float = 0.5

    def select(self, sequence: Any, size_ratio: float, settings: Any) -> Selection:
        body = sequence.nodes[0]
        found = {element for selector in self.selectors for element in compile_selector(selector)(body)}
        spans: list[Span] = []
        for place in sorted(sequence.locate(found)):
            if not spans or place >= spans[-1].end:
                spans.append(Span(place, sequence.stop(place), False, "to see what comes of it", "test"))
        return Selection("pruned", spans)


class NativelyWithout(Without):
    """The same for the native cut, which user's own strategies don't get: they hold elements of the tree."""

    __module__ = "scrapy_tps.test_of_cuts"


def without(*selectors: str, held: bool = False) -> dict[str, Any]:
    """Settings with which the parts that `selectors` match go; `held`: as with a strategy of the user's own."""
    return {"TPS_STRATEGY": (Without if held else NativelyWithout)(selectors), "TPS_MIN_NODES": 0}
