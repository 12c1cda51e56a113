"""The tag paths in parts of a page, as sets and counted: what C columns have as well, for the loops."""

from __future__ import annotations

from collections import Counter
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
    """The set of the tag paths in the subtree of each node; C columns have it as well.

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


class Tally:
    """The tag paths of what is alive in a part of a page.

    :ivar active: in the order in which they come, so many as `size` says.
    :ivar first, last: the first and the last place of each.
    """

    def __init__(self, tags: Sequence[int]) -> None:
        self._tags = tags
        self._living: list[int] = []
        self._count: Counter[int] | None = None
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.active: list[int] = []
        self.size = 0

    def take(self, low: int, high: int, alive: bytearray, least: int) -> int:
        """Count nodes [low, high) and return how many are alive, or 0 where they are fewer than `least`."""
        places = list(compress(range(low, high), alive[low:high]))
        if len(places) < least:
            return 0
        living = self._living = list(compress(self._tags[low:high], alive[low:high]))
        self.first = dict(zip(reversed(living), reversed(places), strict=True))
        self.last = dict(zip(living, places, strict=True))
        self.active = list(self.last)
        self.size, self._count = len(self.active), None
        return len(places)

    @property
    def count(self) -> Counter[int]:
        """How often each is there: mostly nobody asks."""
        if self._count is None:
            self._count = Counter(self._living)
        return self._count


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
