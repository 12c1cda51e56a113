"""Strategies that choose what stays: one module each, behind one small protocol.

A strategy is a function over the columns of a :class:`~scrapy_tps.engine.sequence.columns.TagPathSequence`. It only
*chooses*; parsing, cutting, counting and reports are the same for all.
"""

from __future__ import annotations

import difflib
from collections.abc import MutableSequence, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, overload, runtime_checkable

from scrapy_tps.engine.loops.columns import clear
from scrapy_tps.engine.native import ARRAYS, compiled
from scrapy_tps.engine.outcomes import PRUNED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.sequence.region_search import Split


_clear: Final = compiled(clear)

#: The owner of the spans of records.
_RECORDS: Final = -1


class Span(NamedTuple):
    """A region found by a strategy: nodes [start, end) of the sequence.

    :ivar kept: whether it stays. Nodes outside all spans stay; ancestors of nodes that stay always stay.
    :ivar reason: why, in words for users.
    :ivar rule: short name of the rule that decided, for counting.
    """

    start: int
    end: int
    kept: bool
    reason: str
    rule: str


class Spans(Sequence[Span]):
    """The spans of a page as numbers, created on access.

    Hostile pages have a hundred thousand, and every response keeps them. With an object for each, `auto` took a quarter
    longer for a page of 83,000 spans, mostly in Python's garbage collector.

    :ivar runs: start, end and owner of each span, one after the other, in document order. An owner is the number of a
        removal, from 1 on; -1 means records; -2, -3 and so on mean the first, second … of the `kept`.
    :param removed: the removals: start, end, rule and reason.
    :param kept: reason and rule of the parts of removals that stay.
    """

    __slots__ = ("_kept", "_removed", "runs")

    def __init__(
        self,
        runs: MutableSequence[int],
        removed: Sequence[tuple[int, int, str, str]],
        kept: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.runs, self._removed, self._kept = runs, removed, kept

    def __len__(self) -> int:
        return len(self.runs) // 3

    @overload
    def __getitem__(self, which: int) -> Span: ...

    @overload
    def __getitem__(self, which: slice) -> list[Span]: ...

    def __getitem__(self, which: int | slice) -> Span | list[Span]:
        if isinstance(which, slice):
            return [self[index] for index in range(*which.indices(len(self)))]
        place = 3 * range(len(self))[which]
        return self._made(*self.runs[place : place + 3])

    def __iter__(self) -> Iterator[Span]:
        return map(self._made, self.runs[::3], self.runs[1::3], self.runs[2::3])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def _made(self, start: int, end: int, owner: int) -> Span:
        if owner < _RECORDS:
            return Span(start, end, True, *self._kept[-2 - owner])
        if owner == _RECORDS:
            return Span(start, end, True, "repeated records of the same structure", "records")
        _, _, rule, reason = self._removed[owner - 1]
        return Span(start, end, False, reason, rule)


class Selection(NamedTuple):
    """The choice of a strategy: disjoint spans in document order, and the splits that led to them.

    :ivar outcome: ``pruned``, or why the page is not pruned (the spans are then only informative).
    """

    outcome: str
    spans: Sequence[Span] = ()
    splits: Sequence[Split] = ()

    def clear(self, mask: bytearray) -> None:
        """Write 0 to the bytes of the nodes that are to be removed."""
        if self.outcome != PRUNED:
            return
        if isinstance(self.spans, Spans):
            _clear(ARRAYS, self.spans.runs, mask)
            return
        for span in self.spans:
            if not span.kept:
                mask[span.start : span.end] = bytes(span.end - span.start)


@runtime_checkable
class Strategy(Protocol):
    """The interface of a strategy; name its class or an instance of it in ``TPS_STRATEGY``."""

    @property
    def size_ratio(self) -> float:
        """The ratio used if ``TPS_SIZE_RATIO`` is not set."""
        ...

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        """Choose what stays of a page; must not change the sequence and must not raise."""
        ...


BUILT_IN = MappingProxyType(
    {
        "paper": "scrapy_tps.engine.strategies.paper.PaperStrategy",
        "auto": "scrapy_tps.engine.strategies.auto.pipeline.AutoStrategy",
        "tps": "scrapy_tps.engine.strategies.auto.pipeline.TpsStrategy",
        "aggressive": "scrapy_tps.engine.strategies.auto.pipeline.AggressiveStrategy",
    }
)

#: Methods from the literature, as published, in a package that the core does not import.
LITERATURE = MappingProxyType(
    {
        "cetr": "scrapy_tps.literature.cetr.Cetr",
        "content-extractor": "scrapy_tps.literature.blocks.ContentExtractor",
        "infodiscoverer": "scrapy_tps.literature.blocks.InfoDiscoverer",
        "node-patterns": "scrapy_tps.literature.node_patterns.NodePatterns",
        "pagelets": "scrapy_tps.literature.shingles.Pagelets",
        "segmentation": "scrapy_tps.literature.segmentation.Segmentation",
        "shingles": "scrapy_tps.literature.shingles.Shingles",
        "structure-tree": "scrapy_tps.literature.style_tree.CompressedStructureTree",
        "style-tree": "scrapy_tps.literature.style_tree.StyleTree",
        "wisdom": "scrapy_tps.literature.blocks.Wisdom",
    }
)
#: A suffix of the name of such a method: protect record groups.
GUARDED = "+guard"


def load_object(path: str) -> Any:
    """Import ``package.module.name``; raise ``ValueError`` with the cause if that fails."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{path!r} can't be imported: {error}") from error


def load_strategy(spec: object) -> Strategy:
    """Return the strategy for a short name, an import path, a class or an instance.

    Raises ``ValueError`` with the cause.
    """
    if isinstance(spec, str) and (spec in BUILT_IN or spec.removesuffix(GUARDED) in LITERATURE):
        return _load_named(spec)
    return _checked(spec, spec)


@cache
def _load_named(name: str) -> Strategy:
    if name in BUILT_IN:
        return _checked(name, BUILT_IN[name])
    try:
        method: Any = _checked(name, LITERATURE[name.removesuffix(GUARDED)])
    except ValueError as error:
        raise ValueError(
            f"{name!r} needs the packages of the extra 'literature' (pip install scrapy-tps[literature]): {error}"
        ) from error
    return replace(method, guard=True) if name.endswith(GUARDED) else method  # type: ignore[no-any-return]


def _checked(spec: object, strategy: object) -> Strategy:
    if isinstance(strategy, str):
        if "." not in strategy:
            known = [*BUILT_IN, *LITERATURE]
            near = difflib.get_close_matches(str(spec).strip().lower().removesuffix(GUARDED), known, n=2)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ValueError(f"no strategy is called {spec!r}{hint}")
        strategy = load_object(strategy)
    if isinstance(strategy, type):
        strategy = strategy()
    if not isinstance(strategy, Strategy):
        raise ValueError(f"{spec!r} has no size_ratio and select()")
    return strategy
