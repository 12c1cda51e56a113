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
#: A part with this share of the prose and of the worth is the text that the page is about.
TEXT_SHARE: Final = 0.7
TEXT_DOMINANCE: Final = 0.5


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


def remove_beside_text(page: Workspace, limits: Limits) -> None:
    """Remove small parts before the heading of, and after, a text that makes up most of the page.

    The text is the smallest part with most of the prose; ``auto`` does without this, because author,
    specifications and the like stand there too.
    """
    worths, texts, proses, end, parent = page.worths, page.texts, page.proses, page.end, page.parent
    total, all_prose = worths[-1], proses[-1]
    core = _text_core(page)
    if core <= 0 or worths[end[core]] - worths[core] < TEXT_DOMINANCE * total:
        return
    most_prose = limits.text_prose * max(all_prose, _LEAST_PROSE)
    inner, above = core, parent[core]
    while above >= 0:
        child, stop = above + 1, end[above]
        while child < stop:
            after = end[child]
            worth, text = worths[after] - worths[child], texts[after] - texts[child]
            share = limits.surrounding if worth > LINKS_WORTH * text else limits.link_surrounding
            if (
                child != inner
                and page.alive[child]
                and text
                and (child >= end[core] or after <= page.first_heading)
                and worth <= share * total
                and proses[after] - proses[child] <= most_prose
            ):
                page.remove(child, after, "surroundings", "beside the text that makes up most of the page")
            child = after
        inner, above = above, parent[above]
    page.measure()


def _text_core(page: Workspace) -> int:
    """The smallest part that holds most of the prose of a page with some, or 0."""
    proses, end = page.proses, page.end
    needed = TEXT_SHARE * proses[-1]
    core = 0
    if proses[-1] < 2 * _LEAST_PROSE:
        return core
    child = 1
    while child < end[core]:
        if not page.text[child] and proses[end[child]] - proses[child] >= needed:
            core = child
            child += 1
        else:
            child = end[child]
    return core


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
