"""Banners, promotions, headers and numbered lists of the content itself.

What promotes or heads a site leads somewhere: a banner of nothing but text says how something ended ("Novak holds the
seat"), and so does a ``div`` called header. A header with a heading, in the main part of a page, heads a section of
it, and a numbered list there is in an order that matters: Joomla writes both around the articles of a blog. Page
builders call cards promotions, and the part around all the cards of a page as well; a promotion speaks of one thing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import HEADER, HEADING, MAIN, MENU, PROMOTION, SUBHEADING, WEAK
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.queries import any_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import PromotionLists

_HEADER: Final = HEADER | HEADER << WEAK
_PROMOTION: Final = PROMOTION | PROMOTION << WEAK
_MENU: Final = MENU | MENU << WEAK
#: Other words for promotions speak of nothing else; a banner may head the page.
_BANNER: Final = re.compile("banner", re.IGNORECASE)
#: What leads somewhere, or is chosen from; what shows or loads something besides.
_LEADING: Final = frozenset({"a", "button", "form", "input", "select", "textarea"})
_ACTING: Final = _LEADING | {"img", "picture", "svg", "object", "video", "iframe", "ins", "script"}


def own_banners(page: Page, limits: PromotionLists) -> list[Correction]:
    """Take the hints from banners and headers that only say something, from lists, and from what `main` holds."""
    return [*_headers(page), *_promotions(page, limits), *_numbered_lists(page)]


def _headers(page: Page) -> Iterator[Correction]:
    """Those that head a section in `main`, or a page without a first heading."""
    headers = page.all_with(_HEADER)
    headings = _outermost(page, page.all_with(SUBHEADING)) if headers else []
    titled = [node for node in headers if any_in(headings, node + 1, page.end[node])]
    if not titled:
        return
    mains = _outermost(page, page.all_with(MAIN))
    untitled = page.first_with(HEADING) < 0
    for node in titled:
        if _is_within(page, mains, node):
            # what a heading links to is what it heads
            own = all(_is_within(page, headings, place) for place in _within(page, _LEADING, node))
        else:
            own = untitled and _only_says(page, node) and page.sequence.tag_of(node) != "header"
        if own:
            yield Correction(node, _HEADER)


def _promotions(page: Page, limits: PromotionLists) -> Iterator[Correction]:
    """Large lists under headings, and banners of nothing but text."""
    promotions = page.all_with(_PROMOTION)
    if not promotions:
        return
    headings = page.all_with(SUBHEADING)
    for node in promotions:
        stop = page.end[node]
        own = (
            page.share(node, stop) > limits.share
            and bisect_left(headings, stop) - bisect_left(headings, node) >= limits.headings
        )
        if not own and _BANNER.search(page.sequence.class_of(node) or ""):
            own = _only_says(page, node)
        if own:
            yield Correction(node, _PROMOTION)


def _numbered_lists(page: Page) -> Iterator[Correction]:
    mains = _outermost(page, page.all_with(MAIN))
    if mains:
        for node in page.sequence.find({"ol"}):
            if page.hints[node] & _MENU and _is_within(page, mains, node):
                yield Correction(node, _MENU)


def _only_says(page: Page, node: int) -> bool:
    stop = page.end[node]
    return page.text_before[stop] > page.text_before[node] and not _within(page, _ACTING, node)


def _within(page: Page, tags: frozenset[str], node: int) -> list[int]:
    """The elements with one of these tags in a node."""
    places = page.ask(_places, tags)
    return places[bisect_left(places, node + 1) : bisect_left(places, page.end[node])]


def _places(page: Page, tags: frozenset[str]) -> list[int]:
    return page.sequence.find(tags)


def _is_within(page: Page, outermost: Sequence[int], node: int) -> bool:
    before = bisect_left(outermost, node)
    return before > 0 and node < page.end[outermost[before - 1]]


def _outermost(page: Page, places: Sequence[int]) -> list[int]:
    found: list[int] = []
    for place in places:
        if not found or place >= page.end[found[-1]]:
            found.append(place)
    return found
