"""Link lists: short links in markup that occurs nowhere else on the page."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.native import extension
from scrapy_tps.strategies.workspace import masked, running_sums

if TYPE_CHECKING:
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_parts")

MIN_LINKS: Final = 3
LINK_TEXT: Final = 0.8
LINK_CHARS: Final = 30
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
            page.columns, MIN_LINKS, LINK_TEXT, LINK_CHARS, limits.list, VISITS_PER_NODE, _LEAST_NODES
        )
    for start, stop, links in found:
        page.remove(start, stop, "links", f"a list of {links:.0f} links, its markup occurs nowhere else")


def _take_lists(page: Workspace, limits: Limits) -> list[tuple[int, int, float]]:
    found: list[tuple[int, int, float]] = []
    alive, end, tags, linked = page.alive, page.end, page.tags, page.linked
    worths, texts, protections = page.worths, page.texts, page.protections
    total = worths[-1]
    link_text = running_sums(page.sizes, masked(alive, linked))
    is_link = [tag == "a" for tag in page.sequence.symbol_tag]
    links = running_sums(page.sequence.spread(is_link), alive)
    symbols, symbol_tag = page.symbols, page.sequence.symbol_tag
    places, living = list(compress(range(page.size), alive)), list(compress(tags, alive))
    first = dict(zip(reversed(living), reversed(places), strict=True))
    last = dict(zip(living, places, strict=True))
    budget = VISITS_PER_NODE * page.size
    index, size = 1, page.size
    while index < size:
        stop = end[index]
        if stop - index < _LEAST_NODES:
            index = stop if stop - index == 1 else index + 1
            continue
        count, text = links[stop] - links[index], texts[stop] - texts[index]
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
            and link_text[stop] - link_text[index] >= LINK_TEXT * text
            and text < LINK_CHARS * count
            and worths[stop] - worths[index] <= limits.list * total
            and protections[stop] == protections[index]
        ):
            place = index
            while place < stop:
                tag = tags[place]
                if alive[place] and (first[tag] < index or last[tag] >= stop):
                    break
                place += 1
            budget -= place - index + 1
            if place == stop:
                alive[index:stop] = bytes(stop - index)
                found.append((index, stop, count))
                index = stop
                continue
            if budget < 0:
                break
        index += 1
    return found
