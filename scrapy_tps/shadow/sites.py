"""The state of a site: which of its pages are checked, and when its pruning goes."""

from __future__ import annotations

import math
from collections import Counter
from operator import lt
from typing import TYPE_CHECKING

from scrapy_tps.shadow.differences import REQUEST
from scrapy_tps.shadow.readers import TextReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.shadow.differences import Difference, Form

#: The most auto-keeps of a site before its pruning is switched off: each keeps one more part of its pages.
MOST_AUTO_KEEPS = 8

#: The number of pages of a site that are checked after an auto-keep, regardless of the share.
CHECKED_AFTER = 3

#: The most callbacks of a site, and kinds of their items, that are distinguished.
MOST_NAMES = 64


def _numbers(forms: Sequence[Form]) -> tuple[int, int]:
    """Return the numbers of items and of different requests."""
    requests = [form.identity for form in forms if form.kind == REQUEST]
    return len(forms) - len(requests), len(set(requests))


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
        self._pages = self._checked_to = self._kept = 0
        self._given: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._logged: set[str] = set()
        # of all checked pages of a callback: the least numbers, and the fields that all items of a kind have filled
        self._least: dict[str, tuple[int, int]] = {}
        self._filled: dict[tuple[str, str], frozenset[str]] = {}
        self._readers: dict[str, TextReader] = {}

    def reader(self, callback: str) -> TextReader:
        """Return the state of a callback as one that may read the text of pages; those beyond :data:`MOST_NAMES` are
        not compared, and read it as downloaded.
        """
        found = self._readers.get(callback)
        if found is None:
            if len(self._readers) >= MOST_NAMES:
                return TextReader(whole=True)
            found = self._readers[callback] = TextReader()
        return found

    def chosen(self, callback: str) -> bool:
        """Count a pruned page; return whether it is to be checked.

        ceil(n · share) of n pages are checked, at even intervals; the first page of the site and of each of its
        callbacks always is, and so are the first ones after an auto-keep.
        """
        self._pages += 1
        due = math.ceil(self._pages * self._share) > math.ceil((self._pages - 1) * self._share)
        new = callback not in self._least and len(self._least) < MOST_NAMES
        return due or new or self._pages <= self._checked_to

    def suspicious(self, callback: str, forms: Sequence[Form]) -> bool:
        """Whether a page gave less than every checked page of its callback: fewer items or requests, or an
        item without a value in a field that always had one.
        """
        least = self._least.get(callback, (0, 0))
        return any(map(lt, _numbers(forms), least)) or any(
            self._filled.get((callback, form.kind), frozenset()) - form.filled for form in forms
        )

    def confirm(self, callback: str, forms: Sequence[Form]) -> None:
        """Record the output of the original of a page."""
        if callback not in self._least and len(self._least) >= MOST_NAMES:
            return
        items, requests = _numbers(forms)
        least = self._least.get(callback, (items, requests))
        self._least[callback] = min(items, least[0]), min(requests, least[1])
        for form in forms:
            kind = callback, form.kind
            if form.kind != REQUEST and (kind in self._filled or len(self._filled) < MOST_NAMES):
                self._filled[kind] = self._filled.get(kind, form.filled) & form.filled

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
        self._checked_to = self._pages + CHECKED_AFTER

    def first(self, what: str) -> bool:
        """Whether `what` is logged for the first time for the site."""
        new = what not in self._logged
        self._logged.add(what)
        return new
