"""Hidden parts that are content: answers below their questions, fields of records, the tabs of a shop.

Names of tabs and accordions say so as well (:mod:`scrapy_tps.engine.hints.reading`); here it is the place of a part
that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import FORM, HIDDEN
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import COVERING
from scrapy_tps.engine.strategies.auto.queries import are_different, count_prices
from scrapy_tps.engine.strategies.auto.thresholds import PRICES

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Revealed

_ANSWER: Final = 1
_FIELD: Final = 2
_CORE: Final = extension("siblings")


def revealed(page: Page, limits: Revealed) -> list[Correction]:
    """Take HIDDEN from answers, fields of records, and tabs with products.

    Answers have prose and recur with different texts, each the last of its parent's texts and not the first, which
    is the question. Fields have few texts without links and recur likewise, each beside other text in a parent of its
    own. A tab with products names three prices or more, is no part of a form, and has a shown sibling of the same
    make.
    """
    recurring: dict[int, list[int]] = {}
    fields: set[int] = set()  # paths of tags that they have
    found: list[int] = []
    hidden = _hidden_parts(page, limits)
    if not hidden:
        return []
    is_tab, tags, end = _Tabs(page, limits), page.tags, page.end
    for index, kind in hidden:
        if kind:
            recurring.setdefault(tags[index], []).append(index)
        if kind == _FIELD:
            fields.add(tags[index])
        elif end[index] - index >= limits.least_nodes and is_tab(index):
            found.append(index)
    for path, parts in recurring.items():
        if (
            len(parts) >= limits.least
            and (path not in fields or len({page.parent[part] for part in parts}) == len(parts))
            and are_different(page, parts, limits)
        ):
            found += parts
    return [Correction(index, HIDDEN) for index in found]


def _hidden_parts(page: Page, limits: Revealed) -> list[tuple[int, int]]:
    """Hidden parts that are neither a dialog or notice nor inside of one: (index, what it is placed like, or 0).

    Those that are neither placed so nor large are left out, natively those as well that recur too seldom.
    """
    if page.columns is not None:
        return _CORE.hidden_parts(  # type: ignore[no-any-return]
            page.columns,
            HIDDEN,
            COVERING,
            limits.least_nodes,
            limits.few_texts,
            _ANSWER,
            _FIELD,
            limits.least,
        )
    hints, parent, end, text_before, prose_before = (
        page.hints,
        page.parent,
        page.end,
        page.text_before,
        page.prose_before,
    )
    found: list[tuple[int, int]] = []
    covered = 0
    for index in page.all_with(COVERING):
        if index < covered:
            continue
        covered = end[index]
        if hints[index] & COVERING != HIDDEN or text_before[covered] == text_before[index]:
            continue
        above = parent[index]
        is_large = covered - index >= limits.least_nodes
        begins, closes = (
            text_before[index] == text_before[above],
            text_before[covered] == text_before[end[above]],
        )
        kind = 0
        if prose_before[covered] > prose_before[index] and closes and not begins:
            kind = _ANSWER
        elif (
            not (is_large or (begins and closes))
            and page.is_text[index:covered].count(1) <= limits.few_texts
            and 1 not in page.in_link[index:covered]
        ):
            kind = _FIELD
        if kind or is_large:
            found.append((index, kind))
    return found


class _Tabs:
    """Tells tabs with products."""

    def __init__(self, page: Page, limits: Revealed) -> None:
        self.page, self.limits = page, limits
        self._shown: dict[int, dict[int, list[int]]] = {}

    def __call__(self, index: int) -> bool:
        page, stop = self.page, self.page.end[index]
        return (
            self._has_twin(index)
            and not self._is_in_form(index)
            and count_prices(page, index, min(stop, index + self.limits.searched), PRICES) == PRICES
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
        return any(
            len(other & own) >= self.limits.same_classes * min(len(other), len(own)) for other in others
        )

    def _shown_children(self, above: int) -> dict[int, list[int]]:
        """The first shown children with some text, by their paths of tags; those without classes left out."""
        page = self.page
        found: dict[int, list[int]] = {}
        child, stop = above + 1, page.end[above]
        while child < stop:
            after = page.end[child]
            if not page.hints[child] & COVERING and page.text_before[after] > page.text_before[child]:
                some = found.setdefault(page.tags[child], [])
                if len(some) < self.limits.siblings and page.classes(child):
                    some.append(child)
            child = after
        return found
