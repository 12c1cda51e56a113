"""Template: what every page of the site that is made like this one says at the same place, as often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import staying
from scrapy_tps.engine.native import over_columns

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import Template

_repeated_parts: Final = over_columns(staying.repeated_parts)


def template(page: Page, limits: Template) -> list[Removal]:
    """Remove the largest parts of which nearly all text is on all pages made alike, outside of records.

    What markup calls data stays. Nothing goes from a page with hardly any text of its own (the same list under another
    address), nor where most of what is left would.
    """
    site = page.site
    if site is None or not site.removes or 1 not in site.repeated:
        return []
    parts, living = _repeated_parts(page.measured, site, page.records, page.first_heading, limits)
    is_text, names_data = page.is_text, page.sequence.names_data
    found = [part for part in parts if is_text[part[0]] or not names_data(part[0])]
    if sum(text for _, _, text in found) > limits.most * living:
        return []
    reason = f"on all {site.alike} other pages of this site that are made like this one"
    return [(start, stop, "template", reason) for start, stop, _ in found]
