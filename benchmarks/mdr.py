"""MDR as published: the yardstick of the TPS paper, not what this package uses to extract records.

Liu, Grossman & Zhai, *Mining Data Records in Web Pages* (KDD 2003), sections 3 to 5: generalised nodes of up
to K adjacent siblings are compared by the normalised edit distance of their tag strings, runs of similar
ones are data regions, and each generalised node holds one record or, where its parts are alike, several.

Differences from the authors' program: it ends on every page. Tag strings are compared as sequences of tags,
each pair once, lengths that cannot reach the threshold first and distances only as far as the threshold
allows (bit-parallel), and a fixed number of edit operations bounds hostile pages. The tree is lxml's.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import ELEMENT

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: Most siblings in a generalised node ("K", section 4.1: 10 is enough for most pages).
MAX_COMBINATION: Final = 10
#: Least similarity of generalised nodes: the edit distance may be at most the rest of the longer string.
SIMILARITY: Final = 0.8
#: Depth from which on nodes are looked at: "TreeDepth(Node) >= 3" (figure 5 of the paper).
_MIN_HEIGHT: Final = 3
#: Steps of comparison per page after which nothing more is alike: about ten seconds of Python. The largest
#: of the paper's pages takes 1,500,000.
_MAX_OPERATIONS: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class GeneralisedNodes:
    """A data region as MDR defines it.

    :ivar parent: index of the parent in the sequence.
    :ivar size: siblings in each generalised node.
    :ivar children: the siblings covered, in order; a multiple of `size`.
    """

    parent: int
    size: int
    children: tuple[int, ...]

    def nodes(self) -> list[tuple[int, ...]]:
        """Return the generalised nodes as tuples of siblings."""
        return [self.children[start : start + self.size] for start in range(0, len(self.children), self.size)]


@dataclass(frozen=True, slots=True)
class MdrRecord:
    """A record: the nodes of the sequence that are its tops."""

    tops: tuple[int, ...]


def mine_records(sequence: TagPathSequence) -> list[MdrRecord]:
    """Return the data records of a page by MDR, in document order of their regions."""
    return [record for region in mine_regions(sequence) for record in _Miner(sequence).records(region)]


def mine_regions(sequence: TagPathSequence) -> list[GeneralisedNodes]:
    """Return the data regions of a page by MDR (the paper's steps 1 and 2)."""
    return _Miner(sequence).regions()


class _Miner:
    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        codes: dict[str, int] = {}
        tags = [codes.setdefault(tag, len(codes)) for tag in sequence.symbol_tag]
        # the tag string of a subtree is a slice: the paper's strings are tags in document order
        elements = [kind == ELEMENT for kind in sequence.kinds]
        self._position = [0]
        self._tags: list[int] = []
        for symbol, element in zip(sequence.symbols, elements, strict=True):
            if element:
                self._tags.append(tags[symbol])
            self._position.append(len(self._tags))
        self._operations = 0
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], bool] = {}

    def regions(self) -> list[GeneralisedNodes]:
        """MDR(Node, K) and FindDRs over all nodes, children covered by an ancestor's region left out."""
        sequence = self._sequence
        heights = _heights(sequence)
        found: list[GeneralisedNodes] = []
        covered = bytearray(len(sequence))
        for parent in range(len(sequence)):
            if covered[parent] or heights[parent] < _MIN_HEIGHT - 1:
                continue
            for region in self._identify(parent, self._children(parent)):
                found.append(region)
                for child in region.children:
                    covered[child : sequence.end[child]] = b"\x01" * (sequence.end[child] - child)
        return found

    def records(self, region: GeneralisedNodes) -> list[MdrRecord]:
        """Data records of a region (section 5: FindRecords-1 and FindRecords-n)."""
        records: list[MdrRecord] = []
        for node in region.nodes():
            parts = [self._children(child) for child in node]
            same_number = len({len(children) for children in parts}) == 1
            # a row of a data table is a record although its cells are alike
            inside = same_number and (len(node) > 1 or self._tag(node[0]) != "tr")
            if inside and all(self._all_similar(children) for children in parts):
                records += [MdrRecord(column) for column in zip(*parts, strict=True)]
            else:
                records.append(MdrRecord(node))
        return records

    def _identify(self, parent: int, children: list[int]) -> list[GeneralisedNodes]:
        """IdenDRs (figure 8) as a loop: the longest of the regions that start earliest, again after its end."""
        runs = [self._runs(children, size) for size in range(1, min(MAX_COMBINATION, len(children) // 2) + 1)]
        found: list[GeneralisedNodes] = []
        start = 0
        while start < len(children):
            best: tuple[int, int, int] | None = None  # place of the first node, size, nodes covered
            for size, (following, length) in enumerate(runs, 1):
                for first in range(start, min(start + size, len(children))):
                    place = following[first]
                    if place < 0:
                        continue
                    covered = length[place]
                    if best is None or (covered > best[2] and place <= best[0]):
                        best = (place, size, covered)
            if best is None:
                break
            place, size, covered = best
            found.append(GeneralisedNodes(parent, size, tuple(children[place : place + covered])))
            start = place + covered
        return found

    def _runs(self, children: list[int], size: int) -> tuple[list[int], list[int]]:
        """For each place on the grid of step `size`: where the next run of similar neighbours starts (-1:
        nowhere), and how many nodes a run that starts there covers."""
        count = len(children)
        following, length = [-1] * count, [0] * count
        for place in range(count - 2 * size, -1, -1):
            middle = place + size
            if self._similar(tuple(children[place:middle]), tuple(children[middle : middle + size])):
                following[place], length[place] = place, max(2 * size, length[middle] + size)
            else:
                following[place] = following[middle]
        return following, length

    def _similar(self, left: tuple[int, ...], right: tuple[int, ...]) -> bool:
        known = self._known.get((left, right))
        if known is None:
            known = self._known[left, right] = self._compare(self._string(left), self._string(right))
        return known

    def _compare(self, left: list[int], right: list[int]) -> bool:
        longer = max(len(left), len(right))
        self._operations += longer
        if self._operations > _MAX_OPERATIONS:
            return False
        if left == right:
            return bool(left)
        limit = int((1 - SIMILARITY) * longer + 1e-9)
        if abs(len(left) - len(right)) > limit or not left or not right:
            return False
        self._operations += len(right) * (4 + len(left) // 256)
        return edit_distance(left, right, limit) <= limit

    def _all_similar(self, nodes: list[int]) -> bool:
        return len(nodes) > 1 and all(self._similar((a,), (b,)) for a, b in pairwise(nodes))

    def _string(self, nodes: tuple[int, ...]) -> list[int]:
        position, end = self._position, self._sequence.end
        return self._tags[position[nodes[0]] : position[end[nodes[-1]]]]

    def _children(self, parent: int) -> list[int]:
        """The element children of a node."""
        end = self._sequence.end
        found = []
        child, stop = parent + 1, end[parent]
        while child < stop:
            if self._is_element(child):
                found.append(child)
            child = end[child]
        return found

    def _is_element(self, index: int) -> bool:
        return self._sequence.kinds[index] == ELEMENT

    def _tag(self, index: int) -> str:
        return self._sequence.symbol_tag[self._sequence.symbols[index]]


def edit_distance(left: list[int], right: list[int], limit: int) -> int:
    """Return the edit distance of two strings, or ``limit + 1`` where it is larger than `limit`.

    Unit costs; a column of the table at a time is computed in the bits of integers (Myers 1999, as in Hyyrö 2003).
    """
    far = limit + 1
    size, left_over = len(left), len(right)
    if abs(size - left_over) > limit:
        return far
    if not size:
        return left_over
    places: dict[int, int] = {}
    for place, symbol in enumerate(left):
        places[symbol] = places.get(symbol, 0) | 1 << place
    every, last = (1 << size) - 1, 1 << (size - 1)
    higher, lower, distance = every, 0, size  # vertical differences of +1 and of -1, distance in the last row
    for symbol in right:
        left_over -= 1
        same = places.get(symbol, 0)
        diagonal = (((same & higher) + higher) ^ higher) | same | lower
        rising = lower | (every & ~(diagonal | higher))
        falling = diagonal & higher
        if rising & last:
            distance += 1
        elif falling & last:
            distance -= 1
        if distance - left_over > limit:
            return far
        rising = rising << 1 | 1
        higher = (falling << 1 | ~(diagonal | rising)) & every
        lower = rising & diagonal
    return min(distance, far)


def _heights(sequence: TagPathSequence) -> list[int]:
    """Levels of elements below each node, from the leaves up."""
    heights = [0] * len(sequence)
    for index in range(len(sequence) - 1, 0, -1):
        above = sequence.parent[index]
        if sequence.kinds[index] == ELEMENT and heights[index] + 1 > heights[above]:
            heights[above] = heights[index] + 1
    return heights
