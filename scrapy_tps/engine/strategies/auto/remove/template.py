"""Template: what every page of the site that is made like this one says at the same place, as often."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.site import Judgement
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import Template


def template(page: Page, limits: Template) -> list[Removal]:
    """Remove the largest parts of which nearly all text is on all pages made alike, outside of records.

    Nothing goes from a page with hardly any text of its own (the same list under another address), nor where most of
    what is left would.
    """
    site = page.site
    if site is None or not site.removes or 1 not in site.repeated:
        return []
    places = site.places
    lengths = [page.text_length[place] for place in places]
    new_before = [0, *accumulate(map(mul, lengths, site.new))]
    text_before = [0, *accumulate(lengths)]
    if new_before[-1] < limits.new * text_before[-1]:
        return []
    alive = [page.alive[place] for place in places]
    repeated_before = [0, *accumulate(map(mul, map(mul, lengths, alive), site.repeated))]
    records = _records(page, site, text_before, new_before, limits.new)
    found = _parts(page, places, repeated_before, records, limits)
    if not found or sum(text for _, _, text in found) > limits.most * page.text_before[-1]:
        return []
    reason = f"on all {site.alike} other pages of this site that are made like this one"
    return [(start, stop, "template", reason) for start, stop, _ in found]


def _records(
    page: Page, site: Judgement, text_before: Sequence[int], new_before: Sequence[int], least_new: float
) -> bytearray:
    """A byte for each node, 1 inside of record groups that are not the same on all pages, as menus are."""
    inside = bytearray(page.size)
    for start, end, _ in page.records:
        low = bisect_left(site.places, start)
        high = bisect_left(site.places, end, low)
        if new_before[high] - new_before[low] >= least_new * (text_before[high] - text_before[low]):
            inside[start:end] = b"\x01" * (end - start)
    return inside


def _parts(
    page: Page, places: Sequence[int], repeated_before: Sequence[int], records: bytearray, limits: Template
) -> list[tuple[int, int, int]]:
    """Return (start, end, characters) of the largest parts that may go."""
    end, alive, text_before = page.end, page.alive, page.text_before
    found: list[tuple[int, int, int]] = []
    node, size = 1, page.size
    low = 0
    while node < size:
        stop = end[node]
        low = bisect_left(places, node, low)
        repeated = repeated_before[bisect_left(places, stop, low)] - repeated_before[low]
        if repeated < limits.characters:
            node = stop
            continue
        text = text_before[stop] - text_before[node]
        if (
            alive[node]
            and repeated >= limits.repeated * text
            and not node <= page.first_heading < stop
            and 1 not in records[node:stop]
        ):
            found.append((node, stop, int(text)))
            node = stop
        else:
            node += 1
    return found
