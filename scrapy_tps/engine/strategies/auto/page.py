"""A page in columns: the weight of each part, its cues, and the decisions that the pipeline has written so far.

Rules read it. Only :mod:`~scrapy_tps.engine.strategies.auto.writing` changes it.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine import native
from scrapy_tps.engine.cues import reading as cues
from scrapy_tps.engine.loops.columns import Columns
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WEIGHT

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.sequence.region_search import Split
    from scrapy_tps.engine.strategies.auto.decisions import Marked, RecordGroup, Removal, Retained

_WEIGHTS: Final = (
    TEXT_WEIGHT.short,
    TEXT_WEIGHT.medium,
    TEXT_WEIGHT.prose,
    TEXT_WEIGHT.short_text,
    TEXT_WEIGHT.short_link,
    TEXT_WEIGHT.medium_link,
    TEXT_WEIGHT.long_link,
)


_Columns: Final = native.compiled(Columns)
_SEQUENCE: Final = native.extension("sequence")


class Page:
    """The working state of one page.

    :ivar columns: its :class:`~scrapy_tps.engine.loops.columns.Columns`, for the loops; their methods and memory are
        attributes of the page as well.
    :ivar native_columns: the same if they were made from a native walk, else None: for rules with a native twin.
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
    :ivar records: start, end and number of items of the protected record groups.
    :ivar best: the group that may be the page's subject, or None.
    :ivar splits: the splits with a removed side.
    :ivar retained: the parts of removals that stay.
    :ivar kept_whole: why a veto kept the whole page, or empty.
    :ivar marked: the parts with softer cues that may be removed, or None if not yet found, or not since a rule wrote.
    :ivar links: all links, in document order; nobody may change the list.
    :ivar places: the elements with one of these tags, for :func:`~scrapy_tps.engine.strategies.auto.queries.within`.
    """

    def __init__(self, sequence: TagPathSequence, *, read: int = -1, size_ratio: float = 0.0) -> None:
        self.sequence, self.size_ratio = sequence, size_ratio
        self.size = len(sequence)
        self.first_heading = -1
        self.removed: list[Removal] = []
        self.doubtful: set[int] = set()
        self.records: list[tuple[int, int, int]] = []
        self.best: RecordGroup | None = None
        self.splits: list[Split] = []
        self.retained: list[Retained] = []
        self.kept_whole = ""
        self.places: dict[frozenset[str], list[int]] = {}
        self.links: list[int] = sequence.find({"a"})
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
        self.native_columns = columns if columns.walk is not None else None
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
        self.length_of, self.children = columns.length_of, columns.children
        self.first_with, self.all_with = columns.first_with, columns.all_with
        self.are_similar = columns.are_similar

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
        (sequence.spread_bytes(cues.linked_symbols(sequence)), sequence.text_mask()),
        _WEIGHTS,
        sequence.stem_of,
    )
