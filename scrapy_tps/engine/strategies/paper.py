"""The algorithm as published: one region, found by Algorithms 3 and 4, or its complement if the region is not content
(Algorithm 6)."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

from lxml.html import defs

from scrapy_tps.engine.outcomes import NO_REGION, PRUNED
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import Selection, Span, Spans, load_object

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.sequence.region_search import Split

_ELEMENTS = defs.tags | {"bdi", "data", "dialog", "main", "picture", "search", "slot", "template"}

ContentCheck = Callable[["TagPathSequence", int, int], bool]


@dataclass(frozen=True, slots=True)
class PaperStrategy:
    """Velloso & Dorneles, Algorithms 1 – 5; with a content check also their second main algorithm.

    :ivar content_check: a test whether the region is content: a CSS selector or XPath that must match inside it, or a
        callable (or its import path) that gets the sequence, and the region's start and end. If the region fails it,
        everything else stays instead. None, the default, means that no test is made.
    :ivar size_ratio: 0.20, section 4.3 of the paper.

    Raises ``ValueError`` if the content check is neither.
    """

    content_check: Any = None
    size_ratio: float = 0.20

    def __post_init__(self) -> None:
        if self.content_check is not None:
            load_check(self.content_check)

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
        check = self.content_check
        inverted = check is not None and not load_check(check)(sequence, start, end)
        ordered = sorted(splits, key=lambda split: split.position)
        parts = [
            (split.position, split.end, number) if split.kept_left else (split.start, split.position, number)
            for number, split in enumerate(ordered, 1)
        ]
        if not inverted:
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


def _reason(split: Split) -> str:
    side, gone, other = (
        ("right", split.right, split.left) if split.kept_left else ("left", split.left, split.right)
    )
    return (
        f"the {side} part ({gone} nodes) shares no tag path of a frequency above {split.threshold} with the other part "
        f"({other} nodes), and is the smaller one"
    )


def load_check(spec: Any) -> ContentCheck:
    """Return the check that `spec` names: a callable, its import path, or a selector that must match.

    A dotted name whose first part is an importable module is an import path, anything else a selector (``h2.title``).
    Raises ``ValueError`` if it is neither, or a dotted name that begins with neither a module nor an HTML element: a
    misspelt path, which would never match.
    """
    if callable(spec):
        return spec  # type: ignore[no-any-return]
    if not isinstance(spec, str):
        raise ValueError(f"{spec!r} is neither a callable nor a string")
    return _load_named(spec)


@lru_cache(maxsize=256)
def _load_named(spec: str) -> ContentCheck:
    parts = spec.split(".")
    if len(parts) > 1 and all(part.isidentifier() for part in parts):
        if find_spec(parts[0]) is not None:
            found = load_object(spec)
            if not callable(found):
                raise ValueError(f"{spec!r} is not callable")
            return found  # type: ignore[no-any-return]
        if parts[0].lower() not in _ELEMENTS:
            raise ValueError(f"there is no module or element {parts[0]!r}")
    return partial(_matches, compile_selector(spec))


def _matches(find: Callable[[Any], list[Any]], sequence: TagPathSequence, start: int, end: int) -> bool:
    inside = set(map(id, sequence.nodes[start:end]))
    return any(id(node) in inside for node in find(sequence.nodes[0]))
