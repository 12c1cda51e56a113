"""Hints put right by what stands around them: notices of consent, and hidden parts that are shown to some."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.hints import CONSENT, DIALOG, HEADING, HIDDEN, MAIN, PROMOTION, WEAK
from scrapy_tps.native import extension
from scrapy_tps.strategies.protection import SOFT
from scrapy_tps.strategies.recurring import unmark_recurring
from scrapy_tps.strategies.revealed import unmark_revealed
from scrapy_tps.strategies.siblings import DISPLAYS, unmark_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_furniture")
#: What is a consent notice when its names speak of consent anywhere.
_ASKING: Final = DIALOG | HIDDEN | PROMOTION
#: The class that style sheets give to what is not shown (Tailwind, and many of their own).
HIDING_CLASS: Final = "hidden"
#: A hidden part is made like a shown sibling when it shares this part of its other classes.
SAME_CLASSES: Final = 0.8


def settle_hints(page: Workspace, limits: Limits) -> None:
    """Change the hints of notices, of parts that are hidden from some only, and of records among others.

    What only some of many like siblings are marked with says what they are about (`siblings`).
    Dialogs, banners and hidden parts whose names speak of consent anywhere, and dialogs with parts that do,
    ask for consent: they go however much prose they hold, as no other dialog does. What recurs is neither
    (`recurring`). Hidden parts that are shown on wide screens, or made like a shown sibling (the rest of a list behind
    "show all"), are not hidden, nor are answers, fields of records and tabs of a shop (`revealed`).
    """
    unmark_records(page, SOFT)
    hints: Any = page.hints
    consents = page.all_with(CONSENT | CONSENT << WEAK)
    if consents:
        known = page.all_with(MAIN | HEADING)
        for index in page.all_with(_ASKING):
            hint, end = hints[index], page.end[index]
            if hint >> WEAK & CONSENT or (
                hint & DIALOG
                and _any_in(consents, index, end)
                and not _any_in(known, index, end)
                and page.share(index, end) <= limits.sure
            ):
                hints[index] = hint | CONSENT
    unmark_recurring(page)
    unmark_revealed(page)
    if page.columns is None:
        hidden = page.all_with(HIDDEN)
    else:  # only these are asked about
        hidden = _CORE.of_class(page.columns, HIDDEN, HIDING_CLASS.encode())
    if hidden:
        is_content = _Unhidden(page)
        for index in [index for index in hidden if is_content(index)]:
            hints[index] &= ~HIDDEN


class _Unhidden:
    """Tells the hidden parts that are shown on wide screens, or made like a shown sibling of theirs.

    Only parts that a class hides are asked about: the style sheet that makes it so is not there to be read,
    while the attribute ``hidden`` and ``style`` speak for themselves. On the WCXB set, two collections lose
    the categories behind "show all" without this check.
    """

    def __init__(self, page: Workspace) -> None:
        self.page = page
        self._shown: dict[int, dict[int, int]] = {}
        self._at_times: dict[int, bool] = {}  # by symbol

    def __call__(self, index: int) -> bool:
        page = self.page
        classes = page.classes(index)
        if HIDING_CLASS not in classes:
            return False
        if self._is_shown_at_times(page.symbols[index], classes):
            return True
        least = SAME_CLASSES * (len(classes) - 1)
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
            found = self._shown[above] = _shown_children(self.page, above)
        return found


def _shown_children(page: Workspace, above: int) -> dict[int, int]:
    if page.columns is not None:
        return _CORE.shown_children(page.columns, above, HIDDEN)  # type: ignore[no-any-return]
    found: dict[int, int] = {}
    child = above + 1
    while child < page.end[above]:
        after = page.end[child]
        if not page.hints[child] & HIDDEN and page.texts[after] > page.texts[child]:
            found.setdefault(page.tags[child], child)
        child = after
    return found


def _any_in(indexes: Sequence[int], start: int, end: int) -> bool:
    place = bisect_left(indexes, start)
    return place < len(indexes) and indexes[place] < end
