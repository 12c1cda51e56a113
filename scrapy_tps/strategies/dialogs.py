"""Dialogs that close a page: consent settings, terms and sign-ups that scripts put behind everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import DIALOG, MAIN
from scrapy_tps.strategies.protection import any_in

if TYPE_CHECKING:
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: A dialog closes the page when no more than this share of the text stands behind it.
BEHIND: Final = 0.03
#: Pages with less prose, in characters, have too little to tell anything by.
ENOUGH_PROSE: Final = 500
#: At least this much worth is left before it.
LEAST_WORTH: Final = 100.0


def mute_closing_dialogs(page: Workspace, limits: Limits) -> list[tuple[int, int, bool, bool]]:
    """Take dialogs at the page's end out of everything that is compared, however much prose they hold.

    Only those below the first heading, because pages that are nothing but dialogs exist. Expects sums without
    what has been taken out so far. Returns (index, hints, whether at the page's edge, whether doubtful) of each.
    """
    heading = page.first_heading
    found: list[tuple[int, int, bool, bool]] = []
    if heading < 0 or page.proses[-1] < ENOUGH_PROSE:
        return found
    dialogs = [
        (-page.end[index], index) for index in page.all_with(DIALOG) if page.alive[index] and index > heading
    ]
    if not dialogs:
        return found
    texts, worths, mains = page.texts, page.worths, page.all_with(MAIN)
    reached, behind = page.size, 0.0
    for before, index in sorted(dialogs):
        end = -before
        if end > reached:
            continue  # inside of one that went
        behind += texts[reached] - texts[end]
        reached = end
        if behind > BEHIND * texts[-1]:
            break
        if (
            worths[end] - worths[index] <= limits.sure * worths[-1]
            and worths[index] >= LEAST_WORTH
            and not any_in(mains, index + 1, end)
        ):
            page.alive[index:end] = bytes(end - index)
            found.append((index, DIALOG, True, False))
            reached = index
    return found
