"""What surrounds the main records: parts beside the ancestors of a record group that dominates the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import COMMENTS
from scrapy_tps.native import extension

if TYPE_CHECKING:
    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_parts")

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
    most_prose = limits.surrounding_prose * max(page.proses[-1], _LEAST_PROSE)
    if page.columns is None:
        found, sum_of_worth = _find_surroundings(page, best.start, limits, most_prose)
    else:
        found, sum_of_worth = _CORE.surroundings(
            page.columns,
            best.start,
            page.first_heading,
            limits.surrounding,
            limits.link_surrounding,
            LINKS_WORTH,
            most_prose,
        )
    if sum_of_worth > limits.surrounding_total * total:
        return
    reason = f"away from the {best.items} records that make up most of the page"
    for start, after in sorted(found):
        page.remove(start, after, "surroundings", reason)
    if found:
        page.measure()


def _find_surroundings(
    page: Workspace, start: int, limits: Limits, most_prose: float
) -> tuple[list[tuple[int, int]], float]:
    """Return (start, end) of small parts beside the ancestors of the parent of `start`, and their worth."""
    parent, end, alive = page.parent, page.end, page.alive
    worths, texts, proses, protections = page.worths, page.texts, page.proses, page.protections
    total = worths[-1]
    found: list[tuple[int, int]] = []
    sum_of_worth = 0.0
    inner = parent[start]
    above = parent[inner] if inner >= 0 else -1
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
    return found, sum_of_worth


def remove_comments(page: Workspace) -> None:
    """Remove comments below a text that has at least as much prose as they do."""
    all_prose = page.proses[-1]
    for index in page.all_with(COMMENTS):
        if page.alive[index] and 0 <= page.first_heading < index:
            end = page.end[index]
            inside = page.proses[end] - page.proses[index]
            if all_prose - inside >= max(inside, _LEAST_PROSE):
                page.remove(index, end, "comments", "comments below a longer text")
    page.measure()
