"""A sequence whose elements are looked up when they are asked for.

An element object per node is cheap to make and expensive to keep: Python's garbage collector counts them, and the more
there are, the more often it goes through all objects of a crawl. Only few of them are ever needed: those along the
cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.sequence import walking
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS, TAIL_OF, TEXT_OF, TagPathSequence

if TYPE_CHECKING:
    from collections.abc import Iterator


def walk(body: Any, names: frozenset[str]) -> TagPathSequence:
    """Return the tag path sequence of a ``body`` element; nobody else may change its tree before the cut.

    :param names: attributes that :meth:`TagPathSequence.attributes` will be asked for.
    """
    found = walking.walk(body, names)
    found.nodes = LazyNodes(found, body)  # type: ignore[assignment]
    return found


class LazyNodes:
    """The column `nodes` of a sequence; the children of an element are looked up once, all together.

    It holds columns and not the sequence: in a reference cycle of the two, plain elements would outlive the pruning,
    and a spider would get form controls without ``lxml.html``'s methods.
    """

    __slots__ = ("_end", "_found", "_kinds", "_parent")

    def __init__(self, sequence: TagPathSequence, body: Any) -> None:
        self._parent, self._end, self._kinds = sequence.parent, sequence.end, sequence.kinds
        self._found: dict[int, Any] = {**sequence.controls, 0: body}

    def __len__(self) -> int:
        return len(self._parent)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if index not in self._found:
            self._look_up(index)
        return self._found[index]

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def _look_up(self, index: int) -> None:
        parent, found = self._parent, self._found
        above = parent[index]
        chain = [above]
        while above not in found:
            above = parent[above]
            chain.append(above)
        for node in reversed(chain):
            self._look_up_children(node)

    def _look_up_children(self, above: int) -> None:
        end, kinds, found = self._end, self._kinds, self._found
        element = found[above]
        place, stop = above + 1, end[above]
        if place < stop and kinds[place] == TEXT_OF:
            found[place] = element
            place += 1
        for child in element:
            if place >= stop:
                break
            tag = child.tag
            if tag.__class__ is str and tag not in HIDDEN_TAGS:
                found[place] = child
                place = end[place]
            if place < stop and kinds[place] == TAIL_OF:
                tail = child.tail
                if tail and not tail.isspace():
                    found[place] = child
                    place += 1
