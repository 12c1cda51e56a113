"""Hidden parts that are content: answers below their questions, fields of records, the tabs of a shop.

Names of tabs and accordions say so as well (:mod:`scrapy_tps.hints`); here it is the place of a part that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import FORM, HIDDEN
from scrapy_tps.native import extension
from scrapy_tps.strategies.prices import LEAST_PRICES, count_prices
from scrapy_tps.strategies.recurring import COVERING, FEW_TEXTS, LEAST, are_different

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

#: Two tabs are of the same make when they share this part of the classes of the one that has fewer.
SAME_CLASSES: Final = 0.5
#: So many shown siblings are compared.
COMPARED: Final = 5
#: Three products with names and prices have more nodes than this.
LEAST_NODES: Final = 20
#: Prices are looked for in so many nodes of a tab.
SEARCHED: Final = 300
_ANSWER: Final = 1
_FIELD: Final = 2
_CORE: Final = extension("_siblings")


def unmark_revealed(page: Workspace) -> None:
    """Take HIDDEN from answers, fields of records, and tabs with products.

    Answers have prose and recur with different texts, each the last of its parent's texts and not the first, which
    is the question. Fields have few texts without links and recur likewise, each beside other text in a parent of its
    own. A tab with products names three prices or more, is no part of a form, and has a shown sibling of the same
    make.
    """
    recurring: dict[int, list[int]] = {}
    fields: set[int] = set()  # paths of tags that they have
    found: list[int] = []
    hidden = _hidden_parts(page)
    if not hidden:
        return
    is_tab, tags, end = _Tabs(page), page.tags, page.end
    for index, kind in hidden:
        if kind:
            recurring.setdefault(tags[index], []).append(index)
        if kind == _FIELD:
            fields.add(tags[index])
        elif end[index] - index >= LEAST_NODES and is_tab(index):
            found.append(index)
    for path, parts in recurring.items():
        if (
            len(parts) >= LEAST
            and (path not in fields or len({page.parent[part] for part in parts}) == len(parts))
            and are_different(page, parts)
        ):
            found += parts
    for index in found:
        page.hints[index] &= ~HIDDEN  # type: ignore[index]


def _hidden_parts(page: Workspace) -> list[tuple[int, int]]:
    """Hidden parts that are neither a dialog or notice nor inside of one: (index, what it is placed like, or 0).

    Those that are neither placed so nor large are left out, natively those as well that recur too seldom.
    """
    if page.columns is not None:
        return _CORE.hidden_parts(  # type: ignore[no-any-return]
            page.columns, HIDDEN, COVERING, LEAST_NODES, FEW_TEXTS, _ANSWER, _FIELD, LEAST
        )
    hints, parent, end, texts, proses = page.hints, page.parent, page.end, page.texts, page.proses
    found: list[tuple[int, int]] = []
    covered = 0
    for index in page.all_with(COVERING):
        if index < covered:
            continue
        covered = end[index]
        if hints[index] & COVERING != HIDDEN or texts[covered] == texts[index]:
            continue
        above = parent[index]
        is_large = covered - index >= LEAST_NODES
        begins, closes = texts[index] == texts[above], texts[covered] == texts[end[above]]
        kind = 0
        if proses[covered] > proses[index] and closes and not begins:
            kind = _ANSWER
        elif (
            not (is_large or (begins and closes))
            and page.text[index:covered].count(1) <= FEW_TEXTS
            and 1 not in page.linked[index:covered]
        ):
            kind = _FIELD
        if kind or is_large:
            found.append((index, kind))
    return found


class _Tabs:
    """Tells tabs with products."""

    def __init__(self, page: Workspace) -> None:
        self.page = page
        self._shown: dict[int, dict[int, list[int]]] = {}

    def __call__(self, index: int) -> bool:
        page, stop = self.page, self.page.end[index]
        return (
            self._has_twin(index)
            and not self._is_in_form(index)
            and count_prices(page, index, min(stop, index + SEARCHED), LEAST_PRICES) == LEAST_PRICES
        )

    def _is_in_form(self, index: int) -> bool:
        while index > 0 and not self.page.hints[index] & FORM:
            index = self.page.parent[index]
        return index > 0

    def _has_twin(self, index: int) -> bool:
        """Whether a shown sibling with text is of the same make."""
        own = self.page.classes(index)
        if not own:
            return False
        above = self.page.parent[index]
        shown = self._shown.get(above)
        if shown is None:
            shown = self._shown[above] = self._shown_children(above)
        others = map(self.page.classes, shown.get(self.page.tags[index], ()))
        return any(len(other & own) >= SAME_CLASSES * min(len(other), len(own)) for other in others)

    def _shown_children(self, above: int) -> dict[int, list[int]]:
        """The first shown children with some text, by their paths of tags; those without classes left out."""
        page = self.page
        found: dict[int, list[int]] = {}
        child, stop = above + 1, page.end[above]
        while child < stop:
            after = page.end[child]
            if not page.hints[child] & COVERING and page.texts[after] > page.texts[child]:
                some = found.setdefault(page.tags[child], [])
                if len(some) < COMPARED and page.classes(child):
                    some.append(child)
            child = after
        return found
