"""A page under a strategy: the columns, what each part is worth, and what has been removed so far."""

from __future__ import annotations

from array import array
from functools import cached_property, reduce
from itertools import accumulate, compress, islice
from operator import mul, or_
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps import hints, native
from scrapy_tps.strategies import AMBIGUOUS, NO_REGION, PRUNED, Selection, Span
from scrapy_tps.strategies.bylines import bylines
from scrapy_tps.strategies.masks import first_difference, masked
from scrapy_tps.strategies.nextlinks import next_links
from scrapy_tps.strategies.pagenumbers import page_numbers
from scrapy_tps.strategies.places import without_copies
from scrapy_tps.strategies.spans import Spans
from scrapy_tps.strategies.titles import titles

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        self._classes: dict[int, frozenset[str]] = {}  # by symbol
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
        self.sizes = columns.chars
        self.alive, self.protected = columns.alive, columns.protected

    def _make_columns(self, found: Sequence[int], chars: Sequence[int]) -> None:
        sequence, size = self.sequence, self.size
        self.parent, self.end, self.symbols = sequence.parent, sequence.end, sequence.symbols
        self.tags = hints.tag_symbols(sequence)
        self.hints, self.chars = found, chars
        self.hinted = list(compress(range(size), found))
        # hints that some node may have: what follows from names that speak of consent anywhere is added later
        self._found = reduce(or_, set(found), 0)
        self._found |= self._found >> hints.WEAK & hints.CONSENT
        self.linked = sequence.spread_bytes(hints.linked_symbols(sequence))
        self.text = sequence.text_mask()
        self.sizes = chars
        self.worth, self._prose = _text_worth(chars, self.text, self.linked)
        self.alive = bytearray(b"\x01") * size
        self.protected = bytearray(size)
        self._measured = self._guarded = b""  # what was alive, and protected besides, at the last measuring
        self._before: dict[str, tuple[list[float], bytes]] = {}  # sums and masks before that

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
            for name in ("worths", "texts", "proses"):
                self._drop_sums(name, self._measured)
            self._measured = alive
        self.measure_protection()

    def measure_protection(self) -> None:
        """Work out the sums of protected worth anew."""
        if self.columns is not None:
            self.columns.measure_protection()
            self.protections = self.columns.protections
            return
        guarded = masked(self.protected, self.alive)
        if guarded != self._guarded:
            self._drop_sums("protections", self._guarded)
            self._guarded = guarded

    def _drop_sums(self, name: str, mask: bytes) -> None:
        sums = self.__dict__.pop(name, None)
        if sums is not None:
            self._before[name] = sums, mask

    # without the core, sums are worked out when they are asked for, of what was alive when they were measured, and
    # from the first node on that has gone since they were last worked out

    @cached_property
    def worths(self) -> Sequence[float]:
        return running_sums(self.worth, self._measured, self._before.get("worths"))

    @cached_property
    def texts(self) -> Sequence[float]:
        return running_sums(self.sizes, self._measured, self._before.get("texts"))

    @cached_property
    def proses(self) -> Sequence[float]:
        return sparse_sums(self._prose, self.sizes, self._measured)

    @cached_property
    def protections(self) -> Sequence[float]:
        return running_sums(self.worth, self._guarded, self._before.get("protections"))

    def remove(self, start: int, end: int, rule: str, reason: str) -> None:
        """Remove nodes [start, end); headings, breadcrumbs and pagination in them will stay."""
        self.removed.append((start, end, rule, reason))
        self.alive[start:end] = bytes(end - start)

    def share(self, start: int, end: int) -> float:
        """The part of the living worth that nodes [start, end) hold."""
        if self.columns is not None:
            return self.columns.share(start, end)  # type: ignore[no-any-return]
        total = self.worths[-1]
        return (self.worths[end] - self.worths[start]) / total if total else 0.0

    def classes(self, index: int) -> frozenset[str]:
        """The classes of a node; none of texts."""
        symbol = self.symbols[index]
        found = self._classes.get(symbol)
        if found is None:
            found = self._classes[symbol] = frozenset((self.sequence.class_of(index) or "").split())
        return found

    def chars_in(self, start: int, end: int, mask: bytes | bytearray) -> int:
        """The characters of the nodes in [start, end) whose byte in a mask of the page is 1."""
        if self.columns is not None:
            return self.columns.chars_in(start, end, mask)  # type: ignore[no-any-return]
        return sum(compress(self.chars[start:end], mask[start:end]))

    def first_with(self, wanted: int) -> int:
        """The first node alive with one of these hints, or -1."""
        if self.columns is not None:
            return self.columns.first_with(wanted)  # type: ignore[no-any-return]
        if not self._found & wanted:
            return -1
        return next((index for index in self.hinted if self.hints[index] & wanted and self.alive[index]), -1)

    def all_with(self, wanted: int) -> list[int]:
        """The nodes with one of these hints, in document order."""
        if self.columns is not None:
            return self.columns.all_with(wanted)  # type: ignore[no-any-return]
        if not self._found & wanted:
            return []
        hints = self.hints
        return [index for index in self.hinted if hints[index] & wanted]

    def with_symbols(self, symbols: set[int]) -> bytearray:
        """A byte for each node, 1 where its symbol is one of these."""
        return bytearray(map(symbols.__contains__, self.symbols))

    def kept_always(self) -> list[int]:
        """Headings, breadcrumbs and pagination: roots of the parts that stay whatever holds them."""
        wanted = _ALWAYS
        if self.columns is not None:
            return self.columns.kept_always(wanted, _KEPT_NODES, _KEPT_CHARS)  # type: ignore[no-any-return]
        if not self._found & wanted:
            return []
        hints, end, chars = self.hints, self.end, self.chars
        return [
            index
            for index in self.hinted
            if hints[index] & wanted
            and end[index] - index < _KEPT_NODES
            and sum(chars[index : end[index]]) <= _KEPT_CHARS
        ]

    def selection(self, splits: Sequence[Split] = ()) -> Selection:
        """What stays and what goes, as disjoint spans in document order."""
        if not self.removed:
            return Selection(NO_REGION, [Span(0, self.size, True, "nothing could go without doubt", "whole")])
        numbered = page_numbers(self)
        kept = [*without_copies(self, self.kept_always()), *numbered]
        if self.semantics:
            kept += [*titles(self), *bylines(self)]
        turning = next_links(self, kept)
        pages = [(root, "page numbers: links that count upwards") for root in numbered]
        pages += [(link, "a link to the next page or the one before") for link in turning]
        pages.sort()
        kept += turning
        if not self._has_text_beside(kept):
            reason = "nothing but headings and links to other pages would have been left"
            return Selection(AMBIGUOUS, [Span(0, self.size, True, reason, "whole")])
        runs = self._runs(kept, [root for root, _ in pages])
        return Selection(PRUNED, Spans(runs, self.removed, [reason for _, reason in pages]), splits)

    def _has_text_beside(self, kept: list[int]) -> bool:
        """Whether text stays outside of the parts that stay in any case, or the page has none."""
        if self.columns is not None:
            return self.columns.has_text_beside(kept)  # type: ignore[no-any-return]
        mask = bytearray(self.alive)
        for start in kept:
            mask[start : self.end[start]] = bytes(self.end[start] - start)
        return any(compress(self.chars, mask)) or not any(self.chars)

    def _runs(self, kept: list[int], pages: list[int]) -> Sequence[int]:
        """Return start, end and owner of runs of nodes, one after the other.

        An owner is the number of the first removal that took them, from 1 on; -1: records; -2, -3 and so on: the
        first, second … of the `pages`. The other parts that are kept have none and are in no run.
        """
        if self.columns is not None:
            return self.columns.spans(self.removed, kept, self.records, pages)  # type: ignore[no-any-return]
        size = self.size
        owner = [0] * size
        borders = bytearray(size + 1)  # owners change at the ends of parts alone
        for number, (start, end, _, _) in enumerate(self.removed, 1):
            borders[start] = borders[end] = 1
            _own(owner, start, end, number)
        for start in kept:
            end = self.end[start]
            borders[start] = borders[end] = 1
            owner[start:end] = [0] * (end - start)
        for start, end, _ in self.records:
            borders[start] = borders[end] = 1
            _own(owner, start, end, -1)
        for number, start in enumerate(pages):
            borders[start] = borders[self.end[start]] = 1
            _own(owner, start, self.end[start], -2 - number)
        owned: list[tuple[int, int, int]] = []
        begin, last = 0, owner[0]
        for border in compress(range(1, size), islice(borders, 1, None)):
            here = owner[border]
            if here != last:
                owned.append((begin, border, last))
                begin, last = border, here
        owned.append((begin, size, last))
        return [number for run in owned if run[2] for number in run]


