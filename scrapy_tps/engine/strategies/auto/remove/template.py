"""Template: what every page of the site that is made like this one says at the same place, as often."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.site import Judgement
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import Template

#: What says of a part that it is data: a property of what the page is about, or who wrote it. Both are the same on
#: all pages of some sites, and scraped nevertheless.
_data_in: Final = etree.XPath(
    "descendant-or-self::*[@itemprop or contains(concat(' ', @rel, ' '), ' author ')"
    " or contains(@href, '/author/') or contains(@href, '/authors/')]"
)


def template(page: Page, limits: Template) -> list[Removal]:
    """Remove the largest parts of which nearly all text is on all pages made alike, outside of records.

    What markup calls data stays. Nothing goes from a page with hardly any text of its own (the same list under another
    address), nor where most of what is left would.
    """
    site = page.site
    if site is None or not site.removes or 1 not in site.repeated:
        return []
    places = site.places
    alive = page.alive
    living = list(map(mul, site.lengths, [alive[place] for place in places]))
    repeated_before = [0, *accumulate(map(mul, living, site.repeated))]
    if repeated_before[-1] < limits.characters:
        return []
    new_before = [0, *accumulate(map(mul, site.lengths, site.new))]
    total = sum(site.lengths)
    if new_before[-1] < limits.new * total:
        return []
    text_before = [0, *accumulate(living)]
    stays = _records(page, site, new_before, limits.new)
    found = _parts(page, places, text_before, repeated_before, stays, limits)
    if not found or sum(text for _, _, text in found) > limits.most * text_before[-1]:
        return []
    reason = f"on all {site.alike} other pages of this site that are made like this one"
    return [(start, stop, "template", reason) for start, stop, _ in found]


def _records(page: Page, site: Judgement, new_before: Sequence[int], least_new: float) -> bytearray:
    """A byte for each node, 1 inside of record groups that are not the same on all pages, as menus are."""
    inside = bytearray(page.size)
    for start, end, _ in page.records:
        low = bisect_left(site.places, start)
        high = bisect_left(site.places, end, low)
        if new_before[high] - new_before[low] >= least_new * sum(site.lengths[low:high]):
            inside[start:end] = b"\x01" * (end - start)
    return inside


def _parts(  # noqa: PLR0917 (columns of one page)
    page: Page,
    places: Sequence[int],
    text_before: Sequence[int],
    repeated_before: Sequence[int],
    stays: bytearray,
    limits: Template,
) -> list[tuple[int, int, int]]:
    """Return (start, end, characters) of the largest parts that may go."""
    end, alive = page.end, page.alive
    found: list[tuple[int, int, int]] = []
    node, size = 1, page.size
    low, count = 0, len(places)
    while node < size:
        # on to the next text that may go
        while low < count and places[low] < node:
            low += 1
        stop = end[node]
        high = bisect_left(places, stop, low)
        repeated = repeated_before[high] - repeated_before[low]
        if repeated < limits.characters:
            node = stop
            continue
        text = text_before[high] - text_before[low]
        if (
            alive[node]
            and repeated >= limits.repeated * text
            and not node <= page.first_heading < stop
            and stays.find(1, node, stop) < 0
            and not _holds_data(page, node, stays)
        ):
            found.append((node, stop, text))
            node = stop
        else:
            node += 1
    return found


def _holds_data(page: Page, part: int, stays: bytearray) -> bool:
    """Whether a part holds data; of what is inside of it that is noted as what stays."""
    data = [] if page.is_text[part] else page.sequence.locate(_data_in(page.sequence.nodes[part]))
    for place in data:
        stays[place] = 1
    return bool(data)
