"""Parts whose names speak of menus and whose text does not: a menu is made of short links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from scrapy_tps.hints import MENU, WEAK
from scrapy_tps.native import extension

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_furniture")
_MENU: Final = MENU | MENU << WEAK
#: Parts worth as much per character consist of long texts outside of links.
TEXT_WORTH: Final = 0.8
#: What is called a menu outright is one, unless it holds more than this share of the page in such texts.
SHARE: Final = 0.1


def unmark_texts(page: Workspace) -> None:
    """Take the hint from parts named after menus that consist of texts. Expects current sums."""
    hints = cast("MutableSequence[int]", page.hints)
    if page.columns is not None:
        for index in _CORE.menus_of_texts(page.columns, MENU, _MENU, TEXT_WORTH, SHARE):
            hints[index] &= ~_MENU
        return
    worths, texts, total = page.worths, page.texts, page.worths[-1]
    for index in page.all_with(_MENU):
        end = page.end[index]
        worth = worths[end] - worths[index]
        if (
            worth
            and worth >= TEXT_WORTH * (texts[end] - texts[index])
            and (not hints[index] & MENU or worth > SHARE * total)
        ):
            hints[index] &= ~_MENU
