"""Sure furniture: what tag, role and hidden state mark, and header and footer at the page's edges.

It is taken out before anything is compared: a giant menu would distort every share.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import (
    CONSENT,
    DIALOG,
    FOOTER,
    HEADER,
    HEADING,
    HIDDEN,
    LANDMARK,
    MAIN,
    MENU,
    PROMOTION,
    SOCIAL,
)
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.decisions import Masks
from scrapy_tps.engine.strategies.auto.marks import SOFT, SURE, marked_as
from scrapy_tps.engine.strategies.auto.queries import any_in
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import SureFurniture

_TOP: Final = HEADER | MENU | PROMOTION
_BOTTOM: Final = FOOTER | SOCIAL | PROMOTION
#: At the edges, what is nothing but this is small.
_NOTICE: Final = PROMOTION | SOCIAL
_CORE: Final = extension("furniture")
#: What `_CORE` gets of the above.
_BITS: Final = (
    SURE,
    SOFT,
    _TOP,
    _BOTTOM,
    LANDMARK,
    CONSENT,
    MAIN,
    HEADING,
    DIALOG,
    HIDDEN,
    FOOTER,
    _NOTICE,
)


def sure_furniture(page: Page, limits: SureFurniture) -> Masks | tuple[()]:
    """Mask sure furniture, first from the top, then from the bottom; doubtful are hidden parts with much prose."""
    end, found = page.end, _found(page, limits)
    if not found:
        return ()
    removals = [(index, end[index], *_rule_and_reason(hint, at_edge)) for index, hint, at_edge, _ in found]
    return Masks(removals, [part[3] for part in found])


@lru_cache(maxsize=1000)
def _rule_and_reason(hint: int, at_edge: bool) -> tuple[str, str]:
    reason = marked_as(hint)
    return ("edge", f"{reason} at the page's edge") if at_edge else ("furniture", reason)


def _found(page: Page, limits: SureFurniture) -> list[tuple[int, int, bool, bool]]:
    """Return (index, hints, whether at the page's edge, whether doubtful) of each part."""
    least = max(limits.least_worth, limits.rest * page.worth_before[-1])
    if page.columns is None:
        return _Furniture(page, limits, least).run()
    shares = (
        limits.sure,
        limits.edge,
        limits.prose,
        limits.dialog_prose,
        limits.edge_width,
        limits.consent,
        limits.top_starts,
        limits.bottom_starts,
        limits.edge_repeats,
        limits.notice,
    )
    return _CORE.Furniture(page.columns, _BITS, shares).run(least, ENOUGH_PROSE)  # type: ignore[no-any-return]


class _Furniture:
    def __init__(self, page: Page, limits: SureFurniture, least: float) -> None:
        self.page, self.limits, self.least = page, limits, least
        self.alive = bytearray(page.alive)
        self.first_heading = -1
        self.worth_before, self.prose_before = page.worth_before, page.prose_before
        self.total = self.left = page.worth_before[-1]
        self.found: list[tuple[int, int, bool, bool]] = []
        hints, tags, end, prose_before = page.hints, page.tags, page.end, page.prose_before
        self.enough_prose = prose_before[-1] > ENOUGH_PROSE
        self.frequency = Counter([(tags[index], hints[index] & SOFT) for index in page.all_with(SOFT)])
        self.together: defaultdict[tuple[int, int], float] = defaultdict(float)
        if self.enough_prose:  # else nobody asks
            after = 0
            for index in page.hinted:
                hint = hints[index] & SURE
                if hint and index >= after:
                    after = end[index]
                    self.together[tags[index], hint] += prose_before[after] - prose_before[index]
        self.mains = page.all_with(MAIN)
        self.headings = page.all_with(HEADING)

    def run(self) -> list[tuple[int, int, bool, bool]]:
        self._from_top()
        self._from_bottom()
        return self.found

    def _from_top(self) -> None:
        page, limits = self.page, self.limits
        hints, end, text_before = page.hints, page.end, page.text_before
        near = limits.edge_width * text_before[-1]
        mains = self.mains
        inside_main = after = 0
        taken = 0.0
        for index in page.hinted:
            if index < after:
                continue
            hint = hints[index]
            before = text_before[index] - taken
            if hint & MAIN and end[index] > inside_main:
                inside_main = end[index]
            if hint & (SURE | _TOP):
                stop = end[index]
                main = bool(mains) and any_in(mains, index, stop)
                if hint & SURE and (hint & (SURE & ~LANDMARK) or not main):
                    cap = limits.edge if hint & LANDMARK else limits.sure
                    if hint & CONSENT:
                        cap = limits.consent
                    if self._take(index, hint & SURE, min(cap, 1.0), at_edge=False):
                        after = stop
                        taken += text_before[stop] - text_before[index]
                        continue
                if (
                    hint & _TOP
                    and before <= near
                    and not main
                    and not inside_main > index
                    and text_before[index] <= limits.top_starts * text_before[-1]
                    and not any_in(self.headings, index, stop)
                    and self._take(index, hint & SOFT, limits.edge, at_edge=True)
                ):
                    after = stop
                    taken += text_before[stop] - text_before[index]
                    continue
            if hint & HEADING and self.first_heading < 0:
                self.first_heading = index

    def _from_bottom(self) -> None:
        page, limits, alive = self.page, self.limits, self.alive
        hints, end, lengths, text_before = page.hints, page.end, page.text_length, page.text_before
        closing = [index for index in page.hinted if hints[index] & _BOTTOM and alive[index]]
        closing.sort(key=lambda index: (-end[index], index))
        near = limits.edge_width * text_before[-1]
        behind, reached, done = 0, page.size, page.size
        for index in closing:
            stop = end[index]
            if stop > done:
                continue
            if reached > stop:
                behind += sum(compress(lengths[stop:reached], alive[stop:reached]))
                reached = stop
            if behind > near:
                break
            if (
                not any_in(self.mains, index, stop)
                and not index <= self.first_heading < stop
                and text_before[index] > limits.bottom_starts * text_before[-1]
                and self._take(index, hints[index] & SOFT, limits.edge, at_edge=True)
            ):
                done = index
                reached = min(reached, index)

    def _take(self, index: int, hint: int, cap: float, *, at_edge: bool) -> bool:
        page, limits = self.page, self.limits
        end = page.end[index]
        worth = self.worth_before[end] - self.worth_before[index]
        if at_edge and not hint & ~_NOTICE:
            cap = min(cap, limits.notice)
        if worth > cap * self.total or self.left - worth < self.least:
            return False
        prose, all_prose = self.prose_before[end] - self.prose_before[index], self.prose_before[-1]
        doubtful = False
        if self.enough_prose and not hint & CONSENT:
            together = self.together[page.tags[index], hint] if not at_edge else prose
            doubtful = bool(hint & HIDDEN) and together > limits.prose * all_prose
            if hint & DIALOG and not hint & HIDDEN and together > limits.prose * all_prose:
                return False
            if hint & DIALOG and not hint & HIDDEN and prose > limits.dialog_prose * all_prose:
                return False
            if at_edge and not hint & (FOOTER | LANDMARK) and prose > limits.prose * all_prose:
                return False
        if at_edge and self.frequency[page.tags[index], hint] > limits.edge_repeats:
            return False
        self.alive[index:end] = bytes(end - index)
        self.found.append((index, hint, at_edge, doubtful))
        self.left -= worth
        return True
