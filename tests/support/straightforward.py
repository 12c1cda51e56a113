"""Algorithms 3 and 4 transcribed line by line: the slow reference of the region search.

With the readings of the paper that its own results demand: thresholds leave out the symbols that are
*not more* frequent, the ratio is ``|a - b| / (a + b)`` of the left part less the gap and the right part,
and the larger of these is kept.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def search_region(
    symbols: Sequence[int], size_ratio: float, *, inclusive: bool = False
) -> tuple[int, int, list[tuple[int, int, int, int, int, int, bool]]]:
    """Return start and end of the region, and (start, position, end, threshold, left, right, kept left)."""
    low, high = 0, len(symbols)
    splits = []
    while True:
        split = _first_split(symbols[low:high], size_ratio, inclusive)
        if split is None:
            return low, high, splits
        position, threshold, left, right = split
        kept_left = left > right
        splits.append((low, low + position, high, threshold, left, right, kept_left))
        if kept_left:
            high = low + position
        else:
            low += position


def _first_split(part: Sequence[int], size_ratio: float, inclusive: bool) -> tuple[int, int, int, int] | None:
    frequencies = Counter(part)
    total = len(part)
    for threshold in sorted(set(frequencies.values())):
        alphabet = {
            symbol
            for symbol, frequency in frequencies.items()
            if (frequency >= threshold if inclusive else frequency > threshold)
        }
        if len(alphabet) < 2:
            return None
        remaining = dict(frequencies)
        region: set[int] = set()
        gap = 0
        for position, symbol in enumerate(part, 1):
            if symbol in alphabet:
                region.add(symbol)
                remaining[symbol] -= 1
                if not remaining[symbol]:
                    alphabet.discard(symbol)
                    if not alphabet & region:
                        left, right = position - gap, total - position
                        if alphabet and abs(left - right) > size_ratio * (left + right):
                            return position, threshold, left, right
                        gap = 1
            elif gap:
                gap += 1
    return None
