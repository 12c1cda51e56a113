"""Hidden parts that are folded content: the rest of a list behind "show all", the other tabs of a shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import HIDDEN

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

#: The class that style sheets give to what is not shown (Tailwind, Bootstrap 4 and many of their own).
HIDING_CLASS: Final = "hidden"
#: A hidden part is made like a shown sibling when it shares this part of its other classes.
SAME_CLASSES: Final = 0.8


class Folded:
    """Tells the hidden parts of a page that are made like a shown sibling of theirs.

    Only parts that a class hides are asked about: the style sheet that makes it so is not there to be read,
    while the attribute ``hidden`` and ``style`` speak for themselves. On the WCXB set, two collections lose
    the categories behind "show all" without this check.
    """

    def __init__(self, page: Workspace) -> None:
        self.page = page
        self._shown: dict[int, dict[int, int]] = {}

    def __call__(self, index: int) -> bool:
        sequence = self.page.sequence
        classes = sequence.symbol_class[sequence.symbols[index]]
        if not classes or HIDING_CLASS not in classes:
            return False
        others = set(classes.split())
        if HIDING_CLASS not in others:
            return False
        others.remove(HIDING_CLASS)
        sibling = self._shown_siblings(self.page.parent[index]).get(self.page.tags[index], -1)
        if sibling < 0 or not others:
            return False
        shared = others.intersection((sequence.symbol_class[sequence.symbols[sibling]] or "").split())
        return len(shared) >= SAME_CLASSES * len(others)

    def _shown_siblings(self, above: int) -> dict[int, int]:
        """The first shown child of each tag path that has some text; worked out once for each parent."""
        found = self._shown.get(above)
        if found is None:
            page = self.page
            found = self._shown[above] = {}
            child = above + 1
            while child < page.end[above]:
                after = page.end[child]
                if not page.hints[child] & HIDDEN and page.texts[after] > page.texts[child]:
                    found.setdefault(page.tags[child], child)
                child = after
        return found
