"""The heading that a page's ``title`` repeats, which stays whatever holds it.

Templates put the headline of an article into a ``header`` as an ``h2``, and the name of the site into the ``h1``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import furniture
from scrapy_tps.engine.native import over_view
from scrapy_tps.engine.strategies.auto.decisions import Retained
from scrapy_tps.engine.strategies.auto.marks import HEADINGS
from scrapy_tps.engine.strategies.auto.queries import in_furniture, named_by_title

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.retain_thresholds import Titles

_gone: Final = over_view(furniture.gone_headings)


def titles(page: Page, limits: Titles) -> list[Retained]:
    """Retain the longest heading in the page's title, where it would have gone and no other such stays: one or none.

    With it stays what stands around it in a block of a few lines without links.
    """
    gone = _gone(page, HEADINGS, limits.nodes, limits.read)
    if not gone:
        return []
    named = named_by_title(page, gone, limits)
    if named is None:
        return []
    length, heading = named
    if in_furniture(page, heading):
        return []
    alive, end, texts = page.alive, page.end, page.text_before
    stays = [
        (other, texts[end[other]] - texts[other])
        for other in page.all_with(HEADINGS)
        if alive[other] and end[other] - other <= limits.nodes
    ]
    other = named_by_title(page, stays, limits)
    return [] if other and other[0] >= length else [Retained(_block(page, heading, limits))]


def _block(page: Page, heading: int, limits: Titles) -> int:
    """The largest part of what goes around a heading that is a few lines without links: a place, a claim, a date."""
    start = next(start for start, end, _, _ in page.removed if start <= heading < end)
    end, lengths = page.end, page.text_length
    part = heading
    while (
        (above := page.parent[part]) > start
        and end[above] - above <= limits.block_nodes
        and sum(lengths[above : end[above]]) <= sum(lengths[heading : end[heading]]) + limits.block
        and not any(page.in_link[above : end[above]])
    ):
        part = above
    return part
