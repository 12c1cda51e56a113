"""A page in columns: the weight of each part, its cues, and the decisions that the pipeline has written so far.

Rules read it. Only :func:`write_decisions` changes it.
"""

from __future__ import annotations

from array import array
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine import native
from scrapy_tps.engine.cues import reading as cues
from scrapy_tps.engine.loops.columns import Columns
from scrapy_tps.engine.outcomes import AMBIGUOUS, NO_REGION, PRUNED
from scrapy_tps.engine.strategies import Selection, Span, Spans
from scrapy_tps.engine.strategies.auto.decisions import Phase, Records, Removals
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WEIGHT

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.sequence.region_search import Split
    from scrapy_tps.engine.strategies.auto.decisions import Marked, RecordGroup, Removal, Retained

_WEIGHTS: Final = astuple(TEXT_WEIGHT)

_CUES, _CORRECT, _, _PROTECT, _, _RETAIN, _VETO = Phase

_Columns: Final = native.compiled(Columns)
_SEQUENCE: Final = native.extension("sequence")


class Page:
    """The working state of one page.

    :ivar columns: its :class:`~scrapy_tps.engine.loops.columns.Columns`, for the loops; their methods and memory are
        attributes of the page as well.
    :ivar size_ratio: the size ratio in effect.
    :ivar size: number of nodes.
    :ivar parent, end, symbols: those of the sequence.
    :ivar tags: each node's path of tags, as a number (:func:`~scrapy_tps.engine.cues.reading.tag_symbols`).
    :ivar is_text: a byte for each node, 1 for text nodes.
    :ivar in_link: a byte for each node, 1 inside links.
    :ivar cues: each node's cues (:mod:`scrapy_tps.engine.cues.reading`).
    :ivar text_length: each text node's length in characters.
    :ivar alive: a byte for each node, 0 if it has been removed.
    :ivar protected: a byte for each node, 1 if it must not be removed.
    :ivar weight_before, text_before, prose_before, protection_before: sums of weight, characters, prose and protected
        weight of the living nodes before each node, so that a span's sum is one subtraction; current while a rule
        runs. A text weighs its characters, less if it is short or inside links.
    :ivar first_heading: the page's first ``h1`` outside boilerplate, else the heading that its ``title`` repeats, or
        -1.
    :ivar removed: the removals, in order.
    :ivar doubtful: the first nodes of doubtful provisional removals.
    :ivar records: the protected record groups, as tuples.
    :ivar best: the group that may be the page's subject, or None.
    :ivar splits: the splits with a removed side.
    :ivar retained: the parts of removals that stay.
    :ivar kept_whole: why a veto kept the whole page, or empty.
    :ivar marked: the parts with softer cues that may be removed, or None if not yet found, or not since a rule wrote.
    :ivar links: all links, in document order; nobody may change the list.
    :ivar places: the elements with one of these tags, for :func:`~scrapy_tps.engine.strategies.auto.queries.within`.
    """

    # more attributes than Python keeps without a dictionary, which costs 2 % of a strategy
    __slots__ = (
        "_classes",
        "alive",
        "all_with",
        "any_in",
        "are_similar",
        "around",
        "best",
        "between",
        "characters_in",
        "children",
        "columns",
        "cues",
        "doubtful",
        "end",
        "first_heading",
        "first_with",
        "in_link",
        "is_text",
        "kept_whole",
        "length_of",
        "links",
        "marked",
        "outermost_with",
        "parent",
        "places",
        "prose_before",
        "protected",
        "protection_before",
        "records",
        "removed",
        "retained",
        "sequence",
        "share",
        "size",
        "size_ratio",
        "splits",
        "symbols",
        "tags",
        "text_before",
        "text_length",
        "texts_in",
        "weight_before",
    )

    def __init__(self, sequence: TagPathSequence, *, read: int = -1, size_ratio: float = 0.0) -> None:
        self.sequence, self.size_ratio = sequence, size_ratio
        self.size = len(sequence)
        self.first_heading = -1
        self.removed: list[Removal] = []
        self.doubtful: set[int] = set()
        self.records: list[tuple[int, int, int, float, float]] = []
        self.best: RecordGroup | None = None
        self.splits: list[Split] = []
        self.retained: list[Retained] = []
        self.kept_whole = ""
        self.places: dict[frozenset[str], MutableSequence[int]] = {}
        self.links: MutableSequence[int] = sequence.find({"a"})
        self._classes: dict[int, frozenset[str]] = {}  # by symbol
        self.marked: list[Marked] | None = None
        found, lengths = cues.cue_columns(sequence)
        if read >= 0:
            found = array("q", [cue & read for cue in found])
        walk = sequence.native_walk
        columns = self.columns = (
            _columns(sequence, found, lengths)
            if walk is None
            else _SEQUENCE.page_columns(walk, native.ARRAYS, found, lengths, _WEIGHTS, sequence.stem_of)
        )
        self.parent: Sequence[int] = columns.parent_column
        self.end: Sequence[int] = columns.end_column
        self.symbols: Sequence[int] = columns.symbol_column
        self.tags: Sequence[int] = columns.tag_column
        self.cues: MutableSequence[int] = columns.cue_column
        self.text_length: Sequence[int] = columns.length_column
        self.in_link, self.is_text = columns.link_mask, columns.text_mask
        self.alive, self.protected = columns.alive, columns.protected
        self.weight_before: Sequence[float] = columns.weight_sums
        self.text_before: Sequence[float] = columns.text_sums
        self.prose_before: Sequence[float] = columns.prose_sums
        self.protection_before: Sequence[float] = columns.protection_sums
        # methods that called these would take three times as long
        self.share, self.characters_in = columns.share, columns.characters_in
        self.length_of, self.texts_in = columns.length_of, columns.texts_in
        self.children = columns.children
        self.first_with, self.all_with = columns.first_with, columns.all_with
        self.are_similar, self.outermost_with = columns.are_similar, columns.outermost_with
        self.around, self.any_in, self.between = columns.around, columns.any_in, columns.between

    def dominating(self, share: float) -> RecordGroup | None:
        """Return the best record group if it holds this share of the page."""
        best = self.best
        return best if best is not None and best.weight >= share * self.weight_before[-1] else None

    def classes(self, index: int) -> frozenset[str]:
        """Return the classes of a node; none for texts."""
        symbol = self.symbols[index]
        found = self._classes.get(symbol)
        if found is None:
            found = self._classes[symbol] = frozenset((self.sequence.class_of(index) or "").split())
        return found


