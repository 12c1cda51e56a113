"""Template: what every page of the site that is made like this one says at the same place, as often."""

from __future__ import annotations

<<<<<<< HEAD
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import staying
from scrapy_tps.engine.native import over_columns
=======
from bisect import bisect_left
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Final

from lxml import etree
>>>>>>> main

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import Template

<<<<<<< HEAD
_repeated_parts: Final = over_columns(staying.repeated_parts)
=======
#: What says of a part that it is data: a property of what the page is about, or who wrote it. Both are the same on
#: all pages of some sites, and scraped nevertheless.
_holds_data: Final = etree.XPath(
    "boolean(descendant-or-self::*[@itemprop or contains(concat(' ', @rel, ' '), ' author ')"
    " or contains(@href, '/author/') or contains(@href, '/authors/')])"
)
>>>>>>> main


def template(page: Page, limits: Template) -> list[Removal]:
    """Remove the largest parts of which nearly all text is on all pages made alike, outside of records.

    What markup calls data stays. Nothing goes from a page with hardly any text of its own (the same list under another
    address), nor where most of what is left would.
    """
    site = page.site
    if site is None or not site.removes or 1 not in site.repeated:
        return []
<<<<<<< HEAD
    found = _repeated_parts(page.measured, site, page.records, page.first_heading, limits)
=======
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
    records = _records(page, site, new_before, limits.new)
    found = [
        part
        for part in _parts(page, places, text_before, repeated_before, records, limits)
        if page.is_text[part[0]] or not _holds_data(page.sequence.nodes[part[0]])
    ]
    if not found or sum(text for _, _, text in found) > limits.most * text_before[-1]:
        return []
>>>>>>> main
    reason = f"on all {site.alike} other pages of this site that are made like this one"
    return [(start, stop, "template", reason) for start, stop in found]
