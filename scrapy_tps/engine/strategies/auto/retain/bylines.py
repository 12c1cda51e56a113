"""Who wrote what a page is about: the first byline, which stays whatever holds it.

It stands beside the heading in a header, a footer or a bar of social media, or away from the paragraphs that look like
records; and it is what is scraped of an article besides its title and its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import staying
from scrapy_tps.engine.native import extension, over_columns
from scrapy_tps.engine.strategies.auto.decisions import Retained
from scrapy_tps.engine.strategies.auto.queries import in_furniture

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.retain_thresholds import Bylines

_CORE: Final = extension("pagination")
_start_above: Final = over_columns(staying.start_above)

#: Words in class names that say who wrote something: ``post-author``, ``ArticleByLine_name``, not ``authority``.
_WRITER: Final = re.compile(
    "(?:(?<![A-Za-z])(?:[Aa]uthor|[Bb]y-?[Ll]ine)|(?<=[a-z])(?:Author|By-?[Ll]ine))s?(?![a-z])"
)
#: A class name without any of these is none of them.
_TELLING: Final = ("uthor", "yline", "yLine", "y-line", "y-Line")


def bylines(page: Page, limits: Bylines) -> list[Retained]:
    """Retain the first byline, beside the heading or after it, where it would have gone: one or none."""
    sequence, heading = page.sequence, page.first_heading
    near = max(heading, 0)
    places = {
        link
        for link in _related(page, near, near + limits.nodes)
        if not page.alive[link] and "author" in (sequence.nodes[link].get("rel") or "").lower().split()
    }
    first = _start_above(page.measured, heading, limits.above, limits.nodes)
    places.update(place for place in sequence.find_classes(_TELLING, _WRITER.search) if place >= first)
    for place in sorted(places)[: limits.read]:
        if _is_line(page, place, limits):
            if page.alive[place]:
                break
            if not in_furniture(page, place):
                start = next(start for start, end, _, _ in page.removed if start <= place < end)
                return [Retained(_around(page, place, start, limits))]
    return []


def _related(page: Page, start: int, stop: int) -> list[int]:
    """The links from one place to another, natively those with a ``rel`` alone."""
    if page.native_columns is not None:
        return _CORE.related_links(page.native_columns, start, min(stop, page.size))  # type: ignore[no-any-return]
    links = page.links
    return links[bisect_left(links, start) : bisect_left(links, stop)]


def _around(page: Page, place: int, start: int, limits: Bylines) -> int:
    """The largest part of what goes that is still one line around a byline: the date stands beside the name."""
    while (
        (above := page.parent[place]) >= start
        and not above < page.first_heading < page.end[above]
        and _is_line(page, above, limits)
    ):
        place = above
    return place


def _is_line(page: Page, part: int, limits: Bylines) -> bool:
    end = page.end[part]
    return end - part <= limits.line_nodes and 0 < sum(page.text_length[part:end]) <= limits.line
