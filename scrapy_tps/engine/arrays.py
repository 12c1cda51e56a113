"""Numbers and masks of a page in pure Python: the twin of the C arrays of the native core."""

from __future__ import annotations

from bisect import bisect_left
from functools import reduce
from itertools import compress, islice
from operator import or_
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

_FLIPPED: Final = bytes([1, *bytes(255)])
_SET_BITS: Final = 127


def flipped(mask: bytearray) -> bytearray:
    """Return a mask with 1 for each 0, and 0 for everything else."""
    return mask.translate(_FLIPPED)


def masked(one: bytes | bytearray, other: bytes | bytearray) -> bytes:
    """Return a mask of the nodes with a 1 in both."""
    common = int.from_bytes(one, "little") & int.from_bytes(other, "little")
    return common.to_bytes(len(one), "little")


class Numbers(NamedTuple):
    """Room for numbers, 0 at first; its `values` are valid as long as there is a reference to it."""

    values: MutableSequence[int]


class Amounts(NamedTuple):
    """Room for numbers with fractions, 0 at first."""

    values: list[float]


class TagSets:
    """The set of the tag paths in the subtree of each node.

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


class Arrays:
    """Makes room for the numbers of a page, and does what C does differently from Python."""

    def column(self, values: Sequence[int]) -> MutableSequence[int]:
        """Return these numbers, as the core wants them."""
        return values if values.__class__ is list else list(values)

    def room(self, count: int, kind: str) -> MutableSequence[Any]:
        """Return a column for so many numbers, whole (``i``) or with fractions (``d``); only the first one is 0."""
        return [0.0 if kind == "d" else 0] * count

    def integers(self, column: MutableSequence[int]) -> MutableSequence[int]:
        """Return the numbers of a column; `longs` and `reals` do the same for the other types of C."""
        return column

    longs = integers

    def reals(self, column: MutableSequence[float]) -> MutableSequence[float]:
        return column

    def numbers(self, count: int, cleared: bool = True) -> Numbers:  # noqa: ARG002
        """Return room for so many numbers and one more; in C, they are 0 at first only if `cleared`."""
        return Numbers([0] * (count + 1))

    def amounts(self, count: int) -> Amounts:
        """Return room for so many numbers with fractions and one more, 0 at first."""
        return Amounts([0.0] * (count + 1))

    def fill(self, mask: bytearray, start: int, end: int, byte: int) -> None:
        """Write 0 or 1 for the nodes [start, end) into a mask."""
        mask[start:end] = (b"\x01" if byte else b"\x00") * (end - start)

    def sort(self, values: MutableSequence[int], count: int) -> None:
        """Sort the first so many numbers."""
        values[:count] = sorted(islice(values, count))

    def first_from(self, places: Sequence[int], start: int) -> int:
        """Return the place of the first of these ascending numbers that is not below `start`."""
        return bisect_left(places, start)

    def pairs(
        self,
        indexes: Sequence[int],
        count: int,
        cues: Sequence[int],
        tags: Sequence[int],
        wanted: int,
        weak: int,
    ) -> Numbers:
        """Return a number for each of these nodes: that of the pair of its tag path and its wanted cues, weak ones
        shifted.

        It is -1 for nodes with none of these. The pairs are numbered from 0 on.
        """
        number: dict[tuple[int, int], int] = {}
        return Numbers(
            [
                number.setdefault((tags[index], cue), len(number))
                if (cue := (cues[index] | cues[index] >> weak) & wanted)
                else -1
                for index in islice(indexes, count)
            ]
        )

    def tag_sets(self, parent: Sequence[int], tags: Sequence[int], size: int, alive: bytearray) -> TagSets:
        """Return the sets of the tag paths below each living node, without those of dead ones."""
        sets = [1 << (tag & _SET_BITS) for tag in tags]
        for index in compress(range(size - 1, 0, -1), reversed(alive)):
            sets[parent[index]] |= sets[index]
        return TagSets(sets)

    def are_similar(
        self,
        tags: Sequence[int],
        one: int,
        one_end: int,
        other: int,
        other_end: int,
        least_tags: int,
        least: float,
    ) -> bool:
        """Whether two spans of nodes share this part of their tag paths (modulo 128), and the first has enough."""
        of_one, of_other = _tag_set(tags[one:one_end]), _tag_set(tags[other:other_end])
        if of_one.bit_count() < least_tags:
            return False
        return (of_one & of_other).bit_count() >= least * (of_one | of_other).bit_count()


def _tag_set(tags: Sequence[int]) -> int:
    return reduce(or_, (1 << (tag & _SET_BITS) for tag in set(tags)), 0)
