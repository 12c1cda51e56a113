"""Sites in the shadow check: the choice of pages, expectations of the others, switching off."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_tps.shadow.differences import REQUEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.shadow.differences import Difference, Form

#: The number of sites whose state is held. The least recently seen one is evicted first; if it returns, its first page
#: is checked again.
MOST_SITES = 10_000

#: The most auto-keeps of a site before its pruning is switched off: each keeps one more part of its pages.
MOST_AUTO_KEEPS = 8

#: The number of pages of a site that are checked after an auto-keep, regardless of the share.
CHECKED_AFTER = 3

#: The most callbacks of a site, kinds of items of a callback, and fields of a kind that are distinguished.
MOST_NAMES = 64


@dataclass(slots=True)
class Expectation:
    """The least output of every checked page of a callback.

    :ivar items, requests: the fewest; ``filled``: the fields that every item of a kind had filled.
    """

    items: int
    requests: int
    filled: dict[str, frozenset[str]]

    @classmethod
    def of(cls, forms: Sequence[Form]) -> Expectation:
        """The outputs of one page."""
        items = [form for form in forms if form.kind != REQUEST]
        page = cls(len(items), len({form.identity for form in forms if form.kind == REQUEST}), {})
        for form in items:
            page._lower_fields(form.kind, form.filled)
        return page

    def lower(self, other: Expectation) -> None:
        """Lower the expectation to the output of another page."""
        self.items = min(self.items, other.items)
        self.requests = min(self.requests, other.requests)
        for kind, fields in other.filled.items():
            self._lower_fields(kind, fields)

    def _lower_fields(self, kind: str, fields: frozenset[str]) -> None:
        if kind in self.filled:
            self.filled[kind] &= fields
        elif len(self.filled) < MOST_NAMES:
            self.filled[kind] = frozenset(sorted(fields)[:MOST_NAMES])

    def met_by(self, other: Expectation) -> bool:
        """Whether a page meets the expectation."""
        return (
            other.items >= self.items
            and other.requests >= self.requests
            and all(self.filled.get(kind, fields) <= fields for kind, fields in other.filled.items())
        )


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
        self._pages = self._due = self._kept = 0
        self._given: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._logged: set[str] = set()
        self._expectations: dict[str, Expectation] = {}

    def chosen(self, callback: str) -> bool:
        """Count a pruned page; return whether it is to be checked.

        ceil(n · share) of n pages are checked, at even intervals; the first page of the site and of each of its
        callbacks always is, and so are the first ones after an auto-keep.
        """
        self._pages += 1
        due = math.ceil(self._pages * self._share) > math.ceil((self._pages - 1) * self._share)
        if self._due and not due:
            self._due -= 1
            due = True
        return due or (callback not in self._expectations and len(self._expectations) < MOST_NAMES)

    def suspicious(self, callback: str, forms: Sequence[Form]) -> bool:
        """Whether a page gave less than every checked page of its callback: fewer items or requests, or an
        item without a value in a field that always had one.
        """
        expected = self._expectations.get(callback)
        return expected is not None and not expected.met_by(Expectation.of(forms))

    def confirm(self, callback: str, forms: Sequence[Form]) -> None:
        """Record the output of the original of a page."""
        found = Expectation.of(forms)
        if callback in self._expectations or len(self._expectations) < MOST_NAMES:
            self._expectations.setdefault(callback, found).lower(found)

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
        self._due = CHECKED_AFTER

    def first(self, what: str) -> bool:
        """Whether `what` is logged for the first time for the site."""
        new = what not in self._logged
        self._logged.add(what)
        return new
