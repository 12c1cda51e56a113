"""What surrounds the main records: parts beside the ancestors of a record group that dominates the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: Below this, in characters, prose is measured against this much.
_LEAST_PROSE: Final = 500
#: Parts worth no more than this per character are lists of short links.
LINKS_WORTH: Final = 0.4


def remove_surroundings(page: Workspace, best: Group | None, limits: Limits) -> None:
    """Remove small parts at a distance from the best record group, where that is most of the page.

    The siblings of the records and everything that holds prose, protected records or the first heading
    stay. The tag path sequence alone decides here: it is what clears old pages without semantic markup.
    """
    total = page.worths[-1]
    if best is None or not total or best.worth < limits.dominance * total:
        return
    parent, end, alive = page.parent, page.end, page.alive
    worths, texts, proses, protections = page.worths, page.texts, page.proses, page.protections
    most_prose = limits.surrounding_prose * max(proses[-1], _LEAST_PROSE)
    found: list[tuple[int, int]] = []
    sum_of_worth = 0.0
    inner, above = parent[best.start], parent[parent[best.start]] if parent[best.start] >= 0 else -1
    while above >= 0:
        child, stop = above + 1, end[above]
        while child < stop:
            after = end[child]
            worth, text = worths[after] - worths[child], texts[after] - texts[child]
            if (
                child != inner
                and alive[child]
                and text
                and worth
                <= (limits.surrounding if worth > LINKS_WORTH * text else limits.link_surrounding) * total
                and protections[after] == protections[child]
                and proses[after] - proses[child] <= most_prose
                and not child <= page.first_heading < after
            ):
                found.append((child, after))
                sum_of_worth += worth
            child = after
        inner, above = above, parent[above]
    if sum_of_worth > limits.surrounding_total * total:
        return
    reason = f"away from the {best.items} records that make up most of the page"
    for start, after in sorted(found):
        page.remove(start, after, "surroundings", reason)
    if found:
        page.measure()
