"""Who wrote what a page is about: the first byline, which stays whatever holds it.

It stands beside the heading in a header, a footer or a bar of social media, or away from the paragraphs that look like
records; and it is what is scraped of an article besides its title and its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.native import extension
from scrapy_tps.strategies.places import in_furniture

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_pagenumbers")

#: Words in class names that say who wrote something: ``post-author``, ``ArticleByLine_name``, not ``authority``.
_WRITER: Final = re.compile(
    "(?:(?<![A-Za-z])(?:[Aa]uthor|[Bb]y-?[Ll]ine)|(?<=[a-z])(?:Author|By-?[Ll]ine))s?(?![a-z])"
)
#: A class name without any of these is none of them.
_TELLING: Final = ("uthor", "yline", "yLine", "y-line", "y-Line")
#: Bylines above the heading are so many characters away at most, and so many nodes …
_ABOVE: Final = 100
#: … within which ``rel="author"`` (HTML Standard, section 4.6.7.2) is looked for below it as well.
_NODES: Final = 300
#: A byline has so many characters at most, the date included: more is a portrait of the author …
LINE: Final = 80
#: … and so many nodes.
_LINE_NODES: Final = 60
#: So many of them are looked at.
_READ: Final = 200


def bylines(page: Workspace) -> list[int]:
    """Return the root of the first byline, beside the heading or after it, where it would have gone: one or none."""
    sequence, heading = page.sequence, page.first_heading
    near = max(heading, 0)
    places = {
        link
        for link in _related(page, near, near + _NODES)
        if not page.alive[link] and "author" in (sequence.nodes[link].get("rel") or "").lower().split()
    }
    first = _above(page, heading)
    places.update(place for place in sequence.find_classes(_TELLING, _WRITER.search) if place >= first)
    for place in sorted(places)[:_READ]:
        if _is_line(page, place):
            if page.alive[place]:
                break
            if not in_furniture(page, place):
                start = next(start for start, end, _, _ in page.removed if start <= place < end)
                return [_around(page, place, start)]
    return []


def _related(page: Workspace, start: int, stop: int) -> list[int]:
    """The links from one place to another, natively those with a ``rel`` alone."""
    if page.columns is not None:
        return _CORE.related_links(page.columns, start, min(stop, page.size))  # type: ignore[no-any-return]
    links = page.sequence.find({"a"})
    return links[bisect_left(links, start) : bisect_left(links, stop)]


def _above(page: Workspace, heading: int) -> int:
    """Where bylines above the first heading may start; the start of the page without a heading."""
    if page.columns is not None:
        return _CORE.above(page.columns, heading, _ABOVE, _NODES)  # type: ignore[no-any-return]
    first, left = max(heading, 0), _ABOVE
    least = max(0, first - _NODES)
    while first > least and left >= page.chars[first - 1]:
        first -= 1
        left -= page.chars[first]
    return first


def _around(page: Workspace, place: int, start: int) -> int:
    """The largest part of what goes that is still one line around a byline: the date stands beside the name."""
    while (
        (above := page.parent[place]) >= start
        and not above < page.first_heading < page.end[above]
        and _is_line(page, above)
    ):
        place = above
    return place


def _is_line(page: Workspace, part: int) -> bool:
    end = page.end[part]
    return end - part <= _LINE_NODES and 0 < sum(page.chars[part:end]) <= LINE
