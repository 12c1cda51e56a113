"""A page in columns: the weight of each part, its cues, and the decisions that the pipeline has written so far.

Rules read it. Only :mod:`~scrapy_tps.engine.strategies.auto.writing` changes it.
"""

from __future__ import annotations

from array import array
from functools import reduce
from itertools import accumulate, compress
from operator import mul, or_
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar, cast

from scrapy_tps.engine import native
from scrapy_tps.engine.cues import reading as cues
from scrapy_tps.engine.strategies.auto.plain_columns import (
    TagSets,
    Tally,
    masked,
    running_sums,
    sparse_sums,
    subtree_sets,
    text_weight,
)
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.sequence.region_search import Split
    from scrapy_tps.engine.strategies.auto.decisions import Group, Removal, Retained

T = TypeVar("T")
L = TypeVar("L")

_WEIGHTS: Final = (
    TEXT_WEIGHT.short,
    TEXT_WEIGHT.medium,
    TEXT_WEIGHT.prose,
    TEXT_WEIGHT.short_text,
    TEXT_WEIGHT.short_link,
    TEXT_WEIGHT.medium_link,
    TEXT_WEIGHT.long_link,
)


class _Numbers(NamedTuple):
    values: MutableSequence[int]


class _Amounts(NamedTuple):
    values: list[float]


