"""The comparisons of a site and its callbacks: which page a callback gets, and whether its results are compared."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from scrapy_tps.shadow.differences import REQUEST
from scrapy_tps.shadow.judged import Judged, asked, removed_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.http import Request

    from scrapy_tps.engine.fallback.usage import Fallbacks
    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.shadow.differences import Difference, Form
    from scrapy_tps.shadow.judged import Part

#: The most comparisons of a callback and site because of new removed parts.
MOST_COMPARISONS: Final = 30

#: The first page whose text a callback reads that is compared whatever was removed from it; so is each that doubles
#: their number. A kind of part has free text after :data:`~scrapy_tps.shadow.judged.MOST_VALUES` pages or later.
FIRST_DUE: Final = 16

#: The most auto-keeps of a site before its pruning is switched off: each keeps one more part of its pages.
MOST_AUTO_KEEPS = 8

#: The most callbacks of a site that are distinguished.
MOST_CALLBACKS = 64


def read_outside(_: Fallbacks, module: str) -> bool:
    """Give the text as downloaded to code that is not compared: middlewares, errbacks, contracts, later callbacks.

    scrapy-poet makes page objects from the pruned text, because their callback is compared.
    """
    return not module.startswith("scrapy_poet.")


def read_whole(usage: Fallbacks, _: str) -> bool:
    """Give the text as downloaded."""
    usage.texts += 1
    return True


class SiteCallback:
    """A callback on a site, and the results of its comparisons.

    :ivar judged: the removed parts of compared pages whose text it has read.
    :ivar checked: those of all pages that the shadow check has compared.
    :ivar has_items: whether a compared page gave items.
    :ivar reads: the number of pages whose text it has read.
    :ivar whole: whether it gets pages as downloaded from now on: no setting keeps what it needs, or it cannot be
        compared.
    :ivar comparing: the page that is being compared. Meanwhile others are as downloaded.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        self.comparing: PageChoice | None = None
        self.judged, self.checked = Judged(), Judged()
        self.comparisons = self.reads = 0
        self.has_items = self._started = self._has_given = False

    def expects_reads(self) -> bool:
        """Whether the next page has to be prepared for a comparison: it is the first one, or others were read."""
        first, self._started = not self._started, True
        return not self.whole and (first or self.reads > 0)

    def read_unexpectedly(self, usage: Fallbacks, _: str) -> bool:
        """Give the text as downloaded to a callback whose page was not prepared; the next ones are."""
        self.reads = self.reads or 1
        usage.texts += 1
        return True

    def has_given(self, results: object) -> bool:
        """Whether this or an earlier compared page had results: outputs, or changes of the spider's attributes."""
        self._has_given = self._has_given or bool(results)
        return self._has_given

    def is_due(self) -> bool:
        """Count a page whose text is read; return whether it is compared whatever was removed from it."""
        self.reads += 1
        return self.reads >= FIRST_DUE and self.reads.bit_count() == 1


class PageChoice:
    """The choice for a prepared page, made at the first read of its text, or before the callback.

    :param is_late: returns whether the page was pruned with settings that no longer hold.
    :param before: whether page objects have read the text, before the callback.
    :ivar compared: whether the page is compared: no compared page had all of its removed parts, or it is due. Then the
        callback reads it as downloaded.
    :ivar used_up: whether it would be, but the comparisons of the callback and site are used up.
    """

    def __init__(
        self,
        callback: SiteCallback,
        request: Request,
        pruning: Pruning,
        is_late: Callable[[], bool],
        *,
        before: bool = False,
    ) -> None:
        self.callback, self.before = callback, before
        self.compared = self.used_up = False
        self._request, self._pruning, self._is_late = request, pruning, is_late
        self._parts: set[Part] = set()
        self._whole: bool | None = None

    def read(self, usage: Fallbacks, _: str) -> bool:
        """Count a read of the text; return whether it gets the text as downloaded."""
        usage.texts += 1
        return self.is_whole()

    def is_whole(self) -> bool:
        """Whether the callback reads the text as downloaded; the first call decides."""
        if self._whole is None:
            self._whole = self._decided(self.callback.judged, due=self.callback.is_due())
        return self._whole

    def is_checked(self, *, due: bool) -> bool:
        """Whether the shadow check gives the page as downloaded to the callback.

        :param due: whether the page is compared whatever was removed from it.
        """
        if self._decided(self.callback.checked, due=due):
            self._whole = True
            return not self.used_up
        return False

    def _decided(self, judged: Judged, *, due: bool = False) -> bool:
        with suppress(Exception):  # an error costs nothing
            callback = self.callback
            if callback.whole or self._is_late() or (callback.comparing and not due):
                return True
            parts = removed_parts(self._pruning)
            self._parts = {*(parts or ()), *asked(self._request)}
            if not due:
                if parts is None:
                    return True
                if judged.has_all(self._parts):
                    return False
                self.used_up = callback.comparisons >= MOST_COMPARISONS or judged.is_full
            self.compared = not self.used_up
            if self.compared:
                callback.comparing = self
        return True

    def judge(self, outputs: Sequence[Form], *, checked: bool, text: bool) -> None:
        """Note that the page was compared: other pages with the same removed parts need not be.

        A page without items does not show what the items of other pages need, and one without outputs shows nothing.

        :param outputs: those of the page as downloaded.
        :param checked: whether the shadow check has chosen it.
        :param text: whether its text was read.
        """
        callback = self.callback
        has_items = any(form.kind != REQUEST for form in outputs)
        if has_items and not callback.has_items:
            callback.has_items = True
            callback.judged, callback.checked = Judged(), Judged()
        if not outputs or has_items < callback.has_items:
            return
        if checked:
            callback.checked.add(self._parts)
        if text:
            callback.judged.add(self._parts)

    def end(self) -> None:
        """Let other pages of the callback be compared."""
        if self.callback.comparing is self:
            self.callback.comparing = None


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
