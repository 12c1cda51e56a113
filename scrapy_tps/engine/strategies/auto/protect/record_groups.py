"""The best record groups of a page, and every other that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import FORM, MAIN
from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Records
from scrapy_tps.engine.strategies.auto.groups import find_groups
from scrapy_tps.engine.strategies.auto.marks import SOFT
from scrapy_tps.engine.strategies.auto.masks import flipped

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.group import Group
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordGroups

_suspects: Final = over_columns(groups.suspects)


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
    ranked = []
    for group in find_groups(page, flipped(page.alive), limits.groups):
        score = group.score
        if suspect[group.start] and suspect[group.end - 1]:
            score *= limits.suspect
        if main >= 0 and not main <= group.start < end[main]:
            score *= limits.suspect
        ranked.append((-score, group.start, group))
    ranked.sort(key=lambda entry: entry[:2])
    best = None
    found: list[Group] = []
    for place, (_, _, group) in enumerate(ranked):
        doubtful = suspect[group.start]
        if place == 0 and (not doubtful or group.worth >= limits.suspect_share * total):
            best = group
        if group is best or (group.worth >= limits.guarded * total and not doubtful):
            found.append(group)
    return Records(found, None if best is None or suspect[best.start] else best) if found else ()