class _WorkedOut(Generic[T]):
    """An attribute of a page without C columns that is computed on access.

    A class with `__getattr__` would do the same, but read all its attributes several times more slowly; a cached
    property takes a lock.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, page: Page, owner: type) -> T:
        return page._work_out(self._name)  # type: ignore[no-any-return]


class Page:
    """The working state of one page.

    With the native core the columns are C arrays: `alive` and `protected` may be written to, but no column is ever
    replaced or resized.

    :ivar arrays: C columns, or None.
    :ivar native_columns: the same if they were made from a native walk, else None: for rules with a native twin.
    :ivar measured: the view of the page for :mod:`scrapy_tps.engine.loops`: its C columns, or the page itself.
    :ivar size_ratio: the size ratio in effect.
    :ivar size: number of nodes.
    :ivar parent, end, symbols: those of the sequence.
    :ivar tags: each node's path of tags, as a number (:func:`~scrapy_tps.engine.cues.reading.tag_symbols`).
    :ivar tag_count: number of these.
    :ivar cued_count: number of nodes with cues.
    :ivar is_text: a byte for each node, 1 for text nodes.
    :ivar in_link: a byte for each node, 1 inside links.
    :ivar cues: each node's cues (:mod:`scrapy_tps.engine.cues.reading`).
    :ivar cued: the nodes with cues, in document order.
    :ivar text_length: each text node's length in characters.
    :ivar weight: the weight of each text node: characters weighted by length, less inside links; only without the
        native core.
    :ivar alive: a byte for each node, 0 if it has been removed.
    :ivar protected: a byte for each node, 1 if it must not be removed.
    :ivar weight_before, text_before, prose_before, protection_before: sums of weight, characters, prose and protected
        weight of the living nodes before each node, so that a span's sum is one subtraction; current while a rule runs.
    :ivar first_heading: the page's first ``h1`` outside boilerplate, else the heading that its ``title`` repeats, or
        -1.
    :ivar removed: the removals, in order.
    :ivar doubtful: the first nodes of doubtful provisional removals.
    :ivar records: start, end and number of items of the protected record groups.
    :ivar best: the group that may be the page's subject, or None.
    :ivar splits: the splits with a removed side.
    :ivar retained: the parts of removals that stay.
    :ivar kept_whole: why a veto kept the whole page, or empty.
    :ivar places: the elements with one of these tags, for :func:`~scrapy_tps.engine.strategies.auto.queries.within`.
    """

    # without C columns, these are sums of the nodes alive at the time of measuring, recomputed from the first node
    # removed since the last computation
    measured = _WorkedOut[Any]()
    weight_before = _WorkedOut["Sequence[float]"]()
    text_before = _WorkedOut["Sequence[float]"]()
    prose_before = _WorkedOut["Sequence[float]"]()
    protection_before = _WorkedOut["Sequence[float]"]()

    def __init__(
        self,
        sequence: TagPathSequence,
        *,
        read: int = -1,
        size_ratio: float = 0.0,
    ) -> None:
        self.sequence, self.size_ratio = sequence, size_ratio
        self.size = len(sequence)
        self.first_heading = -1
        self.removed: list[Removal] = []
        self.doubtful: set[int] = set()
        self.records: list[tuple[int, int, int]] = []
        self.best: Group | None = None
        self.splits: list[Split] = []
        self.retained: list[Retained] = []
        self.kept_whole = ""
        self.places: dict[frozenset[str], list[int]] = {}
        self._links: list[int] | None = None
        self._classes: dict[int, frozenset[str]] = {}  # by symbol
        self._answers: dict[Any, Any] = {}
        self.parent: Sequence[int]
        self.end: Sequence[int]
        self.symbols: Sequence[int]
        self.tags: Sequence[int]
        self.cues: MutableSequence[int]
        self.cued: Sequence[int]
        self.text_length: Sequence[int]
        found, lengths = cues.cue_columns(sequence)
        if read >= 0:
            found = array("q", [cue & read for cue in found])
        self._tag_sets: dict[int, int] = {}
        self.native_columns: Any = native.columns(sequence, found, _WEIGHTS)
        self.arrays: Any = self.native_columns
        if self.arrays is None:
            self._make_columns(found, lengths)
        if self.arrays is not None:
            self._share_columns()
            self.arrays.read_stem = sequence.stem_of
        self.measure()

    def _share_columns(self) -> None:
        columns = self.arrays
        self.parent, self.end, self.tags = columns.parent_array, columns.end_array, columns.tag_array
        self.symbols, self.cues, self.cued = columns.symbol_array, columns.cue_array, columns.cued_array
        self.text_length = columns.text_length_array
        self.cued_count, self.tag_count = columns.cued_count, columns.tag_count
        self.in_link, self.is_text = columns.link_mask, columns.text_mask
        self.alive, self.protected = columns.alive, columns.protected
        # as attributes: methods that call these would take three times as long
        own = self.__dict__
        own["measured"] = columns
        for name in ("share", "characters_in", "length_of", "first_with", "all_with", "are_similar"):
            own[name] = getattr(columns, name)

    def _make_columns(self, found: Sequence[int], lengths: Sequence[int]) -> None:
        sequence, size = self.sequence, self.size
        self.parent, self.end, self.symbols = sequence.parent, sequence.end, sequence.symbols
        self.tags = cues.tag_symbols(sequence)
        self.tag_count = max(self.tags, default=-1) + 1
        self.in_link = sequence.spread_bytes(cues.linked_symbols(sequence))
        self.is_text = sequence.text_mask()
        self.arrays = native.arrays(
            (self.parent, self.end, self.symbols, self.tags),
            self.tag_count,
            found,
            (lengths, self.in_link, self.is_text),
            _WEIGHTS,
        )
        if self.arrays is not None:
            return
        self.cues, self.text_length = cast("MutableSequence[int]", found), lengths
        self.cued = list(compress(range(size), found))
        self.cued_count = len(self.cued)
        self.cues_found = reduce(or_, set(found), 0)  # all cues that some node may have
        self.weight, self._prose = text_weight(lengths, self.is_text, self.in_link)
        self.alive = bytearray(b"\x01") * size
        self.protected = bytearray(size)
        self._measured = self._measured_protection = (
            b""  # masks of living and of protected living nodes at the last measuring
        )
        self._before: dict[str, tuple[list[float], bytes]] = {}  # sums and masks before that

    def cue_more(self) -> None:
        """Add nodes that had no cues before: for the pipeline, after it has written."""
        if self.arrays is not None:
            self.arrays.count_cued()
            self.cued, self.cued_count = self.arrays.cued_array, self.arrays.cued_count
        else:
            self.cued = list(compress(range(self.size), self.cues))
            self.cued_count = len(self.cued)

    def forget(self) -> None:
        """Forget cached answers: for the pipeline, after it has written."""
        self._answers.clear()

    def measure(self) -> None:
        """Have the sums computed again: for the pipeline, after it has written."""
        self.forget()
        columns = self.arrays
        if columns is not None:
            columns.measure()
            self.weight_before, self.text_before = columns.weight_sums, columns.text_sums
            self.prose_before, self.protection_before = columns.prose_sums, columns.protection_sums
            return
        alive = bytes(self.alive)
        if alive != self._measured:
            for name in ("weight_before", "text_before", "prose_before"):
                self._drop_sums(name, self._measured)
            self._measured = alive
        protection = masked(self.protected, self.alive)
        if protection != self._measured_protection:
            self._drop_sums("protection_before", self._measured_protection)
            self._measured_protection = protection

    def _drop_sums(self, name: str, mask: bytes) -> None:
        sums = self.__dict__.pop(name, None)
        if sums is not None:
            self._before[name] = sums, mask

    def _work_out(self, name: str) -> Any:
        if name == "measured":
            return self
        value: Any
        if name == "prose_before":
            value = sparse_sums(self._prose, self.text_length, self._measured)
        elif name == "protection_before":
            value = running_sums(self.weight, self._measured_protection, self._before.get(name))
        else:
            values = self.weight if name == "weight_before" else self.text_length
            value = running_sums(values, self._measured, self._before.get(name))
        self.__dict__[name] = value
        return value

    def ask(self, question: Callable[[Page, L], T], limits: L) -> T:
        """Return a value that several rules need, computed once until the pipeline writes."""
        key = (question, id(limits))  # the reference kept below keeps the id valid
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = (question(self, limits), limits)
        return known[0]

    def share(self, start: int, end: int) -> float:
        """Return the share of the living weight in nodes [start, end)."""
        total = self.weight_before[-1]
        return (self.weight_before[end] - self.weight_before[start]) / total if total else 0.0

    @property
    def links(self) -> list[int]:
        """All links, in document order; nobody may change the list."""
        if self._links is None:
            self._links = self.sequence.find({"a"})
        return self._links

    def dominating(self, share: float) -> Group | None:
        """Return the best record group if it holds this share of the page."""
        best = self.best
        return best if best is not None and best.weight >= share * self.weight_before[-1] else None

    def weight_per_character(self, part: int) -> float:
        """Return the mean weight of a character of a part; 0 without text."""
        end = self.end[part]
        text = self.text_before[end] - self.text_before[part]
        return (self.weight_before[end] - self.weight_before[part]) / text if text else 0.0

    def children(self, node: int) -> list[int]:
        """Return the child nodes of a node."""
        found, child, stop = [], node + 1, self.end[node]
        while child < stop:
            found.append(child)
            child = self.end[child]
        return found

    def classes(self, index: int) -> frozenset[str]:
        """Return the classes of a node; none for texts."""
        symbol = self.symbols[index]
        found = self._classes.get(symbol)
        if found is None:
            found = self._classes[symbol] = frozenset((self.sequence.class_of(index) or "").split())
        return found

    def characters_in(self, start: int, end: int, mask: bytes | bytearray) -> int:
        """Return the characters of the nodes in [start, end) whose byte in a mask of the page is 1."""
        return sum(compress(self.text_length[start:end], mask[start:end]))

    def length_of(self, start: int, end: int) -> int:
        """Return the characters of the nodes in [start, end), alive or not."""
        return sum(self.text_length[start:end])

    def first_with(self, wanted: int, alive: bytes | bytearray | None = None) -> int:
        """Return the first node alive, now or by another mask, with one of these cues, or -1."""
        if not self.cues_found & wanted:
            return -1
        living = self.alive if alive is None else alive
        return next((index for index in self.cued if self.cues[index] & wanted and living[index]), -1)

    def all_with(self, wanted: int) -> list[int]:
        """Return the nodes with one of these cues, in document order."""
        if not self.cues_found & wanted:
            return []
        cues = self.cues
        return [index for index in self.cued if cues[index] & wanted]

    # The interface that C columns also have, for the loops

    def numbers(self, count: int) -> _Numbers:
        """Return room for so many numbers, 0 at first."""
        return _Numbers([0] * (count + 1))

    def numbers_of(self, values: MutableSequence[int]) -> _Numbers:
        """Return these numbers."""
        return _Numbers(values)

    def amounts(self, count: int) -> _Amounts:
        """Return room for so many numbers with fractions, 0 at first."""
        return _Amounts([0.0] * (count + 1))

    def fill(self, mask: bytearray, start: int, end: int, byte: int) -> None:
        """Write 0 or 1 for the nodes [start, end) into a mask of the page."""
        mask[start:end] = bytes([byte]) * (end - start)

    def pairs(self, wanted: int, weak: int) -> _Numbers:
        """Return a number for each node with cues: that of the pair of its tag and its wanted cues, weak ones shifted.

        It is -1 for nodes with none of these. A page has fewer pairs than nodes with cues, and they are numbered from 0
        on.
        """
        cues, tags = self.cues, self.tags
        number: dict[tuple[int, int], int] = {}
        return _Numbers(
            [
                number.setdefault((tags[index], cue), len(number))
                if (cue := (cues[index] | cues[index] >> weak) & wanted)
                else -1
                for index in self.cued
            ]
        )

    def sums_of(self, mask: bytearray) -> _Numbers:
        """Return the sums of a mask of the page before each node."""
        return _Numbers([0, *accumulate(mask)])

    def characters_in_links(self) -> _Numbers:
        """Return the characters in links before each node."""
        return _Numbers([0, *accumulate(map(mul, self.text_length, self.in_link))])

    def tally(self) -> Tally:
        """Return a tally of the tag paths in parts of the page."""
        return Tally(self.tags)

    def tag_sets(self, muted: bytearray) -> TagSets:
        """Return the set of the tag paths in the subtree of each node, without muted nodes."""
        return TagSets(subtree_sets(self.parent, self.tags, muted))

    def of_one_class(self, one: int, other: int) -> bool:
        """Whether two nodes have classes with the same stem."""
        stem = self.sequence.stem_of(one)
        return stem is not None and stem == self.sequence.stem_of(other)

    def are_similar(self, one: int, other: int, most_nodes: int, least_tags: int, least: float) -> bool:
        """Whether two parts, neither larger than so many nodes, share this part of their tag paths (modulo 128).

        Parts with fewer tag paths are not similar to any.
        """
        if self.end[one] - one > most_nodes or self.end[other] - other > most_nodes:
            return False
        of_one = self._tag_set(one)
        if of_one.bit_count() < least_tags:
            return False
        of_other = self._tag_set(other)
        return (of_one & of_other).bit_count() >= least * (of_one | of_other).bit_count()

    def _tag_set(self, index: int) -> int:
        bits = self._tag_sets.get(index)
        if bits is None:
            bits = 0
            for tag in set(self.tags[index : self.end[index]]):
                bits |= 1 << (tag & 127)
            self._tag_sets[index] = bits
        return bits
