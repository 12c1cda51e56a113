"""Node extraction patterns (Reis et al. 2004): trees with wildcards where the pages of a template differ."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from scrapy_tps.literature.rtdm import MOST_CELLS, MOST_LEVELS, Mapping, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: What a wildcard takes: one subtree, one or more siblings, one or none, any number.
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

#: A pattern, or a page: each text has a label of its own words, each element that of its tag.
Pattern = Tree[str]


def compose(pattern: Pattern, page: Pattern) -> Pattern:
    """The pattern that accepts what a pattern accepts, and another page or all that another pattern accepts.

    Vertices of the mapping with the same label stay; those that differ become wildcards; what only one of the two has
    becomes an optional one. Wildcards side by side, and subtrees of wildcards with the same root, become one of
    variable size.
    """
    mapped = dict(Mapping(pattern, page).pairs())
    labels: list[str] = []
    end: list[int] = []

    # what to write next: subtrees of the pattern mapped to the page's (kind 0), wildcards (1), ends of elements (2)
    pending: list[tuple[int, int, int, str]] = [(0, 0, 0, "")]
    while pending:
        kind, first, second, wildcard = pending.pop()
        if kind == 2:
            end[first] = len(labels)
            continue
        if kind == 1:
            labels.append(wildcard)
            end.append(len(labels))
            continue
        one, other = pattern.labels[first], page.labels[second]
        if one != other:
            labels.append(one if one in WILDCARDS else other if other in WILDCARDS else SINGLE)
            end.append(len(labels))
            continue
        place = len(labels)
        labels.append(one)
        end.append(0)
        parts = _interleaved(pattern, page, (first, second), mapped)
        pending.append((2, place, 0, ""))
        pending += reversed(parts)
    return _merged(Tree(labels, end))


def _interleaved(
    pattern: Pattern, page: Pattern, vertices: tuple[int, int], mapped: dict[int, int]
) -> list[tuple[int, int, int, str]]:
    """The children of two mapped vertices in one order, as work for :func:`compose`."""
    parts: list[tuple[int, int, int, str]] = []
    beside = page.children[vertices[1]]
    place = 0
    for child in pattern.children[vertices[0]]:
        partner = mapped.get(child)
        if partner is None:
            parts.append((1, 0, 0, _OPTIONAL.get(pattern.labels[child], OPTION)))
            continue
        while place < len(beside) and beside[place] != partner:
            parts.append((1, 0, 0, _OPTIONAL.get(page.labels[beside[place]], OPTION)))
            place += 1
        parts.append((0, child, partner, ""))
        place += 1
    parts += [(1, 0, 0, _OPTIONAL.get(page.labels[child], OPTION)) for child in beside[place:]]
    return parts


def _merged(tree: Pattern) -> Pattern:
    """The pattern with wildcards in a row as one of variable size."""
    wild = [0] * (len(tree) + 1)
    for node, label in enumerate(tree.labels):
        wild[node + 1] = wild[node] + (label in WILDCARDS)
    labels: list[str] = []
    end: list[int] = []
    pending: list[tuple[bool, int, str]] = [(False, 0, "")]
    while pending:
        closes, node, wildcard = pending.pop()
        if closes:
            end[node] = len(labels)
            continue
        place = len(labels)
        labels.append(wildcard or tree.labels[node])
        end.append(place + 1)
        if wildcard:
            continue
        pending.append((True, place, ""))
        work: list[tuple[bool, int, str]] = []
        for run in _runs(tree, node, wild):
            labels_of_run = {tree.labels[child] for child in run}
            kinds = labels_of_run & WILDCARDS
            if len(run) < 2 or labels_of_run == {SINGLE}:
                work += [(False, child, "") for child in run]
            else:
                work.append((False, 0, KLEENE if kinds and not kinds & {SINGLE, PLUS} else PLUS))
        pending += reversed(work)
    return Tree(labels, end)


def _runs(tree: Pattern, node: int, wild: Sequence[int]) -> Iterable[list[int]]:
    """The children of a vertex in their order, those that are one wildcard together in one list.

    Those are wildcards with few other vertices between them, such as the texts of a body and its line breaks; and
    subtrees of little but wildcards with the same root, such as its paragraphs.
    """
    run: list[int] = []
    between: list[int] = []  # behind the run; of it, if a wildcard follows
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
    """How a pattern accepts a page: with the lowest cost, which is the number of optional wildcards that take nothing.

    :ivar cost: infinite where it does not.
    """

    def __init__(self, pattern: Pattern, page: Pattern) -> None:
        self._pattern, self._page = pattern, page
        self._costs: dict[tuple[int, int], float] = {}
        self._cells = 0
        self.cost = self._of(0, 0, 0)

    def taken(self) -> list[tuple[int, list[int]]]:
        """Wildcards of the pattern, and the roots of the subtrees that each takes, in document order."""
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
        known = self._costs.get((first, second))
        if known is None:
            known = self._costs[first, second] = self._matrix(first, second, level)[-1][-1]
        return known

    def _matrix(self, first: int, second: int, level: int) -> list[list[float]]:
        """Cost of accepting the first children of a vertex by the first ones of a pattern's."""
        parts, beside = self._pattern.children[first], self._page.children[second]
        self._cells += (len(parts) + 1) * (len(beside) + 1)
        if self._cells > MOST_CELLS:
            return [[inf]]
        rows: list[list[float]] = [[0.0, *[inf] * len(beside)]]
        for part in parts:
            before = rows[-1]
            label = self._pattern.labels[part]
            if label in WILDCARDS:
                row = self._taking(label, before)
                if label in _SKIPPED:
                    row = [min(cost, skipped + 1) for cost, skipped in zip(row, before, strict=True)]
            else:
                row = [inf]
                for place, child in enumerate(beside):
                    cost = before[place]
                    row.append(cost if cost == inf else cost + self._of(part, child, level + 1))
            rows.append(row)
        return rows

    @staticmethod
    def _taking(label: str, before: Sequence[float]) -> list[float]:
        """Costs where a wildcard takes something, up to the sibling before each place."""
        row = [inf]
        for cost in before[:-1]:
            row.append(min(cost, row[-1]) if label in _VARIABLE else cost)
        return row

    def _assigned(self, first: int, second: int, level: int) -> list[tuple[int, list[int]]]:
        """The children of a vertex that each child of the pattern's takes."""
        parts, beside = self._pattern.children[first], self._page.children[second]
        rows = self._matrix(first, second, level)
        if len(rows) != len(parts) + 1:
            return []
        found: list[tuple[int, list[int]]] = []
        place = len(beside)
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
            found.append((parts[number - 1], beside[place:stop]))
        return found
