"""Surroundings of the main records: parts beside the ancestors of a record group that dominates the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.marks import ALWAYS
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordSurroundings

_record_surroundings: Final = over_columns(parts.record_surroundings)


def record_surroundings(page: Page, limits: RecordSurroundings) -> list[Removal]:
    """Remove small parts at a distance from the best record group, where that is most of the page.

    The siblings of the records and everything that holds prose, protected records or the first heading
    stay. The tag path sequence alone decides here: it is what clears old pages without semantic markup.
    """
    total = page.worth_before[-1]
    best = page.dominating(limits.dominance)
    if best is None or not total:
        return []
    most_prose = limits.prose * max(page.prose_before[-1], ENOUGH_PROSE)
    found, sum_of_worth = _record_surroundings(
        page.measured, best.start, page.first_heading, 0 if limits.landmarks else ALWAYS, limits, most_prose
    )
    if sum_of_worth > limits.total * total:
        return []
    reason = f"away from the {best.items} records that make up most of the page"
    return [(start, after, "surroundings", reason) for start, after in sorted(found)]
