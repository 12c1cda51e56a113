"""What the nodes of a page have below them: the sets of their tag paths, and children of the same make."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import picked
from scrapy_tps.engine.strategies.auto.masks import flipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

_SET_BITS: Final = 127


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


def like_children(
    sequence: TagPathSequence, numbers: Sequence[int], muted: bytearray, parents: Iterable[int]
) -> Iterator[list[int]]:
    """Yield the child elements of each of the `parents` that have the same number, where there are two or more.

    Nodes whose byte in `muted` is 1 are left out, and so are their children.
    """
    end = sequence.end
    both = int.from_bytes(muted, "little") | int.from_bytes(sequence.kinds, "little")
    out = both.to_bytes(len(muted), "little")
    for above in parents:
        child, stop = above + 1, end[above]
        if muted[above] or end[child] == stop:
            continue
        children: dict[int, list[int]] = {}
        while child < stop:
            if not out[child]:
                number = numbers[child]
                if number in children:
                    children[number].append(child)
                else:
                    children[number] = [child]
            child = end[child]
        for same in children.values():
            if len(same) > 1:
                yield same
