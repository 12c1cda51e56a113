"""The state of a site: which of its pages are checked, and when its pruning goes."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from scrapy_tps.shadow.choices import SiteCallback

if TYPE_CHECKING:
    from scrapy_tps.shadow.differences import Difference

#: The most auto-keeps of a site before its pruning is switched off: each keeps one more part of its pages.
MOST_AUTO_KEEPS = 8

#: The most callbacks of a site that are distinguished.
MOST_CALLBACKS = 64


class SiteCheck:
    """The state of the check on one site.

    :param site: its name.
    :param share: share of its pruned pages that are checked, 0 to 1.
    :param limit: share of its items, and of its requests, that may be lost or changed before it gets an auto-keep, or
        pruning is switched off for it.
    :ivar off: whether it is no longer pruned.
    """

    def __init__(self, site: str, share: float, limit: float) -> None:
        self.site = site
        self.off = False
        self._share, self._limit = share, limit
        self._pages = self._kept = 0
        self._given: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._logged: set[str] = set()
        self._callbacks: dict[str, SiteCallback] = {}

    def callback(self, name: str) -> SiteCallback:
        """Return the state of a callback; those beyond :data:`MOST_CALLBACKS` are not compared, and read pages as
        downloaded.
        """
        found = self._callbacks.get(name)
        if found is None:
            if len(self._callbacks) >= MOST_CALLBACKS:
                return SiteCallback(whole=True)
            found = self._callbacks[name] = SiteCallback()
        return found

    def is_due(self) -> bool:
        """Count a pruned page; return whether the share requires its comparison.

        ceil(n · share) of n pages are compared, at even intervals; the first page always is.
        """
        self._pages += 1
        return math.ceil(self._pages * self._share) > math.ceil((self._pages - 1) * self._share)

    def count(self, difference: Difference, *, failed: bool) -> bool:
        """Count the losses of a page; return whether the site has lost more than the limit.

        :param failed: whether the callback failed on the pruned page alone. If no loss is known, it counts as one item.
        """
        lost = {"items": difference.items.costs, "requests": difference.requests.costs}
        lost["items"] += failed and not difference.costs
        self._lost.update(lost)
        self._given["items"] += max(difference.items.number, lost["items"])
        self._given["requests"] += difference.requests.number
        return not self.off and any(
            number and number > self._limit * self._given[what] for what, number in self._lost.items()
        )

    def may_keep(self) -> bool:
        """Count another auto-keep of the site; False if too many have not helped."""
        if self._kept >= MOST_AUTO_KEEPS:
            return False
        self._kept += 1
        self.kept_elsewhere()
        return True

    def kept_elsewhere(self) -> None:
        """Record an auto-keep, by this process or another one: earlier losses no longer count."""
        self._lost.clear()
        self._given.clear()

    def first(self, what: str) -> bool:
        """Whether `what` is logged for the first time for the site."""
        new = what not in self._logged
        self._logged.add(what)
        return new
