"""Banners, headers and numbered lists of the content itself.

What promotes or heads a site leads somewhere: a banner of nothing but text says how something ended ("Novak holds the
seat"), and so does a ``div`` called header. A header with a heading, in the main part of a page, heads a section of
it, and a numbered list there is in an order that matters: Joomla writes both around the articles of a blog.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import HEADER, HEADING, MAIN, MENU, PROMOTION, SUBHEADING, WEAK
from scrapy_tps.engine.strategies.auto.decisions import Correction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds

_HEADER: Final = HEADER | HEADER << WEAK
_PROMOTION: Final = PROMOTION | PROMOTION << WEAK
_MENU: Final = MENU | MENU << WEAK
#: Other words for promotions speak of nothing else; a banner may head the page.
_BANNER: Final = re.compile("banner", re.IGNORECASE)
#: What leads somewhere, is chosen from, shows or loads something.
_ACTING: Final = frozenset(
    {
        *("a", "button", "form", "input", "select", "textarea"),
        *("img", "picture", "svg", "object", "video", "iframe", "ins", "script"),
    }
)


def own_banners(page: Page, _: Thresholds) -> list[Correction]:
    """Take the hints from banners and headers that only say something, and from what `main` holds."""
    end, mains = page.end, page.all_with(MAIN)
    headers = page.all_with(_HEADER)
    headings = page.all_with(SUBHEADING) if headers else []
    acting: list[int] | None = None

    def in_main(node: int) -> bool:
        return any(start < node < end[start] for start in mains)

    def only_says(node: int) -> bool:
        nonlocal acting
        if acting is None:
            acting = page.sequence.find(_ACTING)
        return page.sequence.tag_of(node) != "header" and not _any_within(acting, node, end[node])

    untitled = bool(headers) and page.first_with(HEADING) < 0
    found = [
        Correction(node, _HEADER)
        for node in headers
        if _any_within(headings, node, end[node]) and (in_main(node) or (untitled and only_says(node)))
    ]
    found.extend(
        Correction(node, _PROMOTION)
        for node in page.all_with(_PROMOTION)
        if _BANNER.search(page.sequence.class_of(node) or "") and only_says(node)
    )
    if mains:
        hints = page.hints
        found.extend(
            Correction(node, _MENU)
            for node in page.sequence.find({"ol"})
            if hints[node] & _MENU and in_main(node)
        )
    return found


def _any_within(places: Sequence[int], start: int, stop: int) -> bool:
    """Whether a place is below the node at `start`, which ends before `stop`."""
    after = bisect_left(places, start + 1)
    return after < len(places) and places[after] < stop
