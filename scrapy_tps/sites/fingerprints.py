"""The texts and tag paths of a page as stable hashes: what one page of a site is compared with another by.

A text is its letters and digits: ASCII in lower case without punctuation and white space, other characters as they are.
A tag path is the chain of tags and sets of classes, digits in them read as 0 (``item-17`` is ``item-00``). Both are
hashed with CRC-32, eight bytes at a time, on every machine alike: of the 4,000 texts of a site, one in a million is
taken for another.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import compress
from operator import and_, gt
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from zlib import crc32

from scrapy_tps.engine.native import NativeSequence, extension
from scrapy_tps.engine.sequence.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

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


class Texts:
    """Texts of a page, in hashes.

    :ivar places: the text nodes with letters or digits, in document order.
    :ivar lengths: the visible characters of each.
    :ivar texts: the hash of each one's text.
    :ivar paths: the hash of each one's tag path.
    """

    __slots__ = ("_pairs", "lengths", "paths", "places", "texts")

    def __init__(self, places: array[int], lengths: array[int], texts: array[int], paths: array[int]) -> None:
        self.places, self.lengths, self.texts, self.paths = places, lengths, texts, paths
        self._pairs: array[int] | None = None

    @property
    def pairs(self) -> array[int]:
        """The hash of each one's text and tag path, and of how often they are there: few pages are asked."""
        if self._pairs is None:
            self._pairs = _hashes_of_pairs(self.paths, self.texts)
        return self._pairs


class PageTexts:
    """The texts of a page, read when they are asked for: before anything changes its tree.

    :ivar elements: the hashes of the tag paths of the page's elements, ascending.
    """

    __slots__ = ("_all", "_of_symbols", "_sequence", "_walk", "elements")

    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        self._all: Texts | None = None
        self._walk = (
            sequence.native_walk if _CORE is not None and isinstance(sequence, NativeSequence) else None
        )
        self._of_symbols: array[int]  # in pure Python
        if self._walk is not None:
            self.elements: array[int] = _CORE.element_hashes(self._walk)
        else:
            self._of_symbols, self.elements = _symbol_hashes(sequence)

    def all(self) -> Texts:
        """All texts of the page."""
        if self._all is None:
            self._all = self.compared(None, None, None)[0]
        return self._all

    def compared(
        self, stays: bytes | bytearray | None, held: Gathered | None, common: Gathered | None
    ) -> tuple[Texts, bytes | bytearray, bytes | bytearray]:
        """Return texts of the page, and of each whether it is new, and whether it is repeated.

        :param stays: a byte for each node; texts with 1 are not read; None: all are.
        :param held: the texts of the other pages; None: nothing is said of either.
        :param common: the texts with their tag paths that each of some pages has, as often: those that are repeated, if
            they are not new; None: nothing is said of them.
        """
        if self._walk is not None:
            places, lengths, hashes, paths, new, repeated = _CORE.compared_texts(
                self._walk, stays, held, common
            )
            texts = Texts(places, lengths, hashes, paths)
        else:
            texts = self._read(stays)
            new = b"" if held is None else bytes(text not in held for text in texts.texts)
            repeated = b"" if held is None or common is None else _repeated(texts, new, common)
        if stays is None:
            self._all = texts
        return texts, new, repeated

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
        if self._walk is not None:
            return _CORE.new_characters(self._walk, stays, held, found, share, amount)  # type: ignore[no-any-return]
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
        of_nodes, of_symbols = sequence.symbols, self._of_symbols
        return Texts(
            places,
            array("i", [sequence.chars[place] for place in places]),
            array("I", filter(None, hashes)),
            array("I", [of_symbols[of_nodes[place]] for place in places]),
        )


def _hashes_of_pairs(paths: array[int], texts: array[int]) -> array[int]:
    if _CORE is not None:
        return _CORE.pairs(paths, texts)  # type: ignore[no-any-return]
    both = [(path * _SPREAD ^ text) & _MASK for path, text in zip(paths, texts, strict=True)]
    times = Counter(both)
    return array("I", [(pair ^ times[pair] * _TIMES) & _MASK for pair in both])


def _repeated(texts: Texts, new: bytes, common: Gathered) -> bytes:
    """Say of each text, 1 or 0, whether it is among the pairs; what is new is on no page."""
    return bytes(not fresh and pair in common for fresh, pair in zip(new, texts.pairs, strict=True))


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


def sum_of(lengths: array[int], marks: bytes | bytearray) -> int:
    """Return the sum of the lengths with a 1 among the marks."""
    if _CORE is not None:
        return _CORE.sum_of(lengths, marks)  # type: ignore[no-any-return]
    return sum(compress(lengths, marks))


def amounts_kept(
    page: Texts, wanted: list[int], others: list[tuple[array[int], bytes]], whole: int
) -> tuple[int, int, float]:
    """Return the characters of some texts, those whose tag path other pages have, and how much of these they kept.

    :param wanted: the texts, by their numbers.
    :param others: the tag paths of each other page, ascending, and how much of the text at each stayed.
    :param whole: the number that all of it is.
    """
    if _CORE is not None:
        return _CORE.amounts_kept(page.paths, page.lengths, wanted, others, whole)  # type: ignore[no-any-return]
    size = known = 0
    kept = 0.0
    for text in wanted:
        path, length = page.paths[text], page.lengths[text]
        size += length
        shares = []
        for paths, shares_kept in others:
            place = bisect_left(paths, path)
            if place < len(paths) and paths[place] == path:
                shares.append(shares_kept[place])
        if shares:
            known += length
            kept += sum(shares) / (whole * len(shares)) * length
    return size, known, kept


def smallest(numbers: array[int], most: int) -> array[int]:
    """Return the smallest of some numbers, ascending, each once."""
    if _CORE is not None:
        return _CORE.smallest(numbers, most)  # type: ignore[no-any-return]
    return array("I", sorted(set(numbers))[:most])


def kept_shares(page: Texts, mask: bytes | bytearray, most: int, whole: int) -> tuple[array[int], bytes]:
    """Return the smallest tag paths of texts, ascending, and how much of the text at each stayed.

    :param mask: a byte for each node, 1 where it stays.
    :param whole: the number that all of it is.
    """
    if _CORE is not None:
        return _CORE.kept_shares(page.paths, page.places, page.lengths, mask, most, whole)  # type: ignore[no-any-return]
    all_of_it: dict[int, int] = defaultdict(int)
    kept: dict[int, int] = defaultdict(int)
    for path, place, length in zip(page.paths, page.places, page.lengths, strict=True):
        all_of_it[path] += length
        if mask[place]:
            kept[path] += length
    paths = array("I", sorted(all_of_it)[:most])
    return paths, bytes(whole * kept[path] // max(1, all_of_it[path]) for path in paths)


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
    """The CRC-32 of a string and of as many bytes of 0 behind it as make its length a multiple of eight."""
    return crc32(string.ljust(len(string) + 7 & ~7, b"\0"))
