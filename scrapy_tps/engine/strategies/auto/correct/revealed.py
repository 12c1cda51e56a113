"""Hidden parts that are content: answers below their questions, fields of records, the tabs of a shop.

Names of tabs and accordions say so as well (:mod:`scrapy_tps.engine.hints.reading`); here it is the place of a part
that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import FORM, HEADING, HIDDEN
from scrapy_tps.engine.loops import siblings
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import COVERING
from scrapy_tps.engine.strategies.auto.queries import are_different, count_prices
from scrapy_tps.engine.strategies.auto.thresholds import PRICES

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Revealed

_ANSWER: Final = 1
_FIELD: Final = 2
_hidden_parts: Final = over_columns(siblings.hidden_parts)


def revealed(page: Page, limits: Revealed) -> list[Correction]:
    """Take HIDDEN from answers, fields of records, and tabs with products.

    Answers recur with different texts, each the last of its parent's texts and not the first, which is the question.
    They have prose; or they have links, stand below the page's first heading, and the question is no link (minutes
    below "2026"; menus open below links). Fields have few texts without links and recur likewise, each beside other
    text in a parent of its own. A tab with products names three prices or more, is no part of a form, and has a shown
    sibling of the same make.
    """
    recurring: dict[int, list[int]] = {}
    fields: set[int] = set()  # paths of tags that they have
    found: list[int] = []
    heading = page.first_with(HEADING)
    hidden = _hidden_parts(
        page.measured,
        HIDDEN,
        COVERING,
        limits.least_nodes,
        limits.few_texts,
        _ANSWER,
        _FIELD,
        limits.least,
        heading if heading >= 0 else page.size,
    )
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
