"""The pairing of an alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def pair_up(similarities: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the order-preserving pairing of rows and columns with the largest sum of similarities, last pair first.

    Needleman & Wunsch (1970) with free gaps; what has similarity 0 is never paired.
    """
    width = len(similarities[0])
    above = [0.0] * (width + 1)
    best = [above]
    for similar in similarities:
        row = [0.0]
        left = 0.0
        for at in range(width):
            value = similar[at]
            if value and above[at] + value > left:
                left = above[at] + value
            if above[at + 1] > left:
                left = above[at + 1]
            row.append(left)
        best.append(row)
        above = row
    pairs = []
    down, right = len(similarities), width
    while down and right:
        value = similarities[down - 1][right - 1]
        above, row = best[down - 1], best[down]
        if value and row[right] == above[right - 1] + value:
            down, right = down - 1, right - 1
            pairs.append((down, right))
        elif row[right] == above[right]:
            down -= 1
        else:
            right -= 1
    return pairs
