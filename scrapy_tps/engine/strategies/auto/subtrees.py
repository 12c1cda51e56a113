"""The sets of tag paths that the nodes of a page have below them."""

from __future__ import annotations

from functools import reduce
from itertools import compress, islice
from operator import or_
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import picked
from scrapy_tps.engine.strategies.auto.masks import flipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.loops.view import Numbers

_SET_BITS: Final = 127


class TagSets:
    """Of each node the set of the tag paths in its subtree; what C columns have as well.

    A set is one number with a bit per tag path (modulo 128; they are numbered in document order, so that those of one
    record rarely share a bit): the sets of all subtrees take one pass, whatever the depth.
    """

    def __init__(self, sets: Sequence[int]) -> None:
        self._sets = sets

    def common(self, one: int, other: int) -> int:
        """How many tag paths are in both sets."""
        return (self._sets[one] & self._sets[other]).bit_count()

    def both(self, one: int, other: int) -> int:
        """How many are in one of them or in both."""
        return (self._sets[one] | self._sets[other]).bit_count()

    def in_all(self, items: Numbers, count: int) -> int:
        """How many are in the sets of the first so many items."""
        return reduce(or_, map(self._sets.__getitem__, islice(items.values, count))).bit_count()


def subtree_sets(parent: Sequence[int], numbers: Sequence[int], muted: bytearray) -> list[int]:
    """Return for each node the set of the numbers in its subtree, as bits (modulo 128) of one number.

    What is below a node whose byte in `muted` is 1 is not added to the sets above it.
    """
    bits = [1 << (number & _SET_BITS) for number in range(max(numbers) + 1)]
    sets = list(picked(bits, numbers))
    counted = flipped(muted)
    counted[0] = 0  # nothing is above the body
    counted.reverse()
    places = compress(range(len(sets) - 1, -1, -1), counted)
    for index, above in zip(places, compress(reversed(parent), counted), strict=True):
        sets[above] |= sets[index]
    return sets
