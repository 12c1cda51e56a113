"""A page under a strategy: the columns, what each part is worth, and what has been removed so far."""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import accumulate, compress, pairwise
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps import hints, native
from scrapy_tps.strategies import AMBIGUOUS, NO_REGION, PRUNED, Selection, Span
from scrapy_tps.strategies.pagenumbers import page_numbers, with_page_numbers
from scrapy_tps.strategies.places import without_copies

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.regions import Split
    from scrapy_tps.sequence import TagPathSequence

#: Worth of a character by the length of its text node (below 15, below 30, longer), outside and inside of
#: links: what makes 12 products outweigh a menu of hundreds of links. Counting nodes instead, the published
#: search keeps all records on 67.6 % of the Testbed's pages, with these sizes on 77.9 % (docs/auto.md).
SHORT: Final = 15
MEDIUM: Final = 30
SHORT_TEXT_WORTH: Final = 0.6
SHORT_LINK_WORTH: Final = 0.1
MEDIUM_LINK_WORTH: Final = 0.35
LONG_LINK_WORTH: Final = 0.6
#: Text nodes of so many characters outside of links are prose.
PROSE: Final = 60
#: Parts with more text than this are no breadcrumb or pagination, whatever their names say.
_KEPT_CHARS: Final = 400
_KEPT_NODES: Final = 200


