"""Comparison of callbacks: on some pages they also run on the original, and losses are restored."""

from __future__ import annotations

import logging
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.auto_keeps import AutoKeeps
from scrapy_tps.shadow.check import MOST_OUTPUTS, Checker, PageCheck, Run, Visit
from scrapy_tps.shadow.readers import PageReads, read_outside
from scrapy_tps.shadow.report import MOST_SHOWN, causes, losses, summary
from scrapy_tps.shadow.sites import SiteCheck
from scrapy_tps.stats.aggregation import stats_of
from scrapy_tps.stats.coverage import callback_name, kept_text
from scrapy_tps.stats.error_isolation import FIGURES, LOG
from scrapy_tps.stats.figures import Recent
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from typing_extensions import Self


logger = logging.getLogger(__name__)

#: The number of sites whose state is held. The least recently seen one is evicted first; if it returns, its first page
#: is checked again.
MOST_SITES = 2000


class TpsShadowMiddleware:
    """Run the callbacks of some pages also on the original, and restore losses of the pruned page.

    It must be next to the spider (10000), so that it sees the outputs of callbacks first. There are two reasons to
    compare a page:

    * Its callback reads the text, past the selectors (``TPS_COMPARE``), and no compared page of the callback and site
      had all of its removed parts: see :mod:`scrapy_tps.shadow.readers`. The callback reads the text of such a page
      as downloaded, and its outputs are passed on at once. Then it runs on the pruned text, too. If the results differ,
      the site gets an auto-keep: the lost part is kept on its pages, as by ``TPS_KEEP``. If that is impossible, the
      callback reads the text as downloaded from then on.
    * The shadow check has chosen it, at regular intervals (the share ``TPS_SHADOW``), or because it gave less than
      every page checked before. The outputs of every page are held until the callback has ended. If the pruned page
      lost something, the crawl gets the results of the *original*. A site that loses more than the ``limit`` of
      its items or requests gets an auto-keep. If that does not help, it is not pruned for the rest of the crawl.

    Does nothing if both settings are off. In ``scrapy check`` and ``scrapy parse``, which count outputs themselves,
    callbacks read the text as downloaded.
    """

    def __init__(self, crawler: Crawler) -> None:
        shadow = crawl_setting(crawler.settings, "TPS_SHADOW")
        self._share: float = shadow.share
        self._compares: bool = crawl_setting(crawler.settings, "TPS_COMPARE")
        if not (self._share or self._compares):
            raise NotConfigured("TPS_SHADOW is 0, and TPS_COMPARE is off")
        self.crawler = crawler
        self._limit: float = shadow.limit
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
        if self._compares:
            self._pruning.on_text = read_outside
        self._figures = self._pruning.figures
        shared = self._figures.shared
        self.auto_keeps = self._pruning.auto_keeps = AutoKeeps(None if shared is None else shared.kept)
        self.auto_keeps.remember(self._figures.kept())
        self._checker = Checker(self.crawler)

    def process_spider_input(self, response: Response) -> None:
        """Prepare a pruned page whose callback may be compared: make Scrapy call the callback through :meth:`_held`.

        Scrapy calls the callback of ``response.request``. The request itself does not change, because spiders send it
        again and job directories store it; a stand-in replaces it until the callback is called.
        """
        if self._pruning is None or not self.crawler.crawling:  # a shell has no callbacks
            return
        if not isinstance(response, PrunedMixin) or not response.tps.pruned:
            return
        request = response.request
        spider = self.crawler.spider
        if request is None or spider is None:
            return
        callback = request.callback or spider._parse
        if _is_scrapys(callback, spider):
            return
        site = self._figures.site_of(response.url)
        state = self._sites.recall(site) or self._sites.remember(
            site, SiteCheck(site, self._share, self._limit)
        )
        reads = self._reads_of(response, request, state) if self._compares else None
        if reads is None and not self._share:
            return

        def call(response: Any) -> AsyncIterator[Any]:
            response.request = request
            return self._held(partial(Visit, response, request, callback, reads), state)

        response.request = _StandIn(call)

    def _reads_of(self, response: PrunedMixin, request: Request, state: SiteCheck) -> PageReads | None:
        """Return the reads of a page's text by its callback; None if the page is not prepared for a comparison: reads
        then get it as downloaded.
        """
        usage = response.tps.selector_usage
        reader = state.reader(callback_name(request))
        if self._checker.makes_page_objects(request):  # from the pruned text
            usage.texts += 1
            caches = self._checker.caches_page_objects
            return PageReads(
                reader, response.tps, lambda: caches or self._is_late(response, state), before=True
            )
        if not reader.expects_reads():
            usage.on_text = reader.read_unexpectedly
            return None
        reads = PageReads(reader, response.tps, lambda: self._is_late(response, state))
        usage.on_text = reads.read
        return reads

    def _is_late(self, response: PrunedMixin, state: SiteCheck) -> bool:
        """Whether a page was pruned before its site got an auto-keep, or before its pruning was switched off."""
        return state.off or not set(self.auto_keeps.of(state.site)) <= set(
            page_of(response.tps).settings.keep
        )

    async def _held(self, begin: Callable[[], Visit], state: SiteCheck) -> AsyncIterator[Any]:
        """Call the callback, yield its outputs, and compare them if it has read the text of a page that is due.

        The callback gets the original alone if the shadow check is on and the site got an auto-keep or was switched off
        since the page was pruned, or if page objects have to be made from the original.

        :param begin: returns the visit of the page.
        """
        visit = begin()  # now that Scrapy has set the depth of the first pages in the request's meta
        page, run = visit.response, Run()
        checks = bool(self._share)
        late = checks and self._is_late(page, state)
        if late:
            self._count(state, late_originals=1)
            page = visit.whole()
        elif visit.reads_before:
            page = visit.read_whole()
        try:
            async with aclosing(self._checker.outputs(visit, page)) as outputs:
                if checks and page is visit.response:
                    run = await self._run(visit, outputs, state)
                    for output in self._checker.settled(run):
                        yield output
                async for output in outputs:  # those that were not held
                    if not visit.is_compared:
                        visit.passed_on += 1
                    elif len(run.outputs) < MOST_OUTPUTS:
                        self._checker.take(run, output)
                    yield output
            if run.error is not None:  # the callback's exception, unless the original's run has none
                raise run.error
            if visit.is_compared:
                await self._compare(visit, run, state)
        finally:
            if visit.reads is not None:
                visit.reads.end(visit.response.tps.selector_usage)
                self._count_compared(state, used_up=int(visit.reads.used_up))
            # the selectors of `visit.response` are counted
            visit.response.tps.selector_usage.selectors |= page.tps.selector_usage.selectors

    async def _compare(self, visit: Visit, original: Run, state: SiteCheck) -> None:
        """Run a callback on the pruned text, too. If the results differ, keep what was lost from now on.

        :param original: the outputs since the first read of the text, which got it as downloaded.
        """
        if len(original.outputs) >= MOST_OUTPUTS:
            self._count_compared(state, too_many_outputs=1)
            visit.give_up()
            return
        try:
            check = await self._checker.compare(visit, original)
            self._count_compared(state, pages=1, differ=int(check.costs))
            if self._is_late(visit.response, state):
                return  # another page or process has added an auto-keep meanwhile
            if check.costs:
                await self._keep_compared(check, state)
            visit.judge()
        except Exception as error:  # outputs and state of spiders may do anything: counted and logged
            self._count_compared(state, failed=1)
            visit.give_up()
            self._log_failure(visit, state, "The comparison of %(url)s failed", error)

    async def _keep_compared(self, check: PageCheck, state: SiteCheck) -> None:
        """Keep what a callback needs of the text of pages, or give it the text as downloaded from now on."""
        visit = check.visit
        if not check.remembers:
            await self._checker.explain(check)
        if self._is_late(visit.response, state):
            return
        consequence = self._keep(check, state)
        if consequence:
            self._count_compared(state, kept=1)
        else:
            visit.give_up()
            consequence = f"From now on, {visit.name} reads the text of this site's pages as downloaded."
        self._log_loss(check, state, logging.INFO, f"The callback read the page as downloaded. {consequence}")

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
        self._count(state, volatile=int(check.volatile), **check.losses())
        for kind, number in check.losses().items():
            self._figures.record_alarm(state.site, f"shadow/{kind}", number)

    async def _settle(self, check: PageCheck, state: SiteCheck) -> None:
        """Count and report a loss. A site that has lost more than the limit gets an auto-keep: the lost part stays from
        now on. If that is impossible, or has not helped, its pruning is switched off.
        """
        visit = check.visit
        self._count(state, originals_used=1)
        if self._is_late(visit.response, state):
            return  # its callback was running when the site got an auto-keep
        over = state.count(check.difference, failed=check.failed_pruned)
        if not state.first("loss") and not over:
            return
        await self._checker.explain(check)
        if self._is_late(visit.response, state):  # another page or process has added an auto-keep meanwhile
            state.kept_elsewhere()
            return
        consequence = "Further losses of this site are counted (tps/shadow/…), not logged."
        if over:
            consequence = self._keep(check, state)
            self._count(state, auto_keeps=int(bool(consequence)))
            consequence = consequence or self._switched_off(state)
        self._log_loss(check, state, logging.WARNING, f"The page's original was used. {consequence}")

    def _log_loss(self, check: PageCheck, state: SiteCheck, level: int, consequence: str) -> None:
        cause = ["the cause was not found"] if check.explanation is None else causes(check.explanation)
        with self._guard(LOG):
            logger.log(
                level,
                "Pruning %(loses)s data of %(site)s (%(url)s, callback %(callback)s): %(losses)s.\n  %(details)s\n"
                "%(consequence)s",
                {
                    "loses": "would lose" if check.visit.is_compared else "loses",
                    "site": state.site,
                    "url": check.visit.response.url,
                    "callback": check.visit.name,
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
        self._figures.add(state.site, {f"kept/{kept_text(selector)}": 1 for selector in keep})
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

    def _count_compared(self, state: SiteCheck, **counts: int) -> None:
        self._figures.add(state.site, {f"compare/{name}": number for name, number in counts.items()})

    def _failed(self, visit: Visit, state: SiteCheck, message: str, error: Exception) -> None:
        self._count(state, failed=1)
        self._log_failure(visit, state, f"{message}; the results of the callback are used", error)

    def _log_failure(self, visit: Visit, state: SiteCheck, message: str, error: Exception) -> None:
        with self._guard(LOG):
            level = logging.WARNING if state.first("failed") else logging.DEBUG
            logger.log(level, message, {"url": visit.response.url}, extra={"spider": self.crawler.spider})
            logger.debug("Its error", exc_info=error)


class _StandIn:
    """Stands for a request until Scrapy has called its callback; a request of its own would cost more than that."""

    def __init__(self, callback: Callable[[Any], AsyncIterator[Any]]) -> None:
        self.callback = callback
        self.cb_kwargs: dict[str, Any] = {}


def _is_scrapys(callback: Any, spider: Any) -> bool:
    """Whether a callback belongs to a command, which counts outputs itself (``scrapy parse``, ``scrapy check``) or
    stores page objects (``scrapy savefixture``)."""
    if getattr(callback, "__self__", None) is spider:
        return str(type(spider).__module__).startswith("scrapy_poet.")
    module = getattr(callback, "__globals__", {}).get("__name__", "")
    return str(module).startswith("scrapy.")
