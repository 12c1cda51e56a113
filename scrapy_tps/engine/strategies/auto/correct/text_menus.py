"""Parts whose names speak of menus and whose text does not: a menu is made of short links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import MENU, WEAK
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.decisions import Correction

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import TextMenus

_CORE: Final = extension("furniture")
_MENU: Final = MENU | MENU << WEAK


def text_menus(page: Page, limits: TextMenus) -> list[Correction]:
    """Take the hint from parts named after menus that consist of texts."""
    return [Correction(index, _MENU) for index in _text_menus(page, limits)]


def _text_menus(page: Page, limits: TextMenus) -> list[int]:
    if page.columns is not None:
        return _CORE.text_menus(page.columns, MENU, _MENU, limits.worth, limits.share)  # type: ignore[no-any-return]
    worth_before, text_before, end = page.worth_before, page.text_before, page.end
    found = []
    for index in page.all_with(_MENU):
        worth = worth_before[end[index]] - worth_before[index]
        if (
            worth
            and worth >= limits.worth * (text_before[end[index]] - text_before[index])
            and (not page.hints[index] & MENU or worth > limits.share * worth_before[-1])
        ):
            found.append(index)
    return found
