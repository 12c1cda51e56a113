"""How many elements a tree has, and each part of it that was asked for: a sign of changes made by others."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine import native

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Others have changed how many there are: no number of elements.
_CHANGED: Final = -1
_count_elements: Final = etree.XPath("count(descendant-or-self::*)")


class ElementCounts:
    """How many elements a tree had when this was made, and how many each part of it had.

    Parts are counted with their siblings when one of them is first asked for, unless what they stand in has changed
    by then: a thousand rows that are asked one by one count their table twice, not a thousand times. Of a part that was
    first asked for after a change it can't be told whether it has changed; it counts as if it had.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._counts: dict[Any, int] = {root: count_elements(root)}

    def hold(self, element: Any) -> bool:
        """Whether there are still as many elements in `element`; if that can't be told, they have changed."""
        known = self._count_of(element)
        return known is not None and known == count_elements(element)

    @contextmanager
    def without(self, element: Any, *, known: bool) -> Iterator[None]:
        """While the context is open, `element` is taken out of the tree, which is no change made by others.

        :param element: None: nothing of this tree.
        :param known: whether it goes from the whole page as well; if not, what it stands in has changed.
        """
        count = 0 if element is None else self._count_of(element)
        above = [self._root] if element is None else [*element.iterancestors()]
        yield
        for one in above:
            if one in self._counts:
                self._counts[one] = self._counts[one] - count if known and count is not None else _CHANGED

    def _count_of(self, element: Any) -> int | None:
        """Return how many elements were in `element`; None if that can't be told any more."""
        way = []
        above = element
        while above not in self._counts:
            way.append(above)
            above = above.getparent()
            if above is None:
                return None
        for one in reversed(way):
            if count_elements(above) != self._counts[above]:
                return None
            self._counts.update((child, count_elements(child)) for child in above.iterchildren(etree.Element))
            above = one
        return self._counts.get(element)


def count_elements(element: Any) -> int:
    """Return how many elements there are in an element, itself among them."""
    cutting = native.extension("cutting")
    return int(_count_elements(element) if cutting is None else cutting.count_elements(element))
