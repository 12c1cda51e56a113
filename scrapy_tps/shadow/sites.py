"""Which pages of a site are checked, what to expect of the others, and when pruning is switched off."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_tps.shadow.forms import REQUEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.shadow.comparison import Difference
    from scrapy_tps.shadow.forms import Form

#: Sites whose state is held. The one that was seen least recently is forgotten first; when it comes back, its
#: first page is checked again.
MOST_SITES = 10_000

#: Times that a site is healed before its pruning is switched off: each keeps something more of its pages.
MOST_HEALINGS = 8

#: Pages of a site that are checked after it was healed, whatever their share.
CHECKED_AFTER_HEALING = 3

#: Callbacks of a site, kinds of items of a callback, fields of a kind, that are told apart.
MOST_NAMES = 64


@dataclass(slots=True)
class Expectation:
    """The least that every checked page of a callback gave.

    :ivar items, requests: the fewest; ``filled``: the fields that every item of a kind had filled.
    """

    items: int
    requests: int
    filled: dict[str, frozenset[str]]

    @classmethod
    def of(cls, forms: Sequence[Form]) -> Expectation:
        """The outputs of one page."""
        requests = len({form.identity for form in forms if form.kind == REQUEST})
        filled: dict[str, frozenset[str]] = {}
        for form in forms:
            if form.kind in filled:
                filled[form.kind] &= form.filled
            elif form.kind != REQUEST and len(filled) < MOST_NAMES:
                filled[form.kind] = frozenset(sorted(form.filled)[:MOST_NAMES])
        return cls(sum(form.kind != REQUEST for form in forms), requests, filled)

    def lower(self, other: Expectation) -> None:
        """Expect no more than a further page gave."""
        self.items = min(self.items, other.items)
        self.requests = min(self.requests, other.requests)
        for kind, fields in other.filled.items():
            if kind in self.filled:
                self.filled[kind] &= fields
            elif len(self.filled) < MOST_NAMES:
                self.filled[kind] = fields

    def met_by(self, other: Expectation) -> bool:
        """Whether a page gave as much."""
        return (
            other.items >= self.items
            and other.requests >= self.requests
            and all(self.filled.get(kind, fields) <= fields for kind, fields in other.filled.items())
        )


@dataclass(slots=True)
class SiteState:
    """The state of the check on one site."""

    pages: int = 0
    items: int = 0
    lost_items: int = 0
    requests: int = 0
    lost_requests: int = 0
    off: bool = False
    healings: int = 0
    due: int = 0
    """Further pages to be checked, whatever the share."""
    logged: set[str] = field(default_factory=set)
    expectations: dict[str, Expectation] = field(default_factory=dict)


class SiteChecks:
    """The state of all sites of a crawl, in bounded memory.

    :param share: share of a site's pruned pages that are checked, 0 to 1.
    :param limit: share of a site's items, and of its requests, that may be lost or changed before pruning is switched
        off for it.
    """

    def __init__(self, share: float, limit: float) -> None:
        self.share = share
        self.limit = limit
        self._sites: OrderedDict[str, SiteState] = OrderedDict()

    def site(self, name: str) -> SiteState:
        """Return the state of a site."""
        state = self._sites.get(name)
        if state is None:
            state = self._sites[name] = SiteState()
            if len(self._sites) > MOST_SITES:
                self._sites.popitem(last=False)
        else:
            self._sites.move_to_end(name)
        return state

    def is_off(self, name: str) -> bool:
        """Whether pruning is switched off for a site."""
        state = self._sites.get(name)
        return state is not None and state.off

    def chosen(self, name: str, callback: str) -> bool:
        """Count a pruned page; return whether it is to be checked.

        ceil(n · share) of n pages are due, evenly spread; the first page of a site and of each of
        its callbacks always is, and so are the first after it was healed.
        """
        state = self.site(name)
        state.pages += 1
        due = math.ceil(state.pages * self.share) > math.ceil((state.pages - 1) * self.share)
        if state.due and not due:
            state.due -= 1
            due = True
        return due or (callback not in state.expectations and len(state.expectations) < MOST_NAMES)

    def suspicious(self, name: str, callback: str, forms: Sequence[Form]) -> bool:
        """Whether a page gave less than every checked page of its callback: fewer items or requests, or an
        item without a value in a field that always had one.
        """
        expected = self.site(name).expectations.get(callback)
        return expected is not None and not expected.met_by(Expectation.of(forms))

    def confirm(self, name: str, callback: str, forms: Sequence[Form]) -> None:
        """Note what the original of a page gave."""
        expectations = self.site(name).expectations
        found = Expectation.of(forms)
        if callback in expectations:
            expectations[callback].lower(found)
        elif len(expectations) < MOST_NAMES:
            expectations[callback] = found

    def count(self, name: str, difference: Difference, *, failed: bool) -> bool:
        """Count what a page lost; return whether its site has lost more than it may.

        :param failed: whether the callback failed on the pruned page alone. If nothing else tells the cost of
            that, it counts as one item.
        """
        state = self.site(name)
        lost = difference.items.costs
        if failed and not difference.costs:
            lost = 1
        state.items += max(difference.items.number, lost)
        state.lost_items += lost
        state.requests += difference.requests.number
        state.lost_requests += difference.requests.costs
        return not state.off and (
            _over(state.lost_items, state.items, self.limit)
            or _over(state.lost_requests, state.requests, self.limit)
        )

    def healed(self, name: str) -> bool:
        """Count that something more of a site's pages is kept, so that what was lost till now does not count; False
        where that has not helped too often.
        """
        state = self.site(name)
        if state.healings >= MOST_HEALINGS:
            return False
        state.healings += 1
        self.healed_elsewhere(name)
        return True

    def healed_elsewhere(self, name: str) -> None:
        """Note that a site has been healed, here or by another process: what was lost till now does not count."""
        state = self.site(name)
        state.items = state.lost_items = state.requests = state.lost_requests = 0
        state.due = CHECKED_AFTER_HEALING

    def switch_off(self, name: str) -> None:
        """Note that a site is not pruned any more."""
        self.site(name).off = True

    def first(self, name: str, what: str) -> bool:
        """Whether `what` is logged for the first time for a site."""
        logged = self.site(name).logged
        if what in logged:
            return False
        logged.add(what)
        return True


def _over(lost: int, expected: int, limit: float) -> bool:
    return bool(lost) and lost > limit * expected
