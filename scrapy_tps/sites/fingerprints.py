"""The texts and tag paths of a page as stable hashes: what one page of a site is compared with another by.

A text is its letters and digits: ASCII in lower case without punctuation and white space, other characters as they are.
A tag path is the chain of tags and classes, classes sorted and digits read as 0 (``item-17`` is ``item-00``). Both are
hashed with CRC-32, on every machine alike: of the 4,000 texts of a site, one in a million is taken for another.
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Final
from zlib import crc32

from scrapy_tps.engine.sequence.columns import TEXT

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_ASCII: Final = bytes(range(128))
#: What is no letter or digit of ASCII.
_LEFT_OUT: Final = bytes(byte for byte in _ASCII if not chr(byte).isalnum())
_LOWER: Final = bytes(range(256)).lower()
_DIGITS: Final = str.maketrans("123456789", "000000000")
_MASK: Final = 0xFFFFFFFF
#: Odd, and near the golden ratio of 2 ** 32: Knuth's multiplicative hashing.
_SPREAD: Final = 0x9E3779B1
_TIMES: Final = 0x85EBCA6B


class PageTexts:
    """The texts of a page, in hashes.

    :ivar places: the text nodes with letters or digits, in document order.
    :ivar texts: the hash of each one's text.
    :ivar paths: the hash of each one's tag path.
    :ivar pairs: the hash of both, and of how often they are on the page.
    :ivar elements: the hashes of the tag paths of the page's elements.
    """

    __slots__ = ("elements", "pairs", "paths", "places", "texts")

    def __init__(self, sequence: TagPathSequence) -> None:
        symbols = _symbol_hashes(sequence)
        tags = sequence.symbol_tag
        self.elements = {
            number for number, tag in zip(symbols, tags, strict=True) if tag is not TEXT and tag != TEXT
        }
        text_of = sequence.text_of
        nodes = list(compress(range(len(sequence)), sequence.text_mask()))
        hashes = [
            crc32(text_of(node).encode("utf-8", "replace").translate(_LOWER, _LEFT_OUT)) for node in nodes
        ]
        # the hash of nothing is 0
        self.places = list(compress(nodes, hashes))
        self.texts = array("I", filter(None, hashes))
        of_nodes = sequence.symbols
        self.paths = array("I", [symbols[of_nodes[place]] for place in self.places])
        both = [path << 32 | text for path, text in zip(self.paths, self.texts, strict=True)]
        times = Counter(both)
        self.pairs = array(
            "I", [((pair >> 32) * _SPREAD ^ pair ^ times[pair] * _TIMES) & _MASK for pair in both]
        )


def _symbol_hashes(sequence: TagPathSequence) -> list[int]:
    """The hash of each symbol of a sequence."""
    found: list[int] = []
    for above, tag, classes in zip(
        sequence.symbol_parent, sequence.symbol_tag, sequence.symbol_class, strict=True
    ):
        own = _own_hash(tag, classes)
        found.append((found[above] * _SPREAD + own) & _MASK if above >= 0 else own)
    return found


@lru_cache(maxsize=4096)
def _own_hash(tag: str, classes: str | None) -> int:
    """The hash of one step of a tag path."""
    if classes is None:
        return crc32(tag.encode("utf-8", "replace"))
    names = " ".join(sorted(set(classes.translate(_DIGITS).split())))
    return crc32(f"{tag} {names}".encode("utf-8", "replace"))
