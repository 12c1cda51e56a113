"""Parts beside a text that makes up most of the page, for ``aggressive``.

``auto`` does without this: it takes author, specifications and the like along, and needs no heading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.queries import main_text, siblings_around
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import BesideText


def beside_text(page: Page, limits: BesideText) -> list[Removal]:
    """Remove small parts after a text that makes up most of the page, and before its heading."""
    core = main_text(page, limits.text)
    if core <= 0:
        return []
    worth_before, text_before, prose_before, end = (
        page.worth_before,
        page.text_before,
        page.prose_before,
        page.end,
    )
    total = worth_before[-1]
    most_prose = limits.prose * max(prose_before[-1], ENOUGH_PROSE)
    found: list[Removal] = []
    for _, child in siblings_around(page, core):
        after = end[child]
        worth, text = worth_before[after] - worth_before[child], text_before[after] - text_before[child]
        share = limits.share if worth > limits.links_worth * text else limits.links_share
        if (
            page.alive[child]
            and text
            and (child >= end[core] or after <= page.first_heading)
            and worth <= share * total
            and prose_before[after] - prose_before[child] <= most_prose
        ):
            found.append((child, after, "surroundings", "next to the text that makes up most of the page"))
    return found
