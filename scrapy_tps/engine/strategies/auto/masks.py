"""Masks: a byte for each node, 0 or 1."""

from __future__ import annotations

from typing import Final

_FLIPPED: Final = bytes([1, *bytes(255)])  # turns 0 into 1 and everything else into 0


def flipped(mask: bytearray) -> bytearray:
    """Return a mask of what has a 0."""
    return mask.translate(_FLIPPED)


def masked(one: bytes | bytearray, other: bytes | bytearray) -> bytes:
    """Return a mask of what has a 1 in both."""
    common = int.from_bytes(one, "little") & int.from_bytes(other, "little")
    return common.to_bytes(len(one), "little")


def first_difference(one: bytes, other: bytes | bytearray) -> int:
    """The first place where two masks of the same length differ, or their length."""
    different = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    return len(one) - (different.bit_length() + 7) // 8
