"""Link lists: short links in markup that occurs nowhere else on the page."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.native import extension
from scrapy_tps.strategies.masks import masked
from scrapy_tps.strategies.workspace import running_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_parts")

MIN_LINKS: Final = 3
LINK_TEXT: Final = 0.8
LINK_CHARS: Final = 30
#: With so many texts for each link, however short, it is a list of records.
FIELDS: Final = 3
#: Parts of fewer nodes hold no list.
_LEAST_NODES: Final = 6
#: What stands in a definition goes with its term or not at all: of the definitions of a glossary or a table of
#: contents, one that is nothing but links is no list of its own.
_DEFINITION: Final = "dd"
#: Symbols looked at per node of the page before the search stops: nested candidates are compared again.
VISITS_PER_NODE: Final = 8


def remove_link_lists(page: Workspace, limits: Limits) -> None:
    """Remove lists of at least three links with little other text, of short text, outside of records.

    Only where none of their tag paths occurs outside of them: on the Testbed, leaving this condition out
    loses records on another 5.8 % of the pages.
    """
    if not page.worths[-1]:
        return
    if page.columns is None:
        found = _take_lists(page, limits)
    else:
        found = _CORE.take_link_lists(
            page.columns, MIN_LINKS, LINK_TEXT, LINK_CHARS, FIELDS, limits.list, VISITS_PER_NODE, _LEAST_NODES
        )
    for start, stop, links in found:
        page.remove(start, stop, "links", f"a list of {links:.0f} links, its markup occurs nowhere else")


def _take_lists(page: Workspace, limits: Limits) -> list[tuple[int, int, float]]:
    found: list[tuple[int, int, float]] = []
    alive, end, tags, linked = page.alive, page.end, page.tags, page.linked
    links = [link for link in page.sequence.find({"a"}) if alive[link]]
    if len(links) < MIN_LINKS:
        return found
    worths, texts, protections = page.worths, page.texts, page.protections
    total = worths[-1]
    link_text: Sequence[float] = ()
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    symbols, symbol_tag = page.symbols, page.sequence.symbol_tag
    budget = VISITS_PER_NODE * page.size
    index, size = 1, page.size
    before = 0  # links before the node
    while index < size:
        stop = end[index]
        if stop - index < _LEAST_NODES:
            index = stop  # what is below has fewer nodes still
            continue
        before = bisect_left(links, index, before)
        count, text = bisect_left(links, stop, before) - before, texts[stop] - texts[index]
        if count < MIN_LINKS:
            index = stop
            continue
        if alive[index] and symbol_tag[symbols[index]] == _DEFINITION:
            index = stop
            continue
        if (
            alive[index]
            and not linked[index]
            and not page.protected[index]
            and text < LINK_CHARS * count
            and worths[stop] - worths[index] <= limits.list * total
            and protections[stop] == protections[index]
        ):
            if not first:  # most pages end without
                link_text = running_sums(page.sizes, masked(alive, linked))
                first, last = _first_and_last(page)
            if link_text[stop] - link_text[index] >= LINK_TEXT * text:
                place = index
                while place < stop:
                    tag = tags[place]
                    if alive[place] and (first[tag] < index or last[tag] >= stop):
                        break
                    place += 1
                budget -= place - index + 1
                if place == stop and page.text[index:stop].count(1) < FIELDS * count:
                    alive[index:stop] = bytes(stop - index)
                    found.append((index, stop, count))
                    index = stop
                    continue
                if budget < 0:
                    break
        index += 1
    return found


def _first_and_last(page: Workspace) -> tuple[dict[int, int], dict[int, int]]:
    """The first and the last living place of each tag path."""
    places, living = list(compress(range(page.size), page.alive)), list(compress(page.tags, page.alive))
    first = dict(zip(reversed(living), reversed(places), strict=True))
    last = dict(zip(living, places, strict=True))
    return first, last
