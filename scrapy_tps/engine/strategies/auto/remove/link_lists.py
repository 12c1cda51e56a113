"""Link lists: short links in markup that occurs nowhere else on the page."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.masks import masked
from scrapy_tps.engine.strategies.auto.sums import running_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import LinkLists

_CORE: Final = extension("parts")

#: What stands in a definition goes with its term or not at all: of the definitions of a glossary or a table of
#: contents, one that is nothing but links is no list of its own.
_DEFINITION: Final = "dd"


def link_lists(page: Page, limits: LinkLists) -> list[Removal]:
    """Remove lists of at least three links with little other text, of short text, outside of records.

    Only where none of their tag paths occurs outside of them: on the Testbed, leaving this condition out
    loses records on another 5.8 % of the pages.
    """
    if not page.worth_before[-1]:
        return []
    if page.columns is None:
        found = _find_lists(page, limits)
    else:
        found = _CORE.link_lists(
            page.columns,
            limits.links,
            limits.link_text,
            limits.characters,
            limits.fields,
            limits.share,
            limits.visits_per_node,
            limits.least_nodes,
        )
    return [
        (start, stop, "links", f"a list of {links:.0f} links, its markup occurs nowhere else")
        for start, stop, links in found
    ]


def _find_lists(page: Page, limits: LinkLists) -> list[tuple[int, int, float]]:
    found: list[tuple[int, int, float]] = []
    alive, end, tags, in_link = page.alive, page.end, page.tags, page.in_link
    links = [link for link in page.sequence.find({"a"}) if alive[link]]
    if len(links) < limits.links:
        return found
    worth_before, text_before, protection_before = page.worth_before, page.text_before, page.protection_before
    total = worth_before[-1]
    link_text: Sequence[float] = ()
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    symbols, symbol_tag = page.symbols, page.sequence.symbol_tag
    budget = limits.visits_per_node * page.size
    index, size = 1, page.size
    before = 0  # links before the node
    while index < size:
        stop = end[index]
        if stop - index < limits.least_nodes:
            index = stop  # what is below has fewer nodes still
            continue
        before = bisect_left(links, index, before)
        count, text = bisect_left(links, stop, before) - before, text_before[stop] - text_before[index]
        if count < limits.links:
            index = stop
            continue
        if alive[index] and symbol_tag[symbols[index]] == _DEFINITION:
            index = stop
            continue
        if (
            alive[index]
            and not in_link[index]
            and not page.protected[index]
            and text < limits.characters * count
            and worth_before[stop] - worth_before[index] <= limits.share * total
            and protection_before[stop] == protection_before[index]
        ):
            if not first:  # most pages end without
                link_text = running_sums(page.text_length, masked(alive, in_link))
                first, last = _first_and_last(page)
            if link_text[stop] - link_text[index] >= limits.link_text * text:
                place = index
                while place < stop:
                    tag = tags[place]
                    if alive[place] and (first[tag] < index or last[tag] >= stop):
                        break
                    place += 1
                budget -= place - index + 1
                if place == stop and page.is_text[index:stop].count(1) < limits.fields * count:
                    found.append((index, stop, count))
                    index = stop
                    continue
                if budget < 0:
                    break
        index += 1
    return found


def _first_and_last(page: Page) -> tuple[dict[int, int], dict[int, int]]:
    """The first and the last living place of each tag path."""
    places, living = list(compress(range(page.size), page.alive)), list(compress(page.tags, page.alive))
    first = dict(zip(reversed(living), reversed(places), strict=True))
    last = dict(zip(living, places, strict=True))
    return first, last