class Workspace:
    """Working state of one page.

    With the native core the columns are C arrays: Python may write to `alive` and `protected`, but never
    replace or resize a column.

    :ivar columns: the native columns, for functions that have a native twin, or None.
    :ivar semantics: whether hints are read, but for those of headings, breadcrumbs and pagination.
    :ivar size: number of nodes.
    :ivar parent, end, symbols: those of the sequence.
    :ivar tags: each node's path of tags, as a number (:func:`~scrapy_tps.hints.tag_symbols`).
    :ivar text: a byte for each node, 1 for text nodes.
    :ivar linked: a byte for each node, 1 inside of links.
    :ivar hints: each node's hints (:mod:`scrapy_tps.hints`).
    :ivar hinted: the nodes with hints, in document order.
    :ivar chars: each text node's size in characters.
    :ivar sizes: the same, as a column of numbers.
    :ivar worth: what each text node is worth: characters weighted by length, less inside of links.
    :ivar alive: a byte for each node, 0 where it has been removed.
    :ivar worths, texts, proses, protections: sums of worth, characters, prose and protected worth of what
        is alive before each node, so that a span's sum is one subtraction.
    :ivar first_heading: the page's first ``h1`` outside of furniture, or -1.
    """

    def __init__(self, sequence: TagPathSequence, *, semantics: bool = True) -> None:
        self.sequence, self.semantics = sequence, semantics
        self.size = len(sequence)
        self.first_heading = -1
        self.removed: list[tuple[int, int, str, str]] = []
        self.records: list[tuple[int, int, int]] = []
        self.parent: Sequence[int]
        self.end: Sequence[int]
        self.symbols: Sequence[int]
        self.tags: Sequence[int]
        self.hints: Sequence[int]
        self.hinted: Sequence[int]
        self.chars: Sequence[int]
        found, chars = hints.hint_columns(sequence)
        if not semantics:
            found = array("q", [hint & _ALWAYS for hint in found])
        self.columns: Any = native.columns(sequence, found, _WEIGHTS)
        if self.columns is not None:
            self._share_columns()
        else:
            self._make_columns(found, chars)
        self.measure()

    def _share_columns(self) -> None:
        columns = self.columns
        self.parent, self.end, self.tags = columns.parents, columns.ends, columns.tags
        self.symbols = columns.symbols
        self.hints, self.hinted, self.chars = columns.hints, columns.hinted, columns.chars
        self.linked, self.text = columns.linked, columns.text
        self.sizes, self.worth, self.prose = columns.sizes, columns.worth, columns.prose
        self.alive, self.protected = columns.alive, columns.protected

    def _make_columns(self, found: Sequence[int], chars: Sequence[int]) -> None:
        sequence, size = self.sequence, self.size
        self.parent, self.end, self.symbols = sequence.parent, sequence.end, sequence.symbols
        self.tags = hints.tag_symbols(sequence)
        self.hints, self.chars = found, chars
        self.hinted = list(compress(range(size), found))
        self.linked = bytearray(sequence.spread(hints.linked_symbols(sequence)))
        self.text = bytearray(sequence.spread(hints.is_text(sequence)))
        self.sizes = chars
        self.worth, self.prose = _text_worth(chars, self.linked)
        self.alive = bytearray(b"\x01") * size
        self.protected = bytearray(size)
        self._measured = self._guarded = b""  # what was alive, and protected besides, at the last measuring

    def measure(self) -> None:
        """Work out the sums anew; they hold until the next removal that matters."""
        columns = self.columns
        if columns is not None:
            columns.measure()
            self.worths, self.texts, self.proses = columns.worths, columns.texts, columns.proses
            self.protections = columns.protections
            return
        alive = bytes(self.alive)
        if alive != self._measured:
            self._measured = alive
            for name in ("worths", "texts", "proses"):
                self.__dict__.pop(name, None)
        self.measure_protection()

    def measure_protection(self) -> None:
        """Work out the sums of protected worth anew."""
        if self.columns is not None:
            self.columns.measure_protection()
            self.protections = self.columns.protections
            return
        guarded = masked(self.protected, self.alive)
        if guarded != self._guarded:
            self._guarded = guarded
            self.__dict__.pop("protections", None)

    # without the core, sums are worked out when they are asked for, of what was alive when they were measured

    @cached_property
    def worths(self) -> Sequence[float]:
        return running_sums(self.worth, self._measured)

    @cached_property
    def texts(self) -> Sequence[float]:
        return running_sums(self.sizes, self._measured)

    @cached_property
    def proses(self) -> Sequence[float]:
        return running_sums(self.prose, self._measured)

    @cached_property
    def protections(self) -> Sequence[float]:
        return running_sums(self.worth, self._guarded)

    def remove(self, start: int, end: int, rule: str, reason: str) -> None:
        """Remove nodes [start, end); headings, breadcrumbs and pagination in them will stay."""
        self.removed.append((start, end, rule, reason))
        self.alive[start:end] = bytes(end - start)

    def share(self, start: int, end: int) -> float:
        """The part of the living worth that nodes [start, end) hold."""
        total = self.worths[-1]
        return (self.worths[end] - self.worths[start]) / total if total else 0.0

    def first_with(self, wanted: int) -> int:
        """The first node alive with one of these hints, or -1."""
        if self.columns is not None:
            return self.columns.first_with(wanted)  # type: ignore[no-any-return]
        return next((index for index in self.hinted if self.hints[index] & wanted and self.alive[index]), -1)

    def all_with(self, wanted: int) -> list[int]:
        """The nodes with one of these hints, in document order."""
        if self.columns is not None:
            return self.columns.all_with(wanted)  # type: ignore[no-any-return]
        return [index for index in self.hinted if self.hints[index] & wanted]

    def with_symbols(self, symbols: set[int]) -> bytearray:
        """A byte for each node, 1 where its symbol is one of these."""
        if self.columns is not None:
            return _PARTS.with_symbols(self.columns, symbols)  # type: ignore[no-any-return]
        return bytearray(map(symbols.__contains__, self.symbols))

    def kept_always(self) -> list[int]:
        """Headings, breadcrumbs and pagination: roots of the parts that stay whatever holds them."""
        wanted = _ALWAYS
        if self.columns is not None:
            return self.columns.kept_always(wanted, _KEPT_NODES, _KEPT_CHARS)  # type: ignore[no-any-return]
        end, texts = self.end, list(accumulate(self.chars, initial=0))
        return [
            index
            for index in self.hinted
            if self.hints[index] & wanted
            and end[index] - index < _KEPT_NODES
            and texts[end[index]] - texts[index] <= _KEPT_CHARS
        ]

    def selection(self, splits: Sequence[Split] = ()) -> Selection:
        """What stays and what goes, as disjoint spans in document order."""
        if not self.removed:
            return Selection(NO_REGION, [Span(0, self.size, True, "nothing could go without doubt", "whole")])
        numbered = page_numbers(self)
        owned, nothing_left = self._owned([*without_copies(self, self.kept_always()), *numbered])
        if nothing_left:
            return Selection(
                AMBIGUOUS, [Span(0, self.size, True, "all of the text would have gone", "whole")]
            )
        spans = []
        for start, end, owner in owned:
            if owner < 0:
                spans.append(Span(start, end, True, "repeated records of the same make", "records"))
            else:
                _, _, rule, reason = self.removed[owner - 1]
                spans.append(Span(start, end, False, reason, rule))
        if numbered:
            spans = with_page_numbers(spans, [(root, self.end[root]) for root in numbered])
        return Selection(PRUNED, spans, splits)

    def _owned(self, kept: list[int]) -> tuple[list[tuple[int, int, int]], bool]:
        """Return (start, end, owner) of runs of nodes without the parts that are kept, and whether no text is left.

        An owner is the number of the first removal that took them, from 1 on, or -1: records.
        """
        if self.columns is not None:
            return self.columns.spans(self.removed, kept, self.records)  # type: ignore[no-any-return]
        owner = [0] * self.size
        borders = {0}  # owners change at the ends of parts alone
        for number, (start, end, _, _) in enumerate(self.removed, 1):
            borders.add(start)
            borders.add(end)
            held = owner[start:end]
            if free := held.count(0):
                whole = free == end - start
                owner[start:end] = [number] * free if whole else [one or number for one in held]
        for start in kept:
            end = self.end[start]
            borders |= {start, end}
            owner[start:end] = [0] * (end - start)
        for start, end, _ in self.records:
            borders |= {start, end}
            owner[start:end] = [one or -1 for one in owner[start:end]]
        borders.discard(self.size)
        owned: list[tuple[int, int, int]] = []
        for start, end in pairwise([*sorted(borders), self.size]):
            if owned and owned[-1][2] == owner[start]:
                owned[-1] = (owned[-1][0], end, owner[start])
            else:
                owned.append((start, end, owner[start]))
        left = any(any(self.chars[start:end]) for start, end, number in owned if number <= 0)
        return [run for run in owned if run[2]], not left and any(self.chars)


