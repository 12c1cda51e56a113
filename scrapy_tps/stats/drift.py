"""The drift alarm: pages that stop giving items once they are pruned, seen without a second run.

Nothing imports Scrapy.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

#: Pairs of site and callback that are watched; the one that was seen least recently is forgotten first.
MOST_WATCHED = 10_000

#: Alarm: a pruned page gave no item after pages in a row that did.
NO_ITEMS = "drift/no_items"

#: Alarm: pruned pages give clearly fewer items than pages kept whole.
FEWER_ITEMS = "drift/fewer_items"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm.

    :ivar kind: :data:`NO_ITEMS` or :data:`FEWER_ITEMS`.
    :ivar reason: what was seen, in words.
    :ivar first: whether it is the first of its kind for this site and callback.
    """

    kind: str
    reason: str
    first: bool


@dataclass(slots=True)
class _Watched:
    """What the pages of one callback of one site gave."""

    whole_pages: int = 0
    whole_items: int = 0
    pruned_pages: int = 0
    pruned_items: int = 0
    row: int = 0
    """Pages in a row that gave items, up to the last one that did not …"""
    dry: int = 0
    """… and the pruned pages in a row since then that gave none, where the row was long enough."""
    told_dry: bool = False
    told_fewer: bool = False


class DriftWatch:
    """Compares the items of a site's pages, callback by callback, before and after pruning.

    :param pages: how many pages in a row must have given items before a page without items raises an alarm, and how
        many pages of each kind, kept whole and pruned, are needed before their means are compared; 0 means no alarms
        at all. The higher it is, the fewer false alarms: if one page in ten is empty, ten pages in a row are not empty
        with a probability of 0.35, thirty with a probability of 0.04.
    :param drop: share by which pruned pages may give fewer items than pages kept whole.
    """

    def __init__(self, pages: int, drop: float) -> None:
        self._pages = pages
        self._drop = drop
        self._watched: OrderedDict[tuple[str, str], _Watched] = OrderedDict()

    def page(self, site: str, callback: str, *, pruned: bool, items: int) -> list[Alarm]:
        """Count a page whose callback has ended; return the alarms that it raises.

        Each pruned page without items raises one, until a page gives items again.
        """
        if not self._pages:
            return []
        watched = self._of(site, callback)
        if pruned:
            watched.pruned_pages += 1
            watched.pruned_items += items
        else:
            watched.whole_pages += 1
            watched.whole_items += items
        found = [self._dry(watched, pruned=pruned, items=items), self._fewer(watched)]
        return [alarm for alarm in found if alarm is not None]

    def _of(self, site: str, callback: str) -> _Watched:
        watched = self._watched.get((site, callback))
        if watched is None:
            watched = self._watched[site, callback] = _Watched()
            if len(self._watched) > MOST_WATCHED:
                self._watched.popitem(last=False)
        else:
            self._watched.move_to_end((site, callback))
        return watched

    def _dry(self, watched: _Watched, *, pruned: bool, items: int) -> Alarm | None:
        if items:
            watched.row = watched.row + 1 if not watched.dry else 1
            watched.dry = 0
            return None
        if not pruned or watched.row < self._pages:
            # a page kept whole that gives none tells that it is not the pruning
            watched.row = watched.dry = 0
            return None
        watched.dry += 1
        first, watched.told_dry = not watched.told_dry, True
        return Alarm(NO_ITEMS, f"no item after {watched.row} pages in a row that gave items", first)

    def _fewer(self, watched: _Watched) -> Alarm | None:
        if watched.told_fewer or min(watched.whole_pages, watched.pruned_pages) < max(self._pages, 1):
            return None
        whole = watched.whole_items / watched.whole_pages
        pruned = watched.pruned_items / watched.pruned_pages
        if pruned >= (1 - self._drop) * whole:
            return None
        watched.told_fewer = True
        reason = (
            f"{pruned:.2f} items a page on {watched.pruned_pages} pruned pages, {whole:.2f} on the "
            f"{watched.whole_pages} kept whole"
        )
        return Alarm(FEWER_ITEMS, reason, first=True)
