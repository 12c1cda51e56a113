"""A page under a strategy: the columns, what each part is worth, and what has been removed so far."""

from __future__ import annotations

from itertools import accumulate, compress
from typing import TYPE_CHECKING, Final

from scrapy_tps import hints
from scrapy_tps.native import NativeSequence, numbers, running_sums
from scrapy_tps.strategies import AMBIGUOUS, NO_REGION, PRUNED, Selection, Span

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

    :ivar size: number of nodes.
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
        self.sequence = sequence
        self.size = len(sequence)
        self.parent, self.end = sequence.parent, sequence.end
        self.tags = hints.tag_symbols(sequence)
        found, self.chars = hints.hint_columns(sequence)
        self.hints = found if semantics else [hint & _ALWAYS for hint in found]
        self.hinted = list(compress(range(self.size), self.hints))
        self.linked, self.text, self.sizes, self.worth, self.prose = _text_columns(sequence, self.chars)
        self.alive = bytearray(b"\x01") * self.size
        self.protected = bytearray(self.size)
        self.first_heading = -1
        self.removed: list[tuple[int, int, str, str]] = []
        self.records: list[tuple[int, int, int]] = []
        self._measured = b""  # what was alive when the sums were worked out
        self.measure()

    def measure(self) -> None:
        """Work out the sums anew; they hold until the next removal that matters."""
        if self.alive != self._measured:
            self._measured = bytes(self.alive)
            self.worths = running_sums(self.worth, self.alive)
            self.texts = running_sums(self.sizes, self.alive)
            self.proses = running_sums(self.prose, self.alive)
        self.measure_protection()

    def measure_protection(self) -> None:
        """Work out the sums of protected worth anew."""
        self.protections = running_sums(self.worth, self.protected, self.alive)

    def remove(self, start: int, end: int, rule: str, reason: str) -> None:
        """Remove nodes [start, end); headings, breadcrumbs and pagination in them will stay."""
        self.removed.append((start, end, rule, reason))
        self.alive[start:end] = bytes(end - start)

    def share(self, start: int, end: int) -> float:
        """The part of the living worth that nodes [start, end) hold."""
        total = self.worths[-1]
        return (self.worths[end] - self.worths[start]) / total if total else 0.0

    def kept_always(self) -> list[int]:
        """Headings, breadcrumbs and pagination: roots of the parts that stay whatever holds them."""
        wanted = hints.HEADING | hints.BREADCRUMB | hints.PAGER
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
        owner = [0] * self.size
        for number, (start, end, _, _) in enumerate(self.removed, 1):
            if 0 in owner[start:end]:
                owner[start:end] = [held or number for held in owner[start:end]]
        for start in self.kept_always():
            owner[start : self.end[start]] = [0] * (self.end[start] - start)
        for start, end, _ in self.records:
            owner[start:end] = [held or -1 for held in owner[start:end]]
        spans = _spans(owner, self)
        left = sum(compress(self.chars, (held <= 0 for held in owner)))
        if left == 0 < sum(self.chars):
            return Selection(
                AMBIGUOUS, [Span(0, self.size, True, "all of the text would have gone", "whole")]
            )
        return Selection(PRUNED, spans, splits)


_ALWAYS: Final = hints.HEADING | hints.BREADCRUMB | hints.PAGER


def _text_columns(
    sequence: TagPathSequence, chars: Sequence[int]
) -> tuple[bytearray, bytearray, Sequence[float], Sequence[float], Sequence[float]]:
    """Whether nodes are inside of links, and whether they are texts; sizes, worth and prose of texts."""
    linked_symbols = hints.linked_symbols(sequence)
    if isinstance(sequence, NativeSequence):
        return sequence.text_columns(linked_symbols, _WEIGHTS)
    linked = bytearray(sequence.spread(linked_symbols))
    text = bytearray(sequence.spread(hints.is_text(sequence)))
    of_text, of_link = _Worths(0), _Worths(1)
    worth = [of_link[size] if link else of_text[size] for size, link in zip(chars, linked, strict=True)]
    prose = [size if size >= PROSE and not link else 0 for size, link in zip(chars, linked, strict=True)]
    return linked, text, numbers(chars), numbers(worth), numbers(prose)


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


def _spans(owner: list[int], page: Workspace) -> list[Span]:
    spans: list[Span] = []
    start = 0
    size = len(owner)
    while start < size:
        held = owner[start]
        end = start + 1
        while end < size and owner[end] == held:
            end += 1
        if held > 0:
            _, _, rule, reason = page.removed[held - 1]
            spans.append(Span(start, end, False, reason, rule))
        elif held < 0:
            spans.append(Span(start, end, True, "repeated records of the same make", "records"))
        start = end
    return spans
