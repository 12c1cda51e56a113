"""The best record groups of a page, every other that matters, and what heads the best.

Headings beside the ancestors of the best group head it, and a short line right above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import FORM, MAIN, SUBHEADING
from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Records
from scrapy_tps.engine.strategies.auto.group import Group
from scrapy_tps.engine.strategies.auto.groups import find_groups
from scrapy_tps.engine.strategies.auto.marks import SOFT
from scrapy_tps.engine.strategies.auto.masks import flipped

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordGroups

_suspects: Final = over_columns(groups.suspects)
_record_titles: Final = over_columns(groups.record_titles)


def record_groups(page: Page, limits: RecordGroups) -> Records | tuple[()]:
    """Protect the best record group and every other that matters; the page may be about the best, if it is sure."""
    end = page.end
    total = page.worth_before[-1]
    if not total:
        return ()
    suspect = _suspects(page.measured, SOFT & ~FORM, MAIN, page.first_heading, limits.suspect_part)
    main = page.first_with(MAIN)
    if main >= 0 and page.share(main, end[main]) <= limits.main:
        main = -1
    main_end = page.size if main < 0 else end[main]
    first: tuple[float, int, Group] | None = None
    guarded: list[tuple[float, int, Group]] = []
    for start, stop, items, worth, score in find_groups(page, flipped(page.alive), limits.groups):
        rank = -score
        doubtful = suspect[start]
        if doubtful and suspect[stop - 1]:
            rank *= limits.suspect
        if not main <= start < main_end:
            rank *= limits.suspect
        matters = worth >= limits.guarded * total and not doubtful
        if matters or first is None or rank <= first[0]:
            ranked = rank, start, Group(start, stop, items, worth, score)
            if first is None or ranked < first:  # no two begin at one node
                first = ranked
            if matters:
                guarded.append(ranked)
    if first is None:
        return ()
    best = first[2]
    doubtful = suspect[best.start]
    if first not in guarded and (not doubtful or best.worth >= limits.suspect_share * total):
        guarded.append(first)
    found = [group for _, _, group in sorted(guarded)]
    if not found:
        return ()
    if doubtful:
        return Records(found, None, [])
    titles = _record_titles(page.measured, best.start, SUBHEADING, limits.title, page.first_heading)
    return Records(found, best, titles)
