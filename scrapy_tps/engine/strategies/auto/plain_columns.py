"""Weights of texts, sums, masks and sets of tag paths of a page in pure Python: the twin of the native core."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import accumulate, compress, islice
from operator import mul, or_
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import picked
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.loops.view import Numbers

_FLIPPED: Final = bytes([1, *bytes(255)])  # turns 0 into 1 and everything else into 0


def flipped(mask: bytearray) -> bytearray:
    """Return a mask with 1 for each 0."""
    return mask.translate(_FLIPPED)


def masked(one: bytes | bytearray, other: bytes | bytearray) -> bytes:
    """Return a mask of the nodes with a 1 in both."""
    common = int.from_bytes(one, "little") & int.from_bytes(other, "little")
    return common.to_bytes(len(one), "little")


def first_difference(one: bytes, other: bytes | bytearray) -> int:
    """Return the first place where two masks of the same length differ, or their length."""
    different = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    return len(one) - (different.bit_length() + 7) // 8


def running_sums(
    values: Sequence[float], mask: bytes | bytearray, before: tuple[list[float], bytes] | None = None
) -> list[float]:
    """Return the sums of the values with a 1 in the mask before each place, and the total at the end.

    :param before: the sums of the same values by another mask, and that mask. The sums are the same up to the first
        difference.
    """
    sums, start = [0.0], 0
    if before is not None:
        start = first_difference(before[1], mask)
        sums = before[0][: start + 1]
    if mask.count(_BORDER, start) > (len(mask) - start) // _LEAST_ROW:
        total = sums.pop()
        sums += accumulate(map(mul, values[start:], mask[start:]), initial=total)
        return sums
    # by rows, of which there are few, instead of single values
    while True:
        stop = mask.find(1, start)
        if stop < 0:
            stop = len(mask)
        total = sums[-1]
        sums += [total] * (stop - start)
        if stop == len(mask):
            return sums
        start = mask.find(0, stop)
        if start < 0:
            start = len(mask)
        sums.pop()
        sums += accumulate(values[stop:start], initial=total)


def sparse_sums(places: Sequence[int], values: Sequence[float], mask: bytes | bytearray) -> list[float]:
    """Return the result of :func:`running_sums` for values that are 0 except at these ascending places."""
    sums: list[float] = []
    total, before = 0.0, -1
    for place in places:
        if mask[place]:
            sums += [total] * (place - before)
            total += values[place]
            before = place
    sums += [total] * (len(mask) - before)
    return sums


def text_weight(
    lengths: Sequence[int], is_text: bytearray, in_link: bytearray
) -> tuple[list[float], list[int]]:
    """Return the weight of texts, and the places of the prose among them."""
    of_text = (_Weights(0), _Weights(1))
    weight = [0.0] * len(lengths)
    prose = []
    for place, size, link in zip(
        compress(range(len(lengths)), is_text),
        compress(lengths, is_text),
        compress(in_link, is_text),
        strict=True,
    ):
        weight[place] = of_text[link][size]
        if size >= TEXT_WEIGHT.prose and not link:
            prose.append(place)
    return weight, prose


#: The end of a row of nodes that count. If rows are shorter than `_LEAST_ROW`, values are added one at a time.
_BORDER: Final = b"\x01\x00"

_LEAST_ROW: Final = 16


class _Weights(dict[int, float]):
    """The weight of texts by size: a page has few sizes, and a lookup costs a third of a call."""

    def __init__(self, link: int) -> None:
        super().__init__({0: 0.0})
        self._link = link

    def __missing__(self, size: int) -> float:
        weight = self[size] = _weight(size, self._link)
        return weight


def _weight(size: int, link: int) -> float:
    if link:
        if size < TEXT_WEIGHT.short:
            return size * TEXT_WEIGHT.short_link
        return size * (TEXT_WEIGHT.medium_link if size < TEXT_WEIGHT.medium else TEXT_WEIGHT.long_link)
    return size * TEXT_WEIGHT.short_text if size < TEXT_WEIGHT.short else float(size)


_SET_BITS: Final = 127


class TagSets:
    """The set of the tag paths in the subtree of each node; C columns have the same class.

    A set is one number with a bit per tag path (modulo 128; they are numbered in document order, so that those of one
    record rarely share a bit): the sets of all subtrees take one pass, whatever the depth.
    """

    def __init__(self, sets: Sequence[int]) -> None:
        self._sets = sets

    def common(self, one: int, other: int) -> int:
        """Return the number of tag paths in both sets."""
        return (self._sets[one] & self._sets[other]).bit_count()

    def both(self, one: int, other: int) -> int:
        """Return the number in the union of the sets."""
        return (self._sets[one] | self._sets[other]).bit_count()

    def in_all(self, items: Numbers, count: int) -> int:
        """Return the number in all sets of the first so many items."""
        return reduce(or_, map(self._sets.__getitem__, islice(items.values, count))).bit_count()


class Tally:
    """The tag paths of the living nodes in a part of a page.

    :ivar active: the tag paths in order of appearance, `size` of them.
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
        """Count nodes [low, high) and return how many are alive, or 0 if fewer than `least`."""
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
        """The frequency of each, computed on access, because it is rarely needed."""
        if self._count is None:
            self._count = Counter(self._living)
        return self._count


def subtree_sets(parent: Sequence[int], numbers: Sequence[int], muted: bytearray) -> list[int]:
    """Return for each node the set of the numbers in its subtree, as bits (modulo 128) of one number.

    Nodes below a node whose byte in `muted` is 1 are not added to the sets above it.
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
