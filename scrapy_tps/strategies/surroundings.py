"""What surrounds the main records: parts beside the ancestors of a record group that dominates the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import COMMENTS, SUBHEADING
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
    stay, and so do sections like theirs. The tag path sequence alone decides here: it is what clears old pages
    without semantic markup.
    """
    worths, end, total = page.worths, page.end, page.worths[-1]
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
    sections = _sections(page, best.start, found)
    if sections:
        sum_of_worth -= sum(worths[end[start]] - worths[start] for start in sections)
        found = [part for part in found if part[0] not in sections]
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


def _sections(page: Workspace, start: int, found: list[tuple[int, int]]) -> set[int]:
    """The parts among these that are made like the part with the records in it and start with the same heading.

    The records of a page of sections (courses, dates, papers of a lecture) are the longest of its lists; the
    others stand under headings like theirs.
    """
    parent, symbols = page.parent, page.symbols
    beside: dict[int, int] = {}
    inner = start
    while inner > 0:
        beside[parent[inner]] = inner
        inner = parent[inner]
    sections = set()
    for child, _ in found:
        inner = beside[parent[child]]
        if symbols[child] == symbols[inner]:
            heading = _first_heading(page, child)
            if heading >= 0 and heading == _first_heading(page, inner):
                sections.add(child)
    return sections


def _first_heading(page: Workspace, part: int) -> int:
    """The path of tags of the heading that a part starts with, or -1."""
    node, stop = part + 1, page.end[part]
    while node < stop and not page.text[node]:
        if page.hints[node] & SUBHEADING:
            return page.tags[node]
        node += 1
    return -1


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
