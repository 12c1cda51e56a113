"""The texts and tag paths of a page as stable hashes: what one page of a site is compared with another by.

A text is its letters and digits: ASCII in lower case without punctuation and white space, other characters as they are.
A tag path is the chain of tags and sets of classes, digits in them read as 0 (``item-17`` is ``item-00``). Both are
hashed to 32 bits, eight bytes at a time, on every machine alike: of the 4,000 texts of a site, one in a million is
taken for another.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate, compress
from operator import and_, gt
from struct import unpack
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from scrapy_tps.engine.native import NativeSequence, extension
from scrapy_tps.engine.sequence.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: The share of a text that stayed is kept as a whole number up to this one.
WHOLE: Final = 255

_CORE: Final[Any] = extension("sites")
#: What :func:`gathered` returns: the core's own, or a set.
Gathered: TypeAlias = Any
_ASCII: Final = bytes(range(128))
#: What is no letter or digit of ASCII.
_LEFT_OUT: Final = bytes(byte for byte in _ASCII if not chr(byte).isalnum())
_LOWER: Final = bytes(range(256)).lower()
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_MASK: Final = 0xFFFFFFFF
#: Odd, and near the golden ratio of 2 ** 32: Knuth's multiplicative hashing.
_SPREAD: Final = 0x9E3779B1
_TIMES: Final = 0x85EBCA6B
_WIDE: Final = 0xFFFFFFFFFFFFFFFF
#: The same of 2 ** 64.
_FACTOR: Final = 0x9E3779B97F4A7C15


class Texts:
    """Texts of a page, in hashes, and what other pages say of each.

    :ivar places: the text nodes with letters or digits, in document order.
    :ivar before: for each node and the end of the page, the number of these before it.
    :ivar lengths: the visible characters of each.
    :ivar texts: the hash of each one's text.
    :ivar paths: the hash of each one's tag path.
    :ivar new: for each 1 where no other page has it, else 0; empty where no other page is known.
    :ivar new_length: the visible characters of those that are new.
    :ivar repeated: for each 1 where each of some pages has it at the same tag path, as often; empty where nothing is
        said of that. What is new is not repeated.
    """

    __slots__ = (
        "_others",
        "_pairs",
        "before",
        "lengths",
        "new",
        "new_length",
        "paths",
        "places",
        "repeated",
        "texts",
    )

    def __init__(
        self,
        places: array[int],
        before: array[int],
        lengths: array[int],
        texts: array[int],
        paths: array[int],
    ) -> None:
        self.places, self.before = places, before
        self.lengths, self.texts, self.paths = lengths, texts, paths
        self.new: bytes | bytearray = b""
        self.new_length = 0
        self.repeated: bytes | bytearray = b""
        self._others: list[tuple[array[int], bytes]] = []
        self._pairs: array[int] | None = None

    def compare(
        self, held: Gathered, common: Gathered | None, others: list[tuple[array[int], bytes]]
    ) -> None:
        """Take over what other pages say: see :meth:`PageTexts.compared`."""
        self._others = others
        self.new = bytes(text not in held for text in self.texts)
        self.new_length = sum(compress(self.lengths, self.new))
        if common is not None:
            self.repeated = bytes(
                not new and pair in common for new, pair in zip(self.new, self.pairs, strict=True)
            )

    @property
    def pairs(self) -> array[int]:
        """The hash of each one's text and tag path, and of how often they are there: few pages are asked."""
        if self._pairs is None:
            self._pairs = _hashes_of_pairs(self.paths, self.texts)
        return self._pairs

    def amounts_kept(self, wanted: list[int]) -> tuple[int, int, float]:
        """Return the characters of some texts, those whose tag path other pages have, and how much of these they kept.

        :param wanted: the texts, by their numbers.
        """
        size = known = 0
        kept = 0.0
        for text in wanted:
            path, length = self.paths[text], self.lengths[text]
            size += length
            shares = []
            for paths, shares_kept in self._others:
                place = bisect_left(paths, path)
                if place < len(paths) and paths[place] == path:
                    shares.append(shares_kept[place])
            if shares:
                known += length
                kept += sum(shares) / (WHOLE * len(shares)) * length
        return size, known, kept


def page_texts(sequence: TagPathSequence) -> PageTexts:
    """Return the texts of a page, of a native walk those of the core."""
    if _CORE is not None and isinstance(sequence, NativeSequence):
        return _CORE.PageTexts(sequence.native_walk)  # type: ignore[no-any-return]
    return PageTexts(sequence)


