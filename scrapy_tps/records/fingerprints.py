"""Fingerprints of records, to recognise a record on another page."""

from __future__ import annotations

import re
from collections import OrderedDict
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_BITS: Final = 64
_BANDS: Final = 4
#: Fingerprints that differ in at most so many of 64 bits are near duplicates (Manku, Jain & Das Sarma,
#: *Detecting Near-Duplicates for Web Crawling*, WWW 2007).
NEAR_BITS: Final = 3
#: Records of fewer words have no near duplicates: one word more or less is another record.
NEAR_WORDS: Final = 20

Value = TypeVar("Value")


def exact_fingerprint(values: Iterable[str]) -> bytes:
    """Return 16 bytes that are equal for records with equal values (white space and case do not count)."""
    digest = blake2b(digest_size=16)
    for value in values:
        digest.update(" ".join(value.lower().split()).encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.digest()


def near_fingerprint(text: str) -> int | None:
    """Return the 64-bit simhash of a text over pairs of words (Charikar, STOC 2002); None for short texts."""
    words = _WORD.findall(text.lower())
    if len(words) < NEAR_WORDS:
        return None
    votes = [0] * _BITS
    for pair in pairwise(words):
        digest = blake2b(" ".join(pair).encode("utf-8", "replace"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        for bit in range(_BITS):
            votes[bit] += 1 if number >> bit & 1 else -1
    return sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)


class Bounded(OrderedDict[tuple[str, object], Value], Generic[Value]):
    """A dict of (site, key) that forgets the least recently used entry when it holds more than `most` entries."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def recall(self, key: tuple[str, object]) -> Value | None:
        """Return the entry, now the most recently used, or None."""
        value = self.get(key)
        if value is not None:
            self.move_to_end(key)
        return value

    def remember(self, key: tuple[str, object], value: Value) -> None:
        """Store an entry as the most recently used."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


def bands(fingerprint: int) -> list[tuple[int, int]]:
    """Return the four parts of a near fingerprint: near duplicates have at least one of them in common."""
    width = _BITS // _BANDS
    return [(band, fingerprint >> band * width & (1 << width) - 1) for band in range(_BANDS)]


def near(first: int, second: int) -> bool:
    """Return whether two near fingerprints are those of near duplicates."""
    return (first ^ second).bit_count() <= NEAR_BITS