def _columns(sequence: TagPathSequence, found: Sequence[int], lengths: Sequence[int]) -> Columns:
    """Return the columns of a page that was walked in Python, given its nodes' cues and the characters of its texts."""
    tags, arrays = cues.tag_symbols(sequence), native.ARRAYS
    numbers = map(arrays.column, (sequence.parent, sequence.end, sequence.symbols, tags, lengths))
    return _Columns(
        arrays,
        tuple(numbers),
        (max(tags, default=-1) + 1, len(sequence.symbol_tag)),
        array("q", found),
        (bytearray(sequence.spread(cues.linked_symbols(sequence))), sequence.text_mask()),
        _WEIGHTS,
        sequence.stem_of,
    )


def write_decisions(page: Page, phase: Phase, decided: Any) -> None:
    """Write the decisions of a rule."""
    if phase is _CUES:
        page.first_heading = decided
        return
    if phase is _RETAIN:
        page.retained += decided
        return
    if phase is _CORRECT:
        page.columns.correct(decided)
    elif phase is _PROTECT:
        _protect(page, decided)
    elif phase is _VETO:
        _put_back(page, decided)
    else:
        if isinstance(decided, Removals):
            page.doubtful.update(decided.doubtful)
            page.splits += decided.splits
            decided = decided.removals
        page.removed += decided
        page.columns.write(page.alive, decided, 0)
        if page.best is not None and not page.alive[page.best.start]:
            page.best = None
    page.marked = None


def _protect(page: Page, parts: Records | Sequence[tuple[Any, ...]]) -> None:
    if isinstance(parts, Records):
        page.records += parts.groups
        page.best = parts.best
        parts = [*parts.groups, *parts.titles]
    page.columns.write(page.protected, parts, 1)


def _put_back(page: Page, vetoed: Sequence[int] | str) -> None:
    """Take removals with these numbers, or all, out of the list; nodes that no removal holds any more are alive."""
    if isinstance(vetoed, str):
        page.kept_whole, page.removed, page.splits = vetoed, [], []
    else:
        back = set(vetoed)
        page.removed = [removal for number, removal in enumerate(page.removed) if number not in back]
    page.alive[:] = b"\1" * page.size
    page.columns.write(page.alive, [(0, 0), *page.removed], 0)  # measured from the start on


def selection(page: Page) -> Selection:
    """Return the kept and the removed parts, as disjoint spans in document order."""
    if not page.removed:
        outcome, reason = (
            (AMBIGUOUS, page.kept_whole)
            if page.kept_whole
            else (NO_REGION, "no part is certain enough to be removed")
        )
        return Selection(outcome, [Span(0, page.size, True, reason, "whole")])
    pages = sorted([part for part in page.retained if part[1]])
    runs = page.columns.spans(page.removed, page.retained, page.records, pages)
    kept = [(reason, "pages") for _, reason in pages]
    return Selection(PRUNED, Spans(runs, page.removed, kept), page.splits)