_PARTS: Final = native.extension("_parts")
_ALWAYS: Final = hints.HEADING | hints.BREADCRUMB | hints.PAGER


def running_sums(values: Iterable[float], mask: bytes | bytearray) -> list[float]:
    """Return the sums of all values before each place, and of all at the end, where the mask has a 1."""
    start = mask.find(0)
    if start >= 0:
        # run by run, of which there are few, instead of value by value
        values = list(values)
        while start >= 0:
            stop = mask.find(1, start)
            if stop < 0:
                stop = len(mask)
            values[start:stop] = [0.0] * (stop - start)
            start = mask.find(0, stop)
    return list(accumulate(values, initial=0.0))


def masked(one: bytearray, other: bytearray) -> bytes:
    """Return a mask of what has a 1 in both."""
    common = int.from_bytes(one, "little") & int.from_bytes(other, "little")
    return common.to_bytes(len(one), "little")


def _text_worth(chars: Sequence[int], linked: bytearray) -> tuple[list[float], list[float]]:
    """The worth of texts, and the prose among them."""
    of_link = _Worths(1)
    worth = list(map(_Worths(0).__getitem__, chars))
    for index in compress(range(len(chars)), linked):
        worth[index] = of_link[chars[index]]
    prose = [0.0] * len(chars)
    for index in compress(range(len(chars)), map(PROSE.__le__, chars)):
        if not linked[index]:
            prose[index] = chars[index]
    return worth, prose


_WEIGHTS: Final = (
    SHORT,
    MEDIUM,
    PROSE,
    SHORT_TEXT_WORTH,
    SHORT_LINK_WORTH,
    MEDIUM_LINK_WORTH,
    LONG_LINK_WORTH,
)


class _Worths(dict[int, float]):
    """The worth of texts by size: a page has few sizes, and a look-up costs a third of a call."""

    def __init__(self, link: int) -> None:
        super().__init__({0: 0.0})
        self._link = link

    def __missing__(self, size: int) -> float:
        worth = self[size] = _worth(size, self._link)
        return worth


def _worth(size: int, link: int) -> float:
    if link:
        if size < SHORT:
            return size * SHORT_LINK_WORTH
        return size * (MEDIUM_LINK_WORTH if size < MEDIUM else LONG_LINK_WORTH)
    return size * SHORT_TEXT_WORTH if size < SHORT else float(size)
