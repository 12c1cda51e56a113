"""What is remembered of one page of a site."""

from __future__ import annotations

import struct
import sys
from array import array
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from scrapy_tps.sites.fingerprints import kept_shares, smallest

if TYPE_CHECKING:
    from typing_extensions import Self

    from scrapy_tps.sites.fingerprints import Texts

#: Tag paths of elements, and texts, that are remembered of a page: those with the smallest hashes, so that of what two
#: pages share the same is remembered of both.
MOST_ELEMENTS: Final = 1024
MOST_TEXTS: Final = 2048

_HEAD: Final = struct.Struct("<8sIIHHHH")
_KEY_BYTES: Final = 8


def page_key(address: str) -> bytes:
    """What tells a page from others: its address, hashed."""
    return blake2b(address.encode("utf-8", "replace"), digest_size=_KEY_BYTES).digest()


@dataclass(frozen=True)
class Reference:
    """One page of a site, in hashes.

    :ivar key: what tells it from other pages (:func:`page_key`).
    :ivar elements: the tag paths of its elements, ascending.
    :ivar texts: its texts, ascending.
    :ivar pairs: its texts with their tag paths, ascending.
    :ivar paths: the tag paths of its texts, ascending.
    :ivar kept: for each of `paths`, how much of the text there stayed, from 0 to
        :data:`~scrapy_tps.sites.fingerprints.WHOLE`.
    :ivar epoch: which make of the site it belongs to; later ones replace earlier ones.
    :ivar version: how many times what is remembered of this page was replaced.
    """

    key: bytes
    elements: array[int]
    texts: array[int]
    pairs: array[int]
    paths: array[int]
    kept: bytes
    epoch: int = 0
    version: int = 0

    @classmethod
    def of(cls, key: bytes, elements: array[int], texts: Texts, mask: bytes | bytearray) -> Self:
        """Remember a page.

        :param elements: the tag paths of its elements, ascending.
        :param texts: its texts.
        :param mask: a byte for each node, 1 where it stays by the rules that know one page only.
        """
        return cls(
            key,
            elements[:MOST_ELEMENTS],
            smallest(texts.texts, MOST_TEXTS),
            smallest(texts.pairs, MOST_TEXTS),
            *kept_shares(texts, mask, MOST_TEXTS),
        )

    @property
    def content(self) -> bytes:
        """All that is remembered, without when: made anew, as large as all else of a reference."""
        parts = (self.elements, self.texts, self.pairs, self.paths)
        return b"".join([*map(_little_endian, parts), self.kept])

    @cached_property
    def digest(self) -> bytes:
        """Tells it from others."""
        return blake2b(self.to_bytes(), digest_size=8).digest()

    @property
    def order(self) -> tuple[int, bytes]:
        """References with the smallest of these are kept: of the last epoch, those with the smallest keys."""
        return -self.epoch, self.key

    @property
    def rank(self) -> tuple[int, int, bytes]:
        """Of two references of one page, the one with the larger of these is kept."""
        return self.epoch, self.version, self.to_bytes()

    def after(self, before: Reference | None, epoch: int) -> Reference:
        """This reference as the next one of its page."""
        if before is None or before.epoch != epoch:
            return replace(self, epoch=epoch, version=0)
        if before.content == self.content:
            return before
        return replace(self, epoch=epoch, version=before.version + 1)

    def to_bytes(self) -> bytes:
        """The reference as bytes, on every machine the same."""
        lengths = (len(self.elements), len(self.texts), len(self.pairs), len(self.paths))
        return _HEAD.pack(self.key, self.epoch, self.version, *lengths) + self.content

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what :meth:`to_bytes` wrote; raise ``ValueError`` on anything else."""
        if len(data) < _HEAD.size:
            raise ValueError("not a page of a site model")
        key, epoch, version, *lengths = _HEAD.unpack_from(data)
        if len(data) != _HEAD.size + 4 * sum(lengths) + lengths[-1]:
            raise ValueError("not a page of a site model, or only a part of one")
        columns = []
        place = _HEAD.size
        for length in lengths:
            columns.append(_little_endian_array(data[place : place + 4 * length]))
            place += 4 * length
        elements, texts, pairs, paths = columns
        return cls(key, elements, texts, pairs, paths, data[place:], epoch, version)


def _little_endian(numbers: array[int]) -> bytes:
    if sys.byteorder == "little":
        return numbers.tobytes()
    swapped = numbers[:]
    swapped.byteswap()
    return swapped.tobytes()


def _little_endian_array(data: bytes) -> array[int]:
    numbers = array("I", data)
    if sys.byteorder != "little":
        numbers.byteswap()
    return numbers