class PageTexts:
    """The texts of a page, read when they are asked for: before anything changes its tree.

    :ivar elements: the hashes of the tag paths of the page's elements, ascending.
    """

    __slots__ = ("_all", "_of_symbols", "_sequence", "elements")

    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        self._all: Texts | None = None
        self._of_symbols, self.elements = _symbol_hashes(sequence)

    def alike(self, others: list[array[int]], most: int, share: float) -> list[bool]:
        """Say of the elements of other pages whether they overlap with those of this one by a share (Jaccard).

        :param most: of this page the first so many are looked at.
        """
        return [overlap >= share for overlap in overlaps(self.elements[:most], others)]

    def all(self) -> Texts:
        """All texts of the page."""
        return self.compared(None, None, None, []) if self._all is None else self._all

    def compared(
        self,
        stays: bytes | bytearray | None,
        held: Gathered | None,
        common: Gathered | None,
        others: list[tuple[array[int], bytes]],
    ) -> Texts:
        """Return texts of the page, and what other pages say of each.

        :param stays: a byte for each node; texts with 1 are not read; None: all are.
        :param held: the texts of the other pages; None: nothing is said of either.
        :param common: the texts with their tag paths that each of some pages has, as often; None: nothing is said of
            what is repeated.
        :param others: of each other page the tag paths of its texts, ascending, and how much of the text at each
            stayed.
        """
        texts = self._read(stays)
        if held is not None:
            texts.compare(held, common, others)
        if stays is None:
            self._all = texts
        return texts

    def new_characters(
        self, stays: bytes | bytearray, held: Gathered, found: int, share: float, amount: float
    ) -> int:
        """Add to a number the characters of texts that stay and no other page has, until this share of it is more.

        :param stays: a byte for each node, 1 where it stays.
        :param held: the texts of the other pages.
        :param found: the number.
        :param amount: more than this.
        """
        sequence = self._sequence
        for node in compress(range(len(sequence)), map(and_, sequence.text_mask(), stays)):
            if share * found > amount:
                break
            text = _text_hash(sequence, node)
            if text and text not in held:
                found += sequence.chars[node]
        return found

    def _read(self, stays: bytes | bytearray | None) -> Texts:
        sequence = self._sequence
        mask = sequence.text_mask()
        if stays is not None:
            mask = bytearray(map(gt, mask, stays))
        nodes = list(compress(range(len(sequence)), mask))
        hashes = [_text_hash(sequence, node) for node in nodes]
        # the hash of nothing is 0
        places = array("i", compress(nodes, hashes))
        is_text = bytearray(len(sequence))
        for place in places:
            is_text[place] = 1
        of_nodes, of_symbols = sequence.symbols, self._of_symbols
        return Texts(
            places,
            array("i", accumulate(is_text, initial=0)),
            array("i", [sequence.chars[place] for place in places]),
            array("I", filter(None, hashes)),
            array("I", [of_symbols[of_nodes[place]] for place in places]),
        )


def _hashes_of_pairs(paths: array[int], texts: array[int]) -> array[int]:
    both = [(path * _SPREAD ^ text) & _MASK for path, text in zip(paths, texts, strict=True)]
    times = Counter(both)
    return array("I", [(pair ^ times[pair] * _TIMES) & _MASK for pair in both])


def overlaps(one: array[int], others: list[array[int]]) -> list[float]:
    """Return the overlap of an ascending array without repetitions with each of others.

    That is the size of what is in both by the size of what is in one of them (Jaccard).
    """
    if _CORE is not None:
        return _CORE.overlaps(one, others)  # type: ignore[no-any-return]
    own = set(one)
    shared = [len(own.intersection(other)) for other in others]
    return [both / max(1, len(own) + len(other) - both) for both, other in zip(shared, others, strict=True)]


def gathered(others: Sequence[array[int]], *, every: bool = False) -> Gathered:
    """Return the numbers that one of some ascending arrays without repetitions, or with `every` each of them, holds.

    They are made once, and asked for many pages: 8 to 12 bytes a number.

    :param others: the arrays; with `every` at least one.
    """
    if every and not others:
        raise ValueError("nothing can be held by each of no pages")
    if _CORE is not None:
        return _CORE.gathered(list(others), every)
    return frozenset(others[0]).intersection(*others[1:]) if every else frozenset().union(*others)


def smallest(numbers: array[int], most: int) -> array[int]:
    """Return the smallest of some numbers, ascending, each once."""
    if _CORE is not None:
        return _CORE.smallest(numbers, most)  # type: ignore[no-any-return]
    return array("I", sorted(set(numbers))[:most])


def kept_shares(page: Texts, mask: bytes | bytearray, most: int) -> tuple[array[int], bytes]:
    """Return the smallest tag paths of texts, ascending, and how much of the text at each stayed, up to :data:`WHOLE`.

    :param mask: a byte for each node, 1 where it stays.
    """
    if _CORE is not None:
        return _CORE.kept_shares(page.paths, page.places, page.lengths, mask, most)  # type: ignore[no-any-return]
    all_of_it: dict[int, int] = defaultdict(int)
    kept: dict[int, int] = defaultdict(int)
    for path, place, length in zip(page.paths, page.places, page.lengths, strict=True):
        all_of_it[path] += length
        if mask[place]:
            kept[path] += length
    paths = array("I", sorted(all_of_it)[:most])
    return paths, bytes(WHOLE * kept[path] // max(1, all_of_it[path]) for path in paths)


def _symbol_hashes(sequence: TagPathSequence) -> tuple[array[int], array[int]]:
    """Return the hash of each symbol of a sequence, and those of elements, ascending."""
    found = array("I")
    known: dict[tuple[str, str | None], int] = {}
    for above, tag, classes in zip(
        sequence.symbol_parent, sequence.symbol_tag, sequence.symbol_class, strict=True
    ):
        own = known.get((tag, classes))
        if own is None:
            own = known[tag, classes] = _own_hash(tag, classes)
        found.append((found[above] * _SPREAD + own) & _MASK if above >= 0 else own)
    elements = {number for number, tag in zip(found, sequence.symbol_tag, strict=True) if tag != TEXT}
    return found, array("I", sorted(elements))


def _text_hash(sequence: TagPathSequence, node: int) -> int:
    return _hash(sequence.text_of(node).encode().translate(_LOWER, _LEFT_OUT))


def _own_hash(tag: str, classes: str | None) -> int:
    """The hash of one step of a tag path."""
    own = _hash(tag.encode())
    if classes is None:
        return own
    return (own + _SPREAD * sum(map(_hash, classes.encode().translate(_DIGITS).split()))) & _MASK


def _hash(string: bytes) -> int:
    """The hash of a string: eight bytes at a time, the last ones filled with 0, are multiplied in; 0 of nothing."""
    words = len(string) + 7 >> 3
    found = 0
    for word in unpack(f"<{words}Q", string.ljust(8 * words, b"\0")):
        found = (found ^ word) * _FACTOR & _WIDE
        found ^= found >> 32
    return found & _MASK
