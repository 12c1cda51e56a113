"""Dialogs that close a page: consent settings, terms and sign-ups that scripts put behind everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.hints.reading import DIALOG, MAIN
from scrapy_tps.engine.strategies.auto.decisions import Masks
from scrapy_tps.engine.strategies.auto.marks import marked_as
from scrapy_tps.engine.strategies.auto.queries import any_in
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import ClosingDialogs


def closing_dialogs(page: Page, limits: ClosingDialogs) -> Masks | tuple[()]:
    """Mask dialogs at the page's end, however much prose they hold.

    Only those below the first heading, because pages that are nothing but dialogs exist.
    """
    heading = page.first_heading
    if heading < 0 or page.prose_before[-1] < ENOUGH_PROSE:
        return ()
    dialogs = [
        (-page.end[index], index) for index in page.all_with(DIALOG) if page.alive[index] and index > heading
    ]
    if not dialogs:
        return ()
    found: list[Removal] = []
    text_before, worth_before, mains = page.text_before, page.worth_before, page.all_with(MAIN)
    reason = f"{marked_as(DIALOG)} at the page's edge"
    reached, behind = page.size, 0.0
    for before, index in sorted(dialogs):
        end = -before
        if end > reached:
            continue  # inside of one that went
        behind += text_before[reached] - text_before[end]
        reached = end
        if behind > limits.behind * text_before[-1]:
            break
        if (
            worth_before[end] - worth_before[index] <= limits.share * worth_before[-1]
            and worth_before[index] >= limits.least_worth
            and not any_in(mains, index + 1, end)
        ):
            found.append((index, end, "edge", reason))
            reached = index
    return Masks(found, [False] * len(found)) if found else ()
