"""What must not be cut: the best record groups of a page, and what heads them."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import (
    ASIDE,
    BUTTON,
    FILTER,
    FOOTER,
    FORM,
    HEADER,
    MAIN,
    MENU,
    PROMOTION,
    RELATED,
    SIDEBAR,
    SOCIAL,
    SUBHEADING,
)
from scrapy_tps.native import extension
from scrapy_tps.strategies.groups import find_groups
from scrapy_tps.strategies.masks import flipped

if TYPE_CHECKING:
    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: Hints that need more: position at the page's edge, or a small share and rare markup.
SOFT: Final = FOOTER | HEADER | ASIDE | FORM | BUTTON | MENU | SIDEBAR | FILTER | RELATED | SOCIAL | PROMOTION
#: A line of up to so many characters, without links, right above the records is their title.
_TITLE: Final = 80
#: Marked parts of up to this share of the page cast doubt on the groups in them.
_SUSPECT_PART: Final = 0.6

_GROUPS: Final = extension("_groups")


def any_in(indexes: list[int], start: int, end: int) -> bool:
    """Whether one of these ascending indexes is in [start, end)."""
    if not indexes:
        return False
    place = bisect_left(indexes, start)
    return place < len(indexes) and indexes[place] < end


def protect_records(page: Workspace, limits: Limits) -> Group | None:
    """Protect the best record group and every other that matters; returns the best, if it is protected."""
    end = page.end
    total = page.worths[-1]
    if not total:
        return None
    muted = flipped(page.alive)
    suspect = _suspects(page)
    main = page.first_with(MAIN)
    if main >= 0 and page.share(main, end[main]) <= 0.3:
        main = -1
    ranked = []
    for group in find_groups(page, muted):
        score = group.score
        if suspect[group.start] and suspect[group.end - 1]:
            score *= limits.suspect
        if main >= 0 and not main <= group.start < end[main]:
            score *= limits.suspect
        ranked.append((-score, group.start, group))
    ranked.sort(key=lambda entry: entry[:2])
    best = None
    for place, (_, _, group) in enumerate(ranked):
        doubtful = suspect[group.start]
        if place == 0 and (not doubtful or group.worth >= limits.suspect_share * total):
            best = group
        if group is best or (group.worth >= limits.guarded * total and not doubtful):
            page.protected[group.start : group.end] = b"\x01" * (group.end - group.start)
            page.records.append((group.start, group.end, group.items))
    if best is None or suspect[best.start]:
        return None
    _protect_headings(page, best)
    return best


def _suspects(page: Workspace) -> bytearray:
    """A byte for each node, 1 inside of marked parts that hold neither a main element nor the heading."""
    if page.columns is not None:
        return _GROUPS.suspects(  # type: ignore[no-any-return]
            page.columns, SOFT & ~FORM, MAIN, page.first_heading, _SUSPECT_PART
        )
    end, worths = page.end, page.worths
    suspect = bytearray(page.size)
    contents = sorted({*page.all_with(MAIN), page.first_heading})
    largest = _SUSPECT_PART * worths[-1]
    after = 0
    for index in page.all_with(SOFT & ~FORM):
        stop = end[index]
        if index >= after and worths[stop] - worths[index] <= largest and not any_in(contents, index, stop):
            suspect[index:stop] = b"\x01" * (stop - index)
            after = stop
    return suspect


def _protect_headings(page: Workspace, best: Group) -> None:
    """Protect what heads the best group: headings beside its ancestors, and a short line right above it."""
    if page.columns is not None:
        _GROUPS.protect_headings(page.columns, best.start, SUBHEADING, _TITLE, page.first_heading)
        return
    hints, parent, end, texts, alive = page.hints, page.parent, page.end, page.texts, page.alive
    inner = best.start
    above = parent[inner]
    titled = False
    while above >= 0:
        child, title = above + 1, -1
        while child < inner:
            if hints[child] & SUBHEADING:
                page.protected[child : end[child]] = b"\x01" * (end[child] - child)
            if alive[child] and texts[end[child]] > texts[child]:
                title = child
            child = end[child]
        if title >= 0 and not titled:
            titled = True
            stop = end[title]
            if (
                texts[stop] - texts[title] <= _TITLE
                and page.text[title:stop].count(1) == 1
                and 1 not in page.linked[title:stop]
                and not hints[title]
                and page.first_heading < 0
            ):
                page.protected[title:stop] = b"\x01" * (stop - title)
        inner, above = above, parent[above]
