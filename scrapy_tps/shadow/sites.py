"""Sites in the shadow check: the choice of pages, expectations of the others, switching off."""

from __future__ import annotations

import math
from collections import Counter
from itertools import islice
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


#: The output of a page: the numbers of its items and requests, and 1 for each field that all items of a kind have
#: filled, by kind and name.
Output = Counter[tuple[str, str]]


def output_of(forms: Sequence[Form]) -> Output:
    """Return the output of one page."""
    always: dict[str, frozenset[str]] = {}
    items = [form for form in forms if form.kind != REQUEST]
    for form in items:
        always[form.kind] = always.get(form.kind, form.filled) & form.filled
    output: Output = Counter()
    for kind, names in islice(always.items(), MOST_NAMES):
        output.update((kind, name) for name in ("", *sorted(names)[:MOST_NAMES]))
    output["", "items"] = len(items)
    output["", "requests"] = len({form.identity for form in forms if form.kind == REQUEST})
    return output


def _with_kinds(page: Output, other: Output) -> Output:
    """Return an output with the fields of the kinds that only `other` has: a page without a kind lacks no fields."""
    known = {"", *(kind for kind, _ in page)}
    return page | Counter({key: number for key, number in other.items() if key[0] not in known})


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
        self._expected: dict[str, Output] = {}  # the least of all checked pages of a callback

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
        return due or (callback not in self._expected and len(self._expected) < MOST_NAMES)

    def suspicious(self, callback: str, forms: Sequence[Form]) -> bool:
        """Whether a page gave less than every checked page of its callback: fewer items or requests, or an
        item without a value in a field that always had one.
        """
        expected = self._expected.get(callback)
        return expected is not None and bool(expected - _with_kinds(output_of(forms), expected))

    def confirm(self, callback: str, forms: Sequence[Form]) -> None:
        """Record the output of the original of a page."""
        page = output_of(forms)
        expected = self._expected.get(callback, page)
        if callback in self._expected or len(self._expected) < MOST_NAMES:
            self._expected[callback] = _with_kinds(expected, page) & _with_kinds(page, expected)

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
