"""RTDM (Reis, Golgher, Silva & Laender 2004): restricted top-down mapping of two trees, and its edit distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

L = TypeVar("L", bound="Hashable")

#: Cells of all matrices of one comparison, and levels that it goes down. Beyond, subtrees that are not identical are
#: replaced as wholes: the distance becomes an upper bound, and time stays bounded whatever the trees.
MOST_CELLS: Final = 200_000
MOST_LEVELS: Final = 200


@dataclass(slots=True)
class Tree(Generic[L]):
    """A labelled ordered rooted tree, its vertices in preorder.

    :ivar labels: the label of each vertex.
    :ivar end: the vertex after the last one of each subtree.
    :ivar children: those of each vertex.
    """

    labels: list[L]
    end: list[int]
    children: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.children = [[] for _ in self.labels]
        opened: list[int] = []
        for node, stop in enumerate(self.end):
            while opened and self.end[opened[-1]] <= node:
                opened.pop()
            if opened:
                self.children[opened[-1]].append(node)
            if stop > node + 1:
                opened.append(node)

    def __len__(self) -> int:
        return len(self.labels)

    def size(self, node: int) -> int:
        """Number of vertices of a subtree."""
        return self.end[node] - node


class Mapping(Generic[L]):
    """A minimal restricted top-down mapping between two trees, with unit costs.

    A vertex that is mapped to one with another label has no mapped descendants; otherwise only leaves are inserted and
    removed. First all subtrees get the number of their class of identical subtrees, in linear time; the matrices that
    follow leave out what is identical at both ends of two lists of children, and stop at the threshold.

    :param threshold: a distance above which the comparison need not go on.
    """

    def __init__(self, one: Tree[L], other: Tree[L], threshold: float = inf) -> None:
        self._one, self._other, self._threshold = one, other, threshold
        classes: dict[Hashable, int] = {}
        self._class_of_one, self._class_of_other = _classes(one, classes), _classes(other, classes)
        self._costs: dict[tuple[int, int], float] = {}
        self._cells = 0

    def distance(self) -> float:
        """The restricted top-down edit distance; infinite above the threshold."""
        if abs(len(self._one) - len(self._other)) > self._threshold:
            return inf
        found = self._cost(0, 0, 0)
        return found if found <= self._threshold else inf

    def pairs(self) -> list[tuple[int, int]]:
        """The mapped vertices, parents before their children."""
        one, other = self._one, self._other
        found: list[tuple[int, int]] = []
        pending = [(0, 0, 0)]
        while pending:
            first, second, level = pending.pop()
            if self._class_of_one[first] == self._class_of_other[second]:
                found += zip(range(first, one.end[first]), range(second, other.end[second]), strict=True)
                continue
            found.append((first, second))
            if one.labels[first] == other.labels[second] and self._goes_down(level):
                for left, right in self._aligned(first, second, level):
                    pending.append((left, right, level + 1))
        return sorted(found)

    def _goes_down(self, level: int) -> bool:
        return level < MOST_LEVELS

    def _cost(self, first: int, second: int, level: int) -> float:
        """Cost of the mapping of two subtrees whose roots are mapped to each other."""
        if self._class_of_one[first] == self._class_of_other[second]:
            return 0
        classes = self._class_of_one[first], self._class_of_other[second]
        known = self._costs.get(classes)
        if known is not None:
            return known
        one, other = self._one, self._other
        whole = one.size(first) + other.size(second) - 2  # all descendants removed and inserted
        below, beside = one.children[first], other.children[second]
        if one.labels[first] != other.labels[second]:
            found: float = whole + 1
        elif level >= MOST_LEVELS or self._cells + len(below) * len(beside) > MOST_CELLS:
            found = whole
        else:
            found = self._matrix(below, beside, level)[-1][-1]
        self._costs[classes] = found
        return found

    def _trimmed(self, below: Sequence[int], beside: Sequence[int]) -> tuple[int, int]:
        """How many children are identical at the start and at the end of two lists."""
        left, right = self._class_of_one, self._class_of_other
        most = min(len(below), len(beside))
        start = 0
        while start < most and left[below[start]] == right[beside[start]]:
            start += 1
        stop = 0
        while stop < most - start and left[below[-1 - stop]] == right[beside[-1 - stop]]:
            stop += 1
        return start, stop

    def _matrix(self, below: Sequence[int], beside: Sequence[int], level: int) -> list[list[float]]:
        """Costs of mapping the first children of one vertex to those of another, identical ends left out."""
        one, other, limit = self._one, self._other, self._threshold
        start, stop = self._trimmed(below, beside)
        below, beside = below[start : len(below) - stop], beside[start : len(beside) - stop]
        self._cells += len(below) * len(beside)
        inserted = [other.size(sibling) for sibling in beside]
        row: list[float] = [0]
        for size in inserted:
            row.append(row[-1] + size)
        rows = [row]
        for child in below:
            removal = one.size(child)
            label = one.labels[child]
            previous, row = row, [row[0] + removal]
            for place, (sibling, insertion) in enumerate(zip(beside, inserted, strict=True)):
                best = min(previous[place + 1] + removal, row[place] + insertion)
                before = previous[place]
                # mapped, two subtrees cost no less than the difference of their sizes
                if before <= limit and before + abs(removal - insertion) < best:
                    if label != other.labels[sibling]:
                        mapped = before + removal + insertion - 1
                    else:
                        mapped = before + self._cost(child, sibling, level + 1)
                    best = min(best, mapped)
                row.append(best)
            if min(row) > limit:
                return [[inf]]
            rows.append(row)
        return rows

    def _aligned(self, first: int, second: int, level: int) -> list[tuple[int, int]]:
        """Which children of two mapped vertices are mapped to each other."""
        below, beside = self._one.children[first], self._other.children[second]
        if self._cells + len(below) * len(beside) > 2 * MOST_CELLS:
            return []
        start, stop = self._trimmed(below, beside)
        found = list(zip(below[:start], beside[:start], strict=True))
        rows = self._matrix(below, beside, level)
        i, j = len(rows) - 1, len(rows[0]) - 1
        while i and j:
            child, sibling = below[start + i - 1], beside[start + j - 1]
            if rows[i][j] == rows[i - 1][j - 1] + self._cost(child, sibling, level + 1):
                found.append((child, sibling))
                i, j = i - 1, j - 1
            elif rows[i][j] == rows[i - 1][j] + self._one.size(child):
                i -= 1
            else:
                j -= 1
        return found + list(zip(below[len(below) - stop :], beside[len(beside) - stop :], strict=True))


def rtdm(one: Tree[L], other: Tree[L], threshold: float = inf) -> float:
    """The restricted top-down edit distance of two trees; infinite above the threshold."""
    return Mapping(one, other, threshold).distance()


def similarity(one: Tree[L], other: Tree[L], least: float = 0.0) -> float:
    """1 less the distance by the number of vertices of both trees: 1 for equal trees, 0 without anything in common.

    :param least: a similarity below which the result is 0, and is found sooner.
    """
    vertices = len(one) + len(other)
    return max(0.0, 1 - rtdm(one, other, (1 - least) * vertices) / vertices)


def relabelled(tree: Tree[L], label: Callable[[L], L]) -> Tree[L]:
    """The same tree with other labels."""
    return Tree([label(one) for one in tree.labels], tree.end)


def _classes(tree: Tree[L], known: dict[Hashable, int]) -> list[int]:
    """A number for each vertex, the same for the roots of identical subtrees."""
    found = [0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        key = (tree.labels[node], *(found[child] for child in tree.children[node]))
        found[node] = known.setdefault(key, len(known))
    return found
