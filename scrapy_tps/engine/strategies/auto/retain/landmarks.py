"""Landmarks of a site: first headings, breadcrumbs and pagination, which stay whatever holds them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import BREADCRUMB, PAGER
from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import over_view
from scrapy_tps.engine.strategies.auto.decisions import Retained
from scrapy_tps.engine.strategies.auto.marks import ALWAYS
from scrapy_tps.engine.strategies.auto.queries import addresses, joined

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.retain_thresholds import Landmarks

_COPIED: Final = BREADCRUMB | PAGER
_kept_always: Final = over_view(loops.kept_always)


def landmarks(page: Page, limits: Landmarks) -> list[Retained]:
    """Retain first headings, breadcrumbs and pagination, of equal ones that would have gone one."""
    roots = _kept_always(page, ALWAYS, limits.nodes, limits.characters)
    return [Retained(root) for root in _without_copies(page, roots)]


def _without_copies(page: Page, roots: list[int]) -> list[int]:
    """These parts, with one of equal breadcrumbs or pagers where all or all but one would have gone.

    That is one that stays anyway; else of breadcrumbs the last one before the heading, as what is made for telephones
    comes first, and of pagers the last one, below the list.
    """
    hints, alive = page.hints, page.alive
    places = [root for root in roots if hints[root] & _COPIED]
    if len(places) < 2 or all(alive[root] for root in places):
        return roots
    # of parts that may equal one that would have gone: reading them is what this costs
    sizes = {root: page.length_of(root, page.end[root]) for root in places}
    times = Counter(sizes.values())
    gone = {size for root, size in sizes.items() if not alive[root] and times[size] > 1}
    if not gone:
        return roots
    links = page.sequence.find({"a", "link"})
    said = {root: _said(page, root, links) for root, size in sizes.items() if size in gone}
    chosen: dict[str, int] = {}
    for root, text in said.items():
        before = chosen.get(text, -1)
        later = root < page.first_heading or page.hints[root] & PAGER
        if before < 0 or (not alive[before] and (alive[root] or later)):
            chosen[text] = root
    return [root for root in roots if root not in said or alive[root] or chosen[said[root]] == root]


def _said(page: Page, root: int, links: list[int]) -> str:
    """The text of a part without white space; of pagination, which may be of pictures, with the addresses of links."""
    text = joined(page, root)
    return " ".join([text, *addresses(page, root, links)]) if page.hints[root] & PAGER else text
