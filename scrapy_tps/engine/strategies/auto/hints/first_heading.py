"""The page's first ``h1`` outside of boilerplate; without one, the heading that its ``title`` repeats.

Templates of shops and boards write the name of a product or topic as an ``h2``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from scrapy_tps.engine.hints.reading import HEADING, SUBHEADING
from scrapy_tps.engine.strategies.auto.queries import named_by_title

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.retain_thresholds import NamedByTitle


def first_heading(page: Page, limits: NamedByTitle) -> int:
    """Say where it is, or -1."""
    found = page.first_with(HEADING)
    if found >= 0:
        return found
    texts, end = page.text_before, page.end
    short = (
        (heading, texts[end[heading]] - texts[heading])
        for heading in page.all_with(SUBHEADING)
        if page.alive[heading] and end[heading] - heading <= limits.nodes
    )
    named = named_by_title(page, islice(short, limits.read), limits)
    return named[1] if named else -1
