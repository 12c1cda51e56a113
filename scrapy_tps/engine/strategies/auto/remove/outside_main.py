"""Parts outside of a ``main`` element that holds most of the page and of its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.hints.reading import MAIN
from scrapy_tps.engine.strategies.auto.streams import streamed_into

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import OutsideMain


def outside_main(page: Page, limits: OutsideMain) -> list[Removal]:
    """Remove what surrounds the ``main`` element.

    Claim, byline and date between the first heading and it stay with the heading, and so does what is streamed
    into it, and any other ``main`` element.
    """
    main = page.first_with(MAIN)
    if main < 0:
        return []
    end, protection_before = page.end[main], page.protection_before
    if page.share(main, end) <= 1.0 - limits.share or (
        protection_before[-1]
        and protection_before[end] - protection_before[main]
        <= (1.0 - limits.protected) * protection_before[-1]
    ):
        return []
    reason = "outside of the main element, which holds most of the page"
    found: list[Removal] = []
    start, heading = 1, page.first_heading
    if 0 <= heading < main and page.share(heading, main) <= limits.title:
        found.append((1, heading, "main", reason))
        start = main
    others = [other for other in page.all_with(MAIN) if other >= end]
    for stays in sorted({main, *others, *streamed_into(page, main, end)}):
        if stays >= start:
            found.append((start, stays, "main", reason))
            start = page.end[stays]
    found.append((start, page.size, "main", reason))
    return found
