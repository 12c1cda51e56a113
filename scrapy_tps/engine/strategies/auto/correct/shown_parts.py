"""Hidden parts that are shown on wide screens, or made like a shown sibling: the rest of a list behind "show all"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import HIDDEN
from scrapy_tps.engine.loops import furniture
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import DISPLAYS

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import ShownSiblings

_shown_children: Final = over_columns(furniture.shown_children)
#: The class that style sheets give to what is not shown (Tailwind, and many of their own).
HIDING_CLASS: Final = "hidden"


def shown_parts(page: Page, limits: ShownSiblings) -> list[Correction]:
    """Take HIDDEN from parts that the class `hidden` hides, where other classes say otherwise."""
    hidden = page.all_with(HIDDEN)
    if not hidden:
        return []
    is_shown = _Shown(page, limits.same_classes)
    return [Correction(index, HIDDEN) for index in hidden if is_shown(index)]


class _Shown:
    """Tells the hidden parts that are shown on wide screens, or made like a shown sibling of theirs.

    Only parts that a class hides are asked about: the style sheet that makes it so is not there to be read,
    while the attribute ``hidden`` and ``style`` speak for themselves. On the WCXB set, two collections lose
    the categories behind "show all" without this check.
    """

    def __init__(self, page: Page, same_classes: float) -> None:
        self.page, self._same_classes = page, same_classes
        self._shown: dict[int, dict[int, int]] = {}
        self._at_times: dict[int, bool] = {}  # by symbol

    def __call__(self, index: int) -> bool:
        page = self.page
        classes = page.classes(index)
        if HIDING_CLASS not in classes:
            return False
        if self._is_shown_at_times(page.symbols[index], classes):
            return True
        least = self._same_classes * (len(classes) - 1)
        if not least:
            return False
        sibling = self._shown_siblings(page.parent[index]).get(page.tags[index], -1)
        if sibling < 0:
            return False
        shared = classes & page.classes(sibling)
        return len(shared) - (HIDING_CLASS in shared) >= least

    def _is_shown_at_times(self, symbol: int, classes: frozenset[str]) -> bool:
        """Whether one of the classes says how the part is displayed on screens of some width."""
        found = self._at_times.get(symbol)
        if found is None:
            found = any(":" in name and name.rpartition(":")[2] in DISPLAYS for name in classes)
            self._at_times[symbol] = found
        return found

    def _shown_siblings(self, above: int) -> dict[int, int]:
        """The first shown child of each tag path that has some text; worked out once for each parent."""
        found = self._shown.get(above)
        if found is None:
            found = self._shown[above] = _shown_children(self.page.measured, above, HIDDEN)
        return found
