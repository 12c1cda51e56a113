"""The `main` element of a page, to put back what rules that go by position and markup alone took from it.

An index of a few links is a link list in markup of its own, and a short page beside a long menu the smaller
side of a split. Neither of them is noise where it is most of what the page itself calls its main content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.hints.reading import MAIN
from scrapy_tps.engine.strategies.auto.decisions import Veto

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import LostMain


def lost_main(page: Page, limits: LostMain) -> list[Veto]:
    """Put back what the `main` element lost since the checkpoint, where too little of its text is left."""
    before = page.checkpoint
    if before is None or len(page.removed) == before.removed:
        return []
    start = page.first_with(MAIN, before.alive)
    if start < 0:
        return []
    end = page.end[start]
    if page.characters_in(start, end, page.alive) >= limits.left * page.characters_in(
        start, end, before.alive
    ):
        return []
    return [Veto(start, end, before.removed, len(page.removed))]
