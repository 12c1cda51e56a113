"""Fingerprints of records, to recognise a record on another page."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Value = TypeVar("Value")


def exact_fingerprint(values: Iterable[str]) -> bytes:
    """Return 16 bytes that are equal for records with equal values (white space and case do not count)."""
    digest = blake2b(digest_size=16)
    for value in values:
        digest.update(" ".join(value.lower().split()).encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.digest()


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
