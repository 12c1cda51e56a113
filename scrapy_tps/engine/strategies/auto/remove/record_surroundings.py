"""What surrounds the main records: parts beside the ancestors of a record group that dominates the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordSurroundings

_CORE: Final = extension("parts")


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
    if page.columns is None:
        found, sum_of_worth = _find_surroundings(page, best.start, limits, most_prose)
    else:
        found, sum_of_worth = _CORE.record_surroundings(
            page.columns,
            best.start,
            page.first_heading,
            limits.share,
            limits.links_share,
            limits.links_worth,
            most_prose,
        )
    if sum_of_worth > limits.total * total:
        return []
    reason = f"away from the {best.items} records that make up most of the page"
    return [(start, after, "surroundings", reason) for start, after in sorted(found)]


def _find_surroundings(
    page: Page, start: int, limits: RecordSurroundings, most_prose: float
) -> tuple[list[tuple[int, int]], float]:
    """Return (start, end) of small parts beside the ancestors of the parent of `start`, and their worth."""
    parent, end, alive = page.parent, page.end, page.alive
    worth_before, text_before, prose_before, protection_before = (
        page.worth_before,
        page.text_before,
        page.prose_before,
        page.protection_before,
    )
    total = worth_before[-1]
    found: list[tuple[int, int]] = []
    sum_of_worth = 0.0
    inner = parent[start]
    above = parent[inner] if inner >= 0 else -1
    while above >= 0:
        child, stop = above + 1, end[above]
        while child < stop:
            after = end[child]
            worth, text = worth_before[after] - worth_before[child], text_before[after] - text_before[child]
            if (
                child != inner
                and alive[child]
                and text
                and worth
                <= (limits.share if worth > limits.links_worth * text else limits.links_share) * total
                and protection_before[after] == protection_before[child]
                and prose_before[after] - prose_before[child] <= most_prose
                and not child <= page.first_heading < after
            ):
                found.append((child, after))
                sum_of_worth += worth
            child = after
        inner, above = above, parent[above]
    return found, sum_of_worth
