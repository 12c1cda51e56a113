"""The texts and tag paths of a page as stable hashes: what one page of a site is compared with another by.

A text is its letters and digits: ASCII in lower case without punctuation and white space, other characters as they are.
A tag path is the chain of tags and sets of classes, digits in them read as 0 (``item-17`` is ``item-00``). Both are
hashed with CRC-32, on every machine alike: of the 4,000 texts of a site, one in a million is taken for another.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import compress
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from scrapy_tps.engine.native import NativeSequence, extension
from scrapy_tps.engine.sequence.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

_CORE: Final[Any] = extension("sites")
_ASCII: Final = bytes(range(128))
#: What is no letter or digit of ASCII.
_LEFT_OUT: Final = bytes(byte for byte in _ASCII if not chr(byte).isalnum())
_LOWER: Final = bytes(range(256)).lower()
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_MASK: Final = 0xFFFFFFFF
#: Odd, and near the golden ratio of 2 ** 32: Knuth's multiplicative hashing.
_SPREAD: Final = 0x9E3779B1
_TIMES: Final = 0x85EBCA6B


class PageTexts:
    """The texts of a page, in hashes.

    :ivar places: the text nodes with letters or digits, in document order.
    :ivar lengths: the visible characters of each.
    :ivar texts: the hash of each one's text.
    :ivar paths: the hash of each one's tag path.
    :ivar elements: the hashes of the tag paths of the page's elements, ascending.
    """

    __slots__ = ("_pairs", "elements", "lengths", "paths", "places", "texts")

    def __init__(self, sequence: TagPathSequence) -> None:
        self._pairs: array[int] | None = None
        if _CORE is not None and isinstance(sequence, NativeSequence):
            columns = _CORE.page_texts(sequence.native_walk)
            self.places, self.lengths, self.texts, self.paths, self.elements = columns
            return
        symbols = _symbol_hashes(sequence)
        found = {number for number, tag in zip(symbols, sequence.symbol_tag, strict=True) if tag != TEXT}
        self.elements = array("I", sorted(found))
        text_of = sequence.text_of
        nodes = list(compress(range(len(sequence)), sequence.text_mask()))
        hashes = [crc32(text_of(node).encode().translate(_LOWER, _LEFT_OUT)) for node in nodes]
        # the hash of nothing is 0
        self.places = array("i", compress(nodes, hashes))
        self.lengths = array("i", [sequence.chars[place] for place in self.places])
        self.texts = array("I", filter(None, hashes))
        of_nodes = sequence.symbols
        self.paths = array("I", [symbols[of_nodes[place]] for place in self.places])

    @property
    def pairs(self) -> array[int]:
        """The hash of each one's text and tag path, and of how often they are on the page: few pages are asked."""
        if self._pairs is None:
            self._pairs = _hashes_of_pairs(self.paths, self.texts)
        return self._pairs


def _hashes_of_pairs(paths: array[int], texts: array[int]) -> array[int]:
    if _CORE is not None:
        return _CORE.pairs(paths, texts)  # type: ignore[no-any-return]
    both = [path << 32 | text for path, text in zip(paths, texts, strict=True)]
    times = Counter(both)
    return array("I", [((pair >> 32) * _SPREAD ^ pair ^ times[pair] * _TIMES) & _MASK for pair in both])


def common(one: array[int], other: array[int]) -> int:
    """Return how many numbers two ascending arrays without repetitions share."""
    if _CORE is not None:
        return _CORE.common(one, other)  # type: ignore[no-any-return]
    return len(set(one).intersection(other))


def held_by(numbers: array[int], others: Sequence[array[int]], *, every: bool = False) -> bytes | bytearray:
    """Return a byte for each number, 1 where one of some ascending arrays, or with `every` each of them, holds it."""
    if _CORE is not None:
        return _CORE.held_by(numbers, list(others), every)  # type: ignore[no-any-return]
    held = set(numbers) if every else set().union(*others)
    if every:
        for other in others:
            held.intersection_update(other)
    return bytes(map(held.__contains__, numbers))


def smallest(numbers: array[int], most: int) -> array[int]:
    """Return the smallest of some numbers, ascending, each once."""
    if _CORE is not None:
        return _CORE.smallest(numbers, most)  # type: ignore[no-any-return]
    return array("I", sorted(set(numbers))[:most])


def kept_shares(page: PageTexts, mask: bytes | bytearray, most: int, whole: int) -> tuple[array[int], bytes]:
    """Return the smallest tag paths of a page's texts, ascending, and how much of the text at each stayed.

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


def _symbol_hashes(sequence: TagPathSequence) -> list[int]:
    """The hash of each symbol of a sequence."""
    found: list[int] = []
    known: dict[tuple[str, str | None], int] = {}
    for above, tag, classes in zip(
        sequence.symbol_parent, sequence.symbol_tag, sequence.symbol_class, strict=True
    ):
        own = known.get((tag, classes))
        if own is None:
            own = known[tag, classes] = _own_hash(tag, classes)
        found.append((found[above] * _SPREAD + own) & _MASK if above >= 0 else own)
    return found


def _own_hash(tag: str, classes: str | None) -> int:
    """The hash of one step of a tag path."""
    own = crc32(tag.encode())
    if classes is None:
        return own
    return (own + _SPREAD * sum(map(crc32, classes.encode().translate(_DIGITS).split()))) & _MASK
