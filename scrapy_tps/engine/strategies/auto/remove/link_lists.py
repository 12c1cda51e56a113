"""Link lists: short links in markup that occurs nowhere else on the page."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.queries import is_panel

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import LinkLists

_link_lists: Final = over_columns(parts.link_lists)

#: What stands in a definition goes with its term or not at all: of the definitions of a glossary or a table of
#: contents, one that is nothing but links is no list of its own.
_DEFINITION: Final = "dd"
_PICTURE: Final = "img"


def link_lists(page: Page, limits: LinkLists) -> list[Removal]:
    """Remove lists of at least three links with little other text, of short text, outside of records.

    Only where none of their tag paths occurs outside of them: on the Testbed, leaving this condition out
    loses records on another 5.8 % of the pages. Where so many of the links are pictures, they are cards; a list
    beside the first heading is what the heading is about; and a tab or panel of links stays beside one of text.
    """
    if not page.worth_before[-1]:
        return []
    find = page.sequence.find
    found = _link_lists(page.measured, limits, page.links, set(find({_DEFINITION})))
    linked, parent = page.in_link, page.parent
    beside = parent[page.first_heading] if page.first_heading >= 0 else -1
    pictures = [place for place in find({_PICTURE}) if linked[place]] if found else []
    going = {start for start, *_ in found}
    return [
        (start, stop, "links", f"a list of {links} links, its markup occurs nowhere else")
        for start, stop, links in found
        if parent[start] != beside
        and bisect_left(pictures, stop) - bisect_left(pictures, start) < limits.pictures * links
        and not (limits.panels and is_panel(page, start, going))
    ]