def _own(owner: list[int], start: int, end: int, number: int) -> None:
    """Write a number wherever in this part there is none."""
    held = owner[start:end]
    if free := held.count(0):
        whole = free == end - start
        owner[start:end] = [number] * free if whole else [one or number for one in held]


_ALWAYS: Final = hints.HEADING | hints.BREADCRUMB | hints.PAGER


def running_sums(
    values: Sequence[float], mask: bytes | bytearray, before: tuple[list[float], bytes] | None = None
) -> list[float]:
    """Return the sums of all values before each place, and of all at the end, where the mask has a 1.

    :param before: the sums of the same values by another mask, and that mask: the same up to where the masks differ.
    """
    sums, start = [0.0], 0
    if before is not None:
        start = first_difference(before[1], mask)
        sums = before[0][: start + 1]
    if mask.count(_BORDER, start) > (len(mask) - start) // _LEAST_ROW:
        total = sums.pop()
        sums += accumulate(map(mul, values[start:], mask[start:]), initial=total)
        return sums
    # row by row, of which there are few, instead of value by value
    while True:
        stop = mask.find(1, start)
        if stop < 0:
            stop = len(mask)
        total = sums[-1]
        sums += [total] * (stop - start)
        if stop == len(mask):
            return sums
        start = mask.find(0, stop)
        if start < 0:
            start = len(mask)
        sums.pop()
        sums += accumulate(values[stop:start], initial=total)


def sparse_sums(places: Sequence[int], values: Sequence[float], mask: bytes | bytearray) -> list[float]:
    """Return what :func:`running_sums` returns for values that are 0 but at these ascending places."""
    sums: list[float] = []
    total, before = 0.0, -1
    for place in places:
        if mask[place]:
            sums += [total] * (place - before)
            total += values[place]
            before = place
    sums += [total] * (len(mask) - before)
    return sums


def _text_worth(chars: Sequence[int], text: bytearray, linked: bytearray) -> tuple[list[float], list[int]]:
    """The worth of texts, and the places of the prose among them."""
    of_text = (_Worths(0), _Worths(1))
    worth = [0.0] * len(chars)
    prose = []
    for place, size, link in zip(
        compress(range(len(chars)), text), compress(chars, text), compress(linked, text), strict=True
    ):
        worth[place] = of_text[link][size]
        if size >= PROSE and not link:
            prose.append(place)
    return worth, prose


#: The end of a row of nodes that count. With shorter rows than `_LEAST_ROW`, sums are made value by value.
_BORDER: Final = b"\x01\x00"
_LEAST_ROW: Final = 16
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
