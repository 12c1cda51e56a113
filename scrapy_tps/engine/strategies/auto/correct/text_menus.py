"""Parts whose names speak of menus and whose text does not: a menu is made of short links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import MENU, WEAK
from scrapy_tps.engine.loops import furniture
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import TextMenus

_text_menus: Final = over_columns(furniture.text_menus)
_MENU: Final = MENU | MENU << WEAK


def text_menus(page: Page, limits: TextMenus) -> list[Correction]:
    """Take the hint from parts named after menus that consist of texts."""
    found = _text_menus(page.measured, MENU, _MENU, limits.worth, limits.share)
    return [Correction(index, _MENU) for index in found]
