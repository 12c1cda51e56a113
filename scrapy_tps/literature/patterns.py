"""Node extraction patterns (Reis et al. 2004): trees with wildcards where the pages of a template differ.

They rest on RTDM (Reis, Golgher, Silva & Laender 2004): the restricted top-down mapping of two trees, and its edit
distance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from scrapy_tps.literature.memory import children_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence


#: Limits of a comparison: cells of all matrices, and levels. Beyond them, subtrees that are not identical are replaced
#: as a whole: the distance becomes an upper bound, and time stays bounded for all trees.
MOST_CELLS: Final = 200_000
MOST_LEVELS: Final = 200


@dataclass(slots=True)
class Tree:
    """A labelled ordered rooted tree, its vertices in preorder.

    :ivar labels: the label of each vertex.
    :ivar end: the vertex after the last one of each subtree.
    :ivar children: the children of each vertex.
    """

    labels: list[str]
    end: list[int]
    children: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.children = children_of(self.end)

    def __len__(self) -> int:
        return len(self.labels)

    def size(self, node: int) -> int:
        """Return the number of vertices of a subtree."""
        return self.end[node] - node


class Mapping:
    """A minimal restricted top-down mapping between two trees, with unit costs.

    A vertex that is mapped to one with another label has no mapped descendants; otherwise only leaves are inserted and
    removed. First all subtrees get the number of their class of identical subtrees, in linear time. The matrices then
    omit identical subtrees at both ends of two lists of children, and stop at the threshold.

    :param threshold: the distance above which the comparison may stop.
    """

    def __init__(self, one: Tree, other: Tree, threshold: float = inf) -> None:
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
            if one.labels[first] == other.labels[second] and level < MOST_LEVELS:
                for left, right in self._aligned(first, second, level):
                    pending.append((left, right, level + 1))
        return sorted(found)

    def _cost(self, first: int, second: int, level: int) -> float:
        """Return the cost of mapping two subtrees whose roots are mapped to each other."""
        if self._class_of_one[first] == self._class_of_other[second]:
            return 0
        classes = self._class_of_one[first], self._class_of_other[second]
        cached = self._costs.get(classes)
        if cached is not None:
            return cached
        one, other = self._one, self._other
        whole = one.size(first) + other.size(second) - 2  # all descendants removed and inserted
        below, siblings = one.children[first], other.children[second]
        if one.labels[first] != other.labels[second]:
            found: float = whole + 1
        elif level >= MOST_LEVELS or self._cells + len(below) * len(siblings) > MOST_CELLS:
            found = whole
        else:
            found = self._matrix(below, siblings, level)[-1][-1]
        self._costs[classes] = found
        return found

    def _trimmed(self, below: Sequence[int], siblings: Sequence[int]) -> tuple[int, int]:
        """Return how many children are identical at the start and at the end of two lists."""
        left, right = self._class_of_one, self._class_of_other
        most = min(len(below), len(siblings))
        start = 0
        while start < most and left[below[start]] == right[siblings[start]]:
            start += 1
        stop = 0
        while stop < most - start and left[below[-1 - stop]] == right[siblings[-1 - stop]]:
            stop += 1
        return start, stop

    def _matrix(self, below: Sequence[int], siblings: Sequence[int], level: int) -> list[list[float]]:
        """Return the costs of mapping the first children of one vertex to those of another, without identical ends."""
        one, other, limit = self._one, self._other, self._threshold
        start, stop = self._trimmed(below, siblings)
        below, siblings = below[start : len(below) - stop], siblings[start : len(siblings) - stop]
        self._cells += len(below) * len(siblings)
        inserted = [other.size(sibling) for sibling in siblings]
        row: list[float] = [0]
        for size in inserted:
            row.append(row[-1] + size)
        rows = [row]
        for child in below:
            removal = one.size(child)
            label = one.labels[child]
            previous, row = row, [row[0] + removal]
            for place, (sibling, insertion) in enumerate(zip(siblings, inserted, strict=True)):
                best = min(previous[place + 1] + removal, row[place] + insertion)
                before = previous[place]
                # the mapping of two subtrees costs at least the difference of their sizes
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
        """Return which children of two mapped vertices are mapped to each other."""
        below, siblings = self._one.children[first], self._other.children[second]
        if self._cells + len(below) * len(siblings) > 2 * MOST_CELLS:
            return []
        start, stop = self._trimmed(below, siblings)
        found = list(zip(below[:start], siblings[:start], strict=True))
        rows = self._matrix(below, siblings, level)
        i, j = len(rows) - 1, len(rows[0]) - 1
        while i and j:
            child, sibling = below[start + i - 1], siblings[start + j - 1]
            if rows[i][j] == rows[i - 1][j - 1] + self._cost(child, sibling, level + 1):
                found.append((child, sibling))
                i, j = i - 1, j - 1
            elif rows[i][j] == rows[i - 1][j] + self._one.size(child):
                i -= 1
            else:
                j -= 1
        return found + list(zip(below[len(below) - stop :], siblings[len(siblings) - stop :], strict=True))


def rtdm(one: Tree, other: Tree, threshold: float = inf) -> float:
    """Return the restricted top-down edit distance of two trees; infinite above the threshold."""
    return Mapping(one, other, threshold).distance()


def similarity(one: Tree, other: Tree, least: float = 0.0) -> float:
    """Return 1 minus the distance divided by the vertices of both trees: 1 for equal trees, 0 for nothing in common.

    :param least: the similarity below which the result is 0, which is found sooner.
    """
    vertices = len(one) + len(other)
    return max(0.0, 1 - rtdm(one, other, (1 - least) * vertices) / vertices)


def _classes(tree: Tree, cached: dict[Hashable, int]) -> list[int]:
    """Return a number for each vertex, the same for the roots of identical subtrees."""
    found = [0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        key = (tree.labels[node], *(found[child] for child in tree.children[node]))
        found[node] = cached.setdefault(key, len(cached))
    return found


#: The number of subtrees that a wildcard matches: one, one or more siblings, one or none, any number.
SINGLE: Final = "."
PLUS: Final = "+"
OPTION: Final = "?"
KLEENE: Final = "*"
WILDCARDS: Final = frozenset({SINGLE, PLUS, OPTION, KLEENE})
_VARIABLE: Final = frozenset({PLUS, KLEENE})
_SKIPPED: Final = frozenset({OPTION, KLEENE})
_OPTIONAL: Final = {SINGLE: OPTION, PLUS: KLEENE, OPTION: OPTION, KLEENE: KLEENE}
#: Vertices between wildcards that are merged with them.
_BETWEEN: Final = 3

#: A pattern, or a page: the label of a text is its words, that of an element its tag.
Pattern: TypeAlias = Tree


def compose(pattern: Pattern, page: Pattern) -> Pattern:
    """Return the pattern that accepts all that a pattern accepts, and another page or all that another pattern accepts.

    Vertices of the mapping with the same label stay; those that differ become wildcards; vertices of only one of the
    two become optional wildcards. Adjacent wildcards, and subtrees of wildcards with the same root, become one of
    variable size.
    """
    mapped = dict(Mapping(pattern, page).pairs())

    def expand(work: tuple[int, int] | str) -> tuple[str, list[tuple[int, int] | str]]:
        if isinstance(work, str):
            return work, []
        one, other = pattern.labels[work[0]], page.labels[work[1]]
        if one != other:
            return one if one in WILDCARDS else other if other in WILDCARDS else SINGLE, []
        return one, _interleaved(pattern, page, work, mapped)

    return _merged(_built((0, 0), expand))


def _built(root: Any, expand: Callable[[Any], tuple[str, list[Any]]]) -> Pattern:
    """Return a tree from its root down: each piece of work is one vertex, and gives its label and the work below it."""
    labels: list[str] = []
    end: list[int] = []
    pending: list[tuple[Any, int]] = [(root, -1)]  # with the vertex that ends here, -1 for one that starts
    while pending:
        work, ending = pending.pop()
        if ending >= 0:
            end[ending] = len(labels)
            continue
        label, below = expand(work)
        pending.append((work, len(labels)))
        pending += [(one, -1) for one in reversed(below)]
        labels.append(label)
        end.append(0)
    return Tree(labels, end)


def _interleaved(
    pattern: Pattern, page: Pattern, vertices: tuple[int, int], mapped: dict[int, int]
) -> list[tuple[int, int] | str]:
    """Return the children of two mapped vertices in one order: mapped ones, and wildcards for the others."""
    parts: list[tuple[int, int] | str] = []
    siblings = page.children[vertices[1]]
    place = 0
    for child in pattern.children[vertices[0]]:
        partner = mapped.get(child)
        if partner is None:
            parts.append(_OPTIONAL.get(pattern.labels[child], OPTION))
            continue
        while place < len(siblings) and siblings[place] != partner:
            parts.append(_OPTIONAL.get(page.labels[siblings[place]], OPTION))
            place += 1
        parts.append((child, partner))
        place += 1
    return parts + [_OPTIONAL.get(page.labels[child], OPTION) for child in siblings[place:]]


def _merged(tree: Pattern) -> Pattern:
    """Return the pattern with adjacent wildcards merged into one of variable size."""
    wild = [0, *accumulate(label in WILDCARDS for label in tree.labels)]

    def expand(work: int | str) -> tuple[str, list[int | str]]:
        if isinstance(work, str):
            return work, []
        below: list[int | str] = []
        for run in _runs(tree, work, wild):
            labels = {tree.labels[child] for child in run}
            kinds = labels & WILDCARDS
            if len(run) < 2 or labels == {SINGLE}:
                below += run
            else:
                below.append(KLEENE if kinds and not kinds & {SINGLE, PLUS} else PLUS)
        return tree.labels[work], below

    return _built(0, expand)


def _runs(tree: Pattern, node: int, wild: Sequence[int]) -> Iterable[list[int]]:
    """Yield the children of a vertex in order, with those that form one wildcard together in one list.

    These are wildcards with few other vertices between them, such as the texts of a body and its line breaks; and
    subtrees that consist mostly of wildcards and have the same root, such as its paragraphs.
    """
    run: list[int] = []
    between: list[int] = []  # after the run; part of it if a wildcard follows
    make = ""
    for child in tree.children[node]:
        label = tree.labels[child]
        held = wild[tree.end[child]] - wild[child]
        here = ""
        if label in WILDCARDS:
            here = "wildcard"
        elif held and tree.size(child) - held <= _BETWEEN:
            here = f"<{label}>"
        if here and here == make:
            run += [*between, child]
            between = []
        elif make == "wildcard" and not held and sum(map(tree.size, [*between, child])) <= _BETWEEN:
            between.append(child)
        else:
            yield from (run, *([single] for single in between))
            run, between, make = [child], [], here
    yield from (run, *([single] for single in between))


class Match:
    """The way in which a pattern accepts a page at the lowest cost: the number of optional wildcards without a match.

    :ivar cost: infinite if it does not accept the page.
    """

    def __init__(self, pattern: Pattern, page: Pattern) -> None:
        self._pattern, self._page = pattern, page
        self._costs: dict[tuple[int, int], float] = {}
        self._cells = 0
        self.cost = self._of(0, 0, 0)

    def taken(self) -> list[tuple[int, list[int]]]:
        """Return the wildcards of the pattern, and the roots of the subtrees that each matches, in document order."""
        if self.cost == inf:
            return []
        found: list[tuple[int, list[int]]] = []
        pending = [(0, 0, 0)]
        while pending:
            first, second, level = pending.pop()
            for child, roots in self._assigned(first, second, level):
                if self._pattern.labels[child] in WILDCARDS:
                    found.append((child, roots))
                else:
                    pending.append((child, roots[0], level + 1))
        return sorted(entry for entry in found if entry[1])

    def _of(self, first: int, second: int, level: int) -> float:
        if self._pattern.labels[first] != self._page.labels[second] or level > MOST_LEVELS:
            return inf
        cached = self._costs.get((first, second))
        if cached is None:
            cached = self._costs[first, second] = self._matrix(first, second, level)[-1][-1]
        return cached

    def _matrix(self, first: int, second: int, level: int) -> list[list[float]]:
        """Return the costs of accepting the first children of a vertex by the first ones of a pattern's."""
        parts, siblings = self._pattern.children[first], self._page.children[second]
        self._cells += (len(parts) + 1) * (len(siblings) + 1)
        if self._cells > MOST_CELLS:
            return [[inf]]
        rows: list[list[float]] = [[0.0, *[inf] * len(siblings)]]
        for part in parts:
            before = rows[-1]
            label = self._pattern.labels[part]
            if label in WILDCARDS:
                row = self._taking(label, before)
                if label in _SKIPPED:
                    row = [min(cost, skipped + 1) for cost, skipped in zip(row, before, strict=True)]
            else:
                row = [inf]
                for place, child in enumerate(siblings):
                    cost = before[place]
                    row.append(cost if cost == inf else cost + self._of(part, child, level + 1))
            rows.append(row)
        return rows

    @staticmethod
    def _taking(label: str, before: Sequence[float]) -> list[float]:
        """Return the costs if a wildcard matches something, up to the sibling before each place."""
        row = [inf]
        for cost in before[:-1]:
            row.append(min(cost, row[-1]) if label in _VARIABLE else cost)
        return row

    def _assigned(self, first: int, second: int, level: int) -> list[tuple[int, list[int]]]:
        """Return the children of a vertex that each child of the pattern's vertex matches."""
        parts, siblings = self._pattern.children[first], self._page.children[second]
        rows = self._matrix(first, second, level)
        if len(rows) != len(parts) + 1:
            return []
        found: list[tuple[int, list[int]]] = []
        place = len(siblings)
        for number in range(len(parts), 0, -1):
            label, before = self._pattern.labels[parts[number - 1]], rows[number - 1]
            stop = place
            if label not in WILDCARDS:
                place -= 1
            else:
                taking = self._taking(label, before)
                if rows[number][place] == taking[place]:
                    while label in _VARIABLE and taking[place] != before[place - 1]:
                        place -= 1
                    place -= 1
            found.append((parts[number - 1], siblings[place:stop]))
        return found
