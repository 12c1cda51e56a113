"""Shingles (Broder et al. 1997): fingerprints of texts that small changes leave as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
#: Odd numbers, one for each of the eight permutations of a pagelet's fingerprint.
_PERMUTATIONS: Final = np.array(
    [(2 * number + 1) * 0xD1B54A32D192ED03 % 2**64 | 1 for number in range(8)], dtype=np.uint64
)
_SHIFT: Final = np.uint64(29)


def windows(terms: Sequence[int], width: int) -> NDArray[np.uint64]:
    """A number for each run of `width` terms; for one of all terms where there are fewer."""
    numbers = np.array(terms, dtype=np.uint64)
    if not len(numbers):
        return numbers
    width = min(width, len(numbers))
    total = np.zeros(len(numbers) - width + 1, dtype=np.uint64)
    for place in range(width):
        total = _mixed(total + numbers[place : place + len(total)] + np.uint64(place))
    return total


def sketch(terms: Sequence[int], width: int) -> tuple[int, ...]:
    """The shingle of a text: the smallest of its windows under each of eight permutations; empty without terms."""
    found = windows(terms, width)
    if not len(found):
        return ()
    return tuple(int(smallest) for smallest in _mixed(found[None, :] * _PERMUTATIONS[:, None]).min(axis=1))


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed: NDArray[np.uint64] = (numbers ^ (numbers >> _SHIFT)) * _MULTIPLIER
    return mixed
