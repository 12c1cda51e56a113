"""The shadow check: on some pages callbacks also run on the original, and losses are restored."""

from __future__ import annotations

import logging
import math
import os
from collections import Counter
from contextlib import aclosing
from operator import lt
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Request

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.auto_keeps import AutoKeeps
from scrapy_tps.shadow.check import MOST_OUTPUTS, Checker, PageCheck, Run, Visit
from scrapy_tps.shadow.differences import REQUEST
from scrapy_tps.shadow.report import MOST_SHOWN, causes, losses, summary
from scrapy_tps.stats.aggregation import stats_of
from scrapy_tps.stats.error_isolation import FIGURES, LOG
from scrapy_tps.stats.figures import Recent
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_tps.shadow.differences import Difference, Form

logger = logging.getLogger(__name__)

#: The number of sites whose state is held. The least recently seen one is evicted first; if it returns, its first page
#: is checked again.
MOST_SITES = 10_000

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


class TpsShadowMiddleware:
    """Run the callbacks of some pages also on the original, and restore losses of the pruned page.

    It must be next to the spider (10000), so that it sees the outputs of callbacks first; it holds them until a
    callback has ended. Pages are checked at regular intervals (the share ``TPS_SHADOW``), or because they gave less
    than every page checked before. If the pruned page lost something, the crawl gets the results of the *original*. A
    site that loses more than the ``limit`` of its items or requests gets an auto-keep: the lost part is kept on
    its pages, as by ``TPS_KEEP``. If that does not help, it is not pruned for the rest of the crawl.

    Does nothing if ``TPS_SHADOW`` is 0, and in ``scrapy check`` and ``scrapy parse``.
    """

    def __init__(self, crawler: Crawler) -> None:
        shadow = crawl_setting(crawler.settings, "TPS_SHADOW")
        if not shadow.share:
            raise NotConfigured("TPS_SHADOW is 0")
        if os.environ.get("SCRAPY_CHECK"):
            raise NotConfigured("contracts count outputs themselves")
        self.crawler = crawler
        self._limits = shadow.share, shadow.limit
        self._sites: Recent[str, SiteCheck] = Recent(MOST_SITES)
        self._guard = stats_of(crawler).guard
        self._pruning: TpsMiddleware | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        return middleware

    def spider_opened(self) -> None:
        self._pruning = self.crawler.get_downloader_middleware(TpsMiddleware)
        if self._pruning is None:
            return
        self._figures = self._pruning.figures
        shared = self._figures.shared
        self.auto_keeps = self._pruning.auto_keeps = AutoKeeps(None if shared is None else shared.kept)
        self.auto_keeps.remember(self._figures.kept())
        self._checker = Checker(self.crawler)

    def process_spider_input(self, response: Response) -> None:
        """Make Scrapy call a pruned page's callback through :meth:`_held`.

        Scrapy calls the callback of ``response.request``. The request itself does not change, because spiders send it
        again and job directories store it; a stand-in replaces it until the callback is called.
        """
        if self._pruning is None or not isinstance(response, PrunedMixin) or not response.tps.pruned:
            return
        request = response.request
        spider = self.crawler.spider
        if request is None or spider is None:
            return
        callback = request.callback or spider._parse
        if _is_scrapys(callback, spider):
            return
        site = self._figures.site_of(response.url)

        def call(response: Any) -> AsyncIterator[Any]:
            response.request = request
            state = self._sites.recall(site) or self._sites.remember(site, SiteCheck(site, *self._limits))
            return self._held(Visit(response, request, callback), state)

        response.request = Request(response.url, callback=call, dont_filter=True)

    def _pruned_before(self, visit: Visit, state: SiteCheck) -> bool:
        """Whether a page was pruned before its site got an auto-keep."""
        return not set(self.auto_keeps.of(state.site)) <= set(page_of(visit.response.tps).settings.keep)

    async def _held(self, visit: Visit, state: SiteCheck) -> AsyncIterator[Any]:
        """Call the callback with the pruned page; yield its outputs, or those of the original.

        If the site got an auto-keep or was switched off since the page was pruned, call it with the original alone.
        """
        page, run = visit.response, Run()
        late = state.off or self._pruned_before(visit, state)
        if late:
            self._count(state, late_originals=1)
            page = visit.whole()
        try:
            async with aclosing(self._checker.outputs(visit, page)) as outputs:
                if not late:
                    run = await self._run(visit, outputs, state)
                for output in self._checker.settled(run):
                    yield output
                async for output in outputs:  # those that were not held
                    yield output
        finally:  # the selectors of `visit.response` are counted
            visit.response.tps.selector_usage.selectors |= page.tps.selector_usage.selectors
        if run.error is not None:  # the callback's exception, unless the original's run has none
            raise run.error

    async def _run(self, visit: Visit, outputs: AsyncIterator[Any], state: SiteCheck) -> Run:
        """Hold the outputs, and check the page if it is due or they are suspicious."""
        chosen = state.chosen(visit.name)
        run = await self._checker.hold(outputs)
        if len(run.outputs) >= MOST_OUTPUTS:
            self._count(state, too_many_outputs=1)
            return run
        if not chosen:
            chosen = run.error is not None or state.suspicious(visit.name, run.forms)
            self._count(state, suspicious=int(chosen))
        return await self._checked(visit, run, state) if chosen else run

    async def _checked(self, visit: Visit, run: Run, state: SiteCheck) -> Run:
        """Return the run whose outputs are passed on: the original's if the pruned page lost something. A failed check
        counts as none.
        """
        try:
            check = await self._checker.check(visit, run)
        except Exception as error:  # outputs and state of spiders may do anything: counted and logged
            self._failed(visit, state, "The shadow check of %(url)s failed", error)
            return run
        if check.original.error is not None and run.error is None:
            state.confirm(visit.name, ())  # no expectation: further pages are checked at intervals
            told = "The callback fails on the original of %(url)s, but not when pruned"
            self._failed(visit, state, told, check.original.error)
            return run
        made_good = check.made_good()
        with self._guard(FIGURES):
            state.confirm(visit.name, made_good.forms)
            self._record(check, state)
            if check.costs:
                await self._settle(check, state)
            else:
                state.count(check.difference, failed=False)
        return made_good if check.costs else run

    def _record(self, check: PageCheck, state: SiteCheck) -> None:
        items, requests = check.difference
        self._count(state, pages=1, items=items.number, requests=requests.number)
        self._count(state, volatile=int(check.volatile), extra_items=len(items.extra), **check.losses())
        for kind, number in check.losses().items():
            self._figures.record_alarm(state.site, f"shadow/{kind}", number)

    async def _settle(self, check: PageCheck, state: SiteCheck) -> None:
        """Count and report a loss. A site that has lost more than the limit gets an auto-keep: the lost part stays from
        now on. If that is impossible, or has not helped, its pruning is switched off.
        """
        visit = check.visit
        self._count(state, originals_used=1)
        if self._pruned_before(visit, state):
            return  # its callback was running when the site got an auto-keep
        over = state.count(check.difference, failed=check.failed_pruned)
        if not state.first("loss") and not over:
            return
        await self._checker.explain(check)
        if self._pruned_before(visit, state):  # another page or process has added an auto-keep meanwhile
            state.kept_elsewhere()
            return
        consequence = "Further losses of this site are counted (tps/shadow/…), not logged."
        if over:
            consequence = self._keep(check, state) or self._switched_off(state)
        cause = ["the cause was not found"] if check.explanation is None else causes(check.explanation)
        with self._guard(LOG):
            logger.warning(
                "Pruning costs %(site)s records (%(url)s, callback %(callback)s): %(losses)s.\n  %(details)s\n"
                "The page's original was used. %(consequence)s",
                {
                    "site": state.site,
                    "url": visit.response.url,
                    "callback": visit.name,
                    "losses": summary(check),
                    "details": "\n  ".join(map(printable, (*losses(check, MOST_SHOWN), *cause))),
                    "consequence": consequence,
                },
                extra={"spider": self.crawler.spider},
            )

    def _keep(self, check: PageCheck, state: SiteCheck) -> str:
        """Keep the lost part on the pages of a site from now on; return a message, empty if that is impossible."""
        keep = check.explanation.keep if check.explanation and check.explanation.works else ()
        # newer selectors of other processes have not been tried on this page
        if set(keep) <= set(page_of(check.visit.response.tps).settings.keep) or not state.may_keep():
            return ""
        self.auto_keeps.keep(state.site, keep)
        self._figures.keep(state.site, keep)
        self._count(state, auto_keeps=1)
        kept = list(self.auto_keeps.of(state.site))
        setting = f"TPS_DOMAINS = {{{state.site!r}: {{'TPS_KEEP': {kept!r}}}}}"
        return f"It is kept on this site from now on; to keep it from the start: {setting}"

    def _switched_off(self, state: SiteCheck) -> str:
        """Stop pruning a site, and return a message."""
        assert self._pruning is not None
        state.off = True
        self._pruning.switch_off(state.site)
        self._figures.record_alarm(state.site, "shadow/switched_off")
        self._count(state, switched_off=1)
        return "Pruning is switched off for this site for the rest of the crawl."

    def _count(self, state: SiteCheck, **counts: int) -> None:
        self._figures.add(state.site, {f"shadow/{name}": number for name, number in counts.items()})

    def _failed(self, visit: Visit, state: SiteCheck, message: str, error: Exception) -> None:
        self._count(state, failed=1)
        with self._guard(LOG):
            level = logging.WARNING if state.first("failed") else logging.DEBUG
            logger.log(
                level,
                f"{message}; the results of the callback are used",
                {"url": visit.response.url},
                extra={"spider": self.crawler.spider},
            )
            logger.debug("Its error", exc_info=error)


def _is_scrapys(callback: Any, spider: Any) -> bool:
    """Whether a callback is Scrapy's own code, not a method of the spider: ``scrapy parse`` counts outputs itself."""
    if getattr(callback, "__self__", None) is spider:
        return False
    module = getattr(callback, "__globals__", {}).get("__name__", "")
    return str(module).startswith("scrapy.")
