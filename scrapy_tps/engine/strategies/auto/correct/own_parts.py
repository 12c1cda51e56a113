"""Content in parts that are named like boilerplate: ingredients in a sidebar, the header of an article.

What a name says depends on where the part stands and on what it is made of. Sidebars, menus and filters are made of
links; headers and footers in an article are the article's (HTML Standard, sections 4.3.8 and 4.3.9); a picture that
leads nowhere is no advertisement; a button that says a whole line is a title; and an overlay that holds what the page's
title says is a banner and no dialog.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import (
    ASIDE,
    BUTTON,
    DIALOG,
    FILTER,
    FOOTER,
    HEADER,
    HEADING,
    LANDMARK,
    MAIN,
    MENU,
    RELATED,
    SIDEBAR,
    SOCIAL,
    WEAK,
)
from scrapy_tps.engine.loops import boilerplate, parts
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.queries import joined

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import OwnParts


def _both(hints: int) -> int:
    return hints | hints << WEAK


#: What is made of links.
_OF_LINKS: Final = _both(SIDEBAR | FILTER | MENU | ASIDE | SOCIAL)
#: What may be a search, a choice of results or a sign-up.
_OF_CONTROLS: Final = _both(ASIDE | FILTER | SOCIAL)
#: What an article has of its own; that some give it the role of the site's banner changes nothing.
_FRAME: Final = _both(HEADER | FOOTER) | LANDMARK
_HEADER: Final = _both(HEADER)
_SIDEBAR: Final = _both(SIDEBAR)
#: What else a sidebar is: most themes write <aside class=sidebar>.
_ASIDE: Final = _both(ASIDE)
#: What a picture is shown in, or a time.
_OF_PICTURES: Final = _both(ASIDE | DIALOG)
#: What an overlay of text on a picture is called.
_DIALOG: Final = _both(DIALOG)
_MENU: Final = _both(MENU)
#: An address of a part of the same page; ``#`` alone is for scripts.
_IN_PAGE: Final = re.compile(r"#\w")
#: A word of a class: ``nav-tabs``, ``productTabs``; no ``table``.
_TABS: Final = re.compile(r"(?<![a-z])tabs?(?![a-z])|Tabs?(?![a-z])")
#: Nodes of a part with two links that say something.
_TWO_LINKS: Final = 5
#: What lists of topics are called.
_OF_TOPICS: Final = _both(MENU | RELATED | ASIDE | FOOTER)
_READ: Final = _OF_LINKS | _FRAME | _OF_PICTURES | _OF_TOPICS | BUTTON
#: What the loop gets of them.
_BITS: Final = (_HEADER, _FRAME, _OF_PICTURES, _OF_TOPICS, BUTTON, MAIN)
_own_parts: Final = over_columns(boilerplate.own_parts)
_linked_menus: Final = over_columns(parts.linked_menus)
_CONTROLS: Final = frozenset({"input", "select", "textarea"})
_FIGURES: Final = frozenset({"picture", "figure"})
_SHOWN: Final = frozenset({"img", "video", "time"}) | _FIGURES


def own_parts(page: Page, limits: OwnParts) -> list[Correction]:
    """Take the hints from parts that are content by what they are made of."""
    find = page.sequence.find
    articles = find({"article"})
    if articles or page.all_with(MAIN):
        linked = page.in_link
        pictures = [place for place in find(_SHOWN) if not linked[place]]
        places = (find({"button"}), articles, find(_CONTROLS), pictures, find(_FIGURES), page.links)
        sidebar = 0
    else:  # all of the page is the content
        sidebar = _SIDEBAR if page.first_with(_SIDEBAR) >= 0 else 0
        places = (find({"button"}), [], find(_CONTROLS) if sidebar else [], [], [], [])
    found = _own_parts(page.measured, (_READ, _OF_LINKS, _OF_CONTROLS, sidebar, *_BITS), limits, places)
    if sidebar:
        found = [(index, off | _ASIDE if off & sidebar else off) for index, off in found]
    return [*(Correction(index, off) for index, off in found), *_banners(page), *_tab_labels(page, limits)]


def _banners(page: Page) -> list[Correction]:
    """Dialogs by their marks that hold a first heading which the page's title repeats, or all first headings."""
    dialogs, headings = page.all_with(_DIALOG), page.all_with(HEADING)
    if not dialogs or not headings:
        return []
    title = ""
    found: list[Correction] = []
    for index in dialogs:
        inside = headings[bisect_left(headings, index) : bisect_left(headings, page.end[index])]
        if not inside:
            continue
        title = title or "".join(page.sequence.title().split()).casefold()
        said = [joined(page, heading).casefold() for heading in inside]
        if len(inside) == len(headings) or any(one and one in title for one in said):
            found.append(Correction(index, _DIALOG))
    return found


def _tab_labels(page: Page, limits: OwnParts) -> list[Correction]:
    """Menus whose links lead to parts of the page itself, below a first heading or called tabs: they name these."""
    menus = page.all_with(_MENU)
    if not menus:
        return []
    links, value_of = page.links, page.sequence.value_of
    found: list[Correction] = []
    elsewhere: set[int] = set()  # links that lead to other pages; menus in menus begin with the same one
    after = 0
    heading = next(iter(page.all_with(HEADING)), page.size)

    def stays(link: int) -> bool:
        return _IN_PAGE.match(value_of(link, "href") or "") is not None

    for index, first, last in _linked_menus(
        page.measured, _MENU, links, _TWO_LINKS, limits.topics, limits.label
    ):
        if index < after or links[first] in elsewhere:
            continue
        if not stays(links[first]):
            elsewhere.add(links[first])
        elif all(map(stays, links[first + 1 : last])) and (
            index >= heading or _TABS.search(page.sequence.class_of(index) or "")
        ):
            after = page.end[index]
            inside = menus[bisect_left(menus, index) : bisect_left(menus, after)]
            found += [Correction(menu, _MENU) for menu in inside]
    return found
