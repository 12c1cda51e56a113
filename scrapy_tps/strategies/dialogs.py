"""Dialogs that close a page: consent settings, terms and sign-ups that scripts put behind everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps import hints

if TYPE_CHECKING:
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: A dialog closes the page when no more than this share of the text that is left stands behind it.
BEHIND: Final = 0.03
#: At least this much worth is left before it.
LEAST_WORTH: Final = 100.0
HEAD = False
TOP = 0.0
TOPW = .35


def mute_closing_dialogs(page: Workspace, limits: Limits) -> list[tuple[int, str, str, bool]]:
    chars, end, alive = page.chars, page.end, page.alive
    found: list[tuple[int, str, str, bool]] = []
    dialogs = [i for i in page.hinted if page.hints[i] & hints.DIALOG and alive[i]]
    if not dialogs:
        return found
    left = sum(c for c, a in zip(chars, alive) if a)
    dialogs.sort(key=lambda i: (-end[i], i))
    behind, reached, done = 0, page.size, page.size
    total = page.worths[-1]
    for index in dialogs:
        stop = end[index]
        if stop > done:
            continue
        while reached > stop:
            reached -= 1
            if alive[reached]:
                behind += chars[reached]
        if behind > BEHIND * left:
            break
        worth = sum(w for w, a in zip(page.worth[index:stop], alive[index:stop]) if a)
        if worth > limits.sure * total or index <= page.first_heading < stop or (HEAD and not 0 <= page.first_heading < index):
            continue
        if any(page.hints[i] & hints.MAIN for i in page.hinted if index < i < stop):
            continue
        rest = sum(w for w, a in zip(page.worth[:index], alive[:index]) if a)
        if rest < LEAST_WORTH:
            continue
        alive[index:stop] = bytes(stop - index)
        found.append((index, "furniture", "a dialog at the page's end", False))
        done = index
        reached = min(reached, index)
    if TOP:
        before = 0; p = 0
        for index in page.hinted:
            if not (page.hints[index] & hints.DIALOG and alive[index]) or (page.first_heading >= 0 and index > page.first_heading): continue
            stop = end[index]
            before += sum(c for c, a in zip(chars[p:index], alive[p:index]) if a); p = max(p, index)
            if before > TOP * left: break
            worth = sum(w for w, a in zip(page.worth[index:stop], alive[index:stop]) if a)
            if worth > TOPW * total or index <= page.first_heading < stop: continue
            if any(page.hints[i] & hints.MAIN for i in page.hinted if index < i < stop): continue
            alive[index:stop] = bytes(stop - index)
            found.append((index, "furniture", "a dialog at the page's top", False))
    return found
