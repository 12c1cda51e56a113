"""Comparison of callbacks: on some pages they also run on the original, and losses are restored."""

from __future__ import annotations

import logging
from contextlib import aclosing, suppress
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.check import MOST_OUTPUTS, Checker, PageCheck, Run, Visit
from scrapy_tps.shadow.report import MOST_SHOWN, causes, losses, summary
from scrapy_tps.shadow.sites import PageChoice, SiteCheck, read_outside
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.coverage import callback_name, kept_text
from scrapy_tps.stats.figures import Recent
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from typing_extensions import Self


logger = logging.getLogger(__name__)

#: The number of sites whose state is held. The least recently seen one is evicted first; if it returns, its first page
#: is compared again.
MOST_SITES = 2000


class TpsShadowMiddleware:
    """Run the callbacks of some pages on the page as downloaded, compare that with the pruned page, and keep what it
    would lose.

    It must be next to the spider (10000), so that it sees the outputs of callbacks first. The outputs of a compared
    page are those of the page as downloaded, and are passed on at once. Then the callback runs on the pruned page, too.
    There are two reasons to compare a page:

    * Its callback reads the text, past the selectors (``TPS_COMPARE``), and no compared page of the callback and site
      had all of its removed parts: see :mod:`scrapy_tps.shadow.sites`. Selectors find what the pruned page has. If
      the results differ, the site gets an auto-keep: the lost part is kept on its pages, as by ``TPS_KEEP``. If that is
      impossible, the callback reads the text as downloaded from then on.
    * The shadow check is on (the share ``TPS_SHADOW``). It compares the pages of all callbacks with the page without
      pruning: at regular intervals, and those with removed parts that no compared page had. A site that loses more than
      the ``limit`` of its items or requests gets an auto-keep. If that does not help, it is not pruned for the rest of
      the crawl.

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
        self._guard = figures_of(crawler).guard
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
        self.auto_keeps = self._pruning.auto_keeps
        self._checker = Checker(self.crawler)

    def process_spider_input(self, response: Response) -> None:
        """Prepare a pruned page whose callback may be compared: make Scrapy call the callback through :meth:`_call`.

        Scrapy calls the callback of ``response.request``. The request itself does not change, because spiders send it
        again and job directories store it; a copy with the same data replaces it until the callback is called.
        """
        if self._pruning is None or not self.crawler.crawling:  # a shell has no callbacks
            return
        if not isinstance(response, PrunedMixin) or not response.tps.pruned or response.raw_body is None:
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
        choice = self._choice(response, request, state)
        if choice is None:
            return

        def call(response: Any, **_: Any) -> AsyncIterator[Any]:
            response.request = request
            return self._call(partial(Visit, response, request, callback), choice, state)

        # made at the first access, then the same for both
        _ = (request.headers, request.meta, request.cb_kwargs)
        response.request = copy(request)
        response.request.callback = call

    def _choice(self, response: PrunedMixin, request: Request, state: SiteCheck) -> PageChoice | None:
        """Return the choice for a page; None if it is not prepared for a comparison: reads of its text then get it as
        downloaded.
        """
        usage = response.tps.selector_usage
        callback = state.callback(callback_name(request))
        before = self._compares and self._checker.makes_page_objects(request)  # from the pruned text
        if before:
            usage.texts += 1
        elif self._compares and not (callback.expects_reads() or self._share):
            usage.on_text = callback.read_unexpectedly
            return None
        cached = before and self._checker.caches_page_objects
        return PageChoice(
            callback, request, response.tps, lambda: cached or self._is_late(response, state), before=before
        )

    def _is_late(self, response: PrunedMixin, state: SiteCheck) -> bool:
        """Whether a page was pruned before its site got an auto-keep, or before its pruning was switched off."""
        return state.off or not set(self.auto_keeps.of(state.site)) <= set(
            page_of(response.tps).settings.keep
        )

    async def _call(
        self, begin: Callable[[], Visit], choice: PageChoice, state: SiteCheck
    ) -> AsyncIterator[Any]:
        """Call the callback, yield its outputs, and compare them if the page was chosen before or meanwhile.

        :param begin: returns the visit of the page.
        """
        visit = begin()  # now that Scrapy has set the depth of the first pages in the request's meta
        original, usage = Run(), visit.response.tps.selector_usage
        outside = read_outside if self._compares else None
        if self._compares and not choice.before:
            # not earlier: spider middlewares may read the text before the callback
            usage.on_text = choice.read
        try:
            page = self._page(visit, choice, state)
            async with aclosing(self._checker.outputs(visit, page, visit.callback)) as outputs:
                async for output in outputs:
                    if not choice.compared:
                        visit.passed_on += 1
                    elif len(original.forms) < MOST_OUTPUTS:
                        original.forms.append(self._checker.form(output))
                    # spider middlewares, which are not compared, run meanwhile
                    usage.on_text, reads = outside, usage.on_text
                    yield output
                    usage.on_text = reads
            usage.on_text = outside
            if choice.compared:
                await self._compare(visit, choice, original, state)
            if choice.used_up:
                self._count(visit, state, used_up=1)
        except Exception as error:
            if choice.compared:
                self._count(visit, state, original_failed=1)
                with suppress(Exception):  # as below
                    pruned = await self._checker.run(visit, visit.kept(()))
                    if type(pruned.error) is not type(error):  # other pages would not fail, but give items
                        self._read_whole(visit, state)
            raise
        finally:
            choice.end()
            usage.on_text = outside

    def _page(self, visit: Visit, choice: PageChoice, state: SiteCheck) -> PrunedMixin:
        """Return the page for the callback: the original if the shadow check has chosen it, or if page objects have to
        be made from that.
        """
        due = state.is_due()
        visit.checked = bool(self._share) and choice.is_checked(due=due)
        if not (visit.checked or (choice.before and choice.is_whole())):
            return visit.response
        page, usage = visit.original(), visit.response.tps.selector_usage
        page.request = visit.response.request  # not a copy: this run is the crawl's
        usage.on_text = page.tps.selector_usage.on_text
        page.tps.selector_usage = usage
        return page

    def _reads_text(self, visit: Visit) -> bool:
        """Whether the comparison of a page is one of text; the losses of such callbacks are always repaired."""
        return self._compares and visit.response.tps.selector_usage.texts > 0

    async def _compare(self, visit: Visit, choice: PageChoice, original: Run, state: SiteCheck) -> None:
        """Run a callback on the pruned page, too. If the results differ, keep what was lost from now on.

        :param original: the outputs since the first read of the text, which got it as downloaded.
        """
        try:
            if not choice.callback.has_given(original.forms or visit.passed_on or visit.changes()):
                return  # files or a database get its results, and would get those of the pruned page as well
            choice.callback.comparisons += 1
            check = await self._checker.compare(visit, original)
            self._count(visit, state, pages=1, differ=int(check.costs))
            if not self._reads_text(visit):
                self._record(check, state)
            if self._is_late(visit.response, state):
                return  # another page or process has added an auto-keep meanwhile
            text = self._reads_text(visit)
            over = text or state.count(check.difference, failed=check.failed_pruned)
            is_told = check.costs and (over or state.first("loss"))
            if not is_told or await self._settle(check, state, over=over):
                choice.judge(original.forms, checked=visit.checked, text=text)
        except Exception as error:  # outputs and state of spiders may do anything: counted and logged
            self._count(visit, state, failed=1)
            self._log_failure(visit, state, error)

    def _record(self, check: PageCheck, state: SiteCheck) -> None:
        items, requests = check.difference
        self._count(check.visit, state, items=items.number, requests=requests.number, **check.losses())
        for kind, number in check.losses().items():
            self._figures.record_alarm(state.site, f"shadow/{kind}", number)

    async def _settle(self, check: PageCheck, state: SiteCheck, *, over: bool) -> bool:
        """Report a loss. A site that has lost more than the limit gets an auto-keep: the lost part stays from now on.
        If that is impossible, or has not helped, its pruning ends, or the callback reads the text as downloaded.

        Return False, and do nothing, if the site got another auto-keep meanwhile: the loss has to be seen again.
        """
        visit = check.visit
        await self._checker.explain(check)
        if self._is_late(visit.response, state):  # another page or process has added an auto-keep meanwhile
            state.kept_elsewhere()
            return False
        consequence = "Further losses of this site are counted (tps/shadow/…), not logged."
        if over:
            consequence = self._keep(check, state)
            self._count(visit, state, kept=int(bool(consequence)))
            consequence = consequence or self._give_up(visit, state)
        self._log_loss(check, state, consequence)
        return True

    def _log_loss(self, check: PageCheck, state: SiteCheck, consequence: str) -> None:
        cause = ["the cause was not found"] if check.explanation is None else causes(check.explanation)
        text = self._reads_text(check.visit)
        self._guard.log(
            logger,
            logging.INFO if text else logging.WARNING,
            "Pruning %s data of %s (%s, callback %s): %s.\n  %s\nThe callback read the page as downloaded. %s",
            "would lose" if text else "loses",
            state.site,
            check.visit.response.url,
            check.visit.name,
            summary(check),
            "\n  ".join(map(printable, (*losses(check, MOST_SHOWN), *cause))),
            consequence,
        )

    def _keep(self, check: PageCheck, state: SiteCheck) -> str:
        """Keep the lost part on the pages of a site from now on; return a message, empty if that is impossible."""
        keep = check.explanation.keep if check.explanation and check.explanation.works else ()
        configured = page_of(check.visit.response.tps).settings.keep
        # newer selectors of other processes have not been tried on this page
        if set(keep) <= set(configured) or not state.may_keep():
            return ""
        self.auto_keeps.keep(state.site, keep)
        self._figures.keep(state.site, keep)
        self._figures.add(state.site, {f"kept/{kept_text(selector)}": 1 for selector in keep})
        # a domain's TPS_KEEP replaces that of the crawl
        kept = list(dict.fromkeys((*configured, *self.auto_keeps.of(state.site))))
        domain = "*" if state.site.endswith(":") else state.site  # file: and data: have no host
        setting = f"TPS_DOMAINS = {{{domain!r}: {{'TPS_KEEP': {kept!r}}}}}"
        return f"It is kept on this site from now on; to keep it from the start: {setting}"

    def _give_up(self, visit: Visit, state: SiteCheck) -> str:
        """Stop pruning a site, unless its callback reads the text: then let it read pages as downloaded. Return a
        message.
        """
        if self._reads_text(visit):
            return self._read_whole(visit, state)
        assert self._pruning is not None
        state.off = True
        self._pruning.switch_off(state.site)
        self._figures.record_alarm(state.site, "shadow/switched_off")
        self._count(visit, state, switched_off=1)
        return "Pruning is switched off for this site for the rest of the crawl."

    def _read_whole(self, visit: Visit, state: SiteCheck) -> str:
        """Let a callback read the further pages of a site as downloaded, and return a message."""
        state.callback(visit.name).whole = True
        return f"From now on, {visit.name} reads the pages of this site as downloaded."

    def _count(self, visit: Visit, state: SiteCheck, **counts: int) -> None:
        reason = "compare" if self._reads_text(visit) else "shadow"
        self._figures.add(state.site, {f"{reason}/{name}": number for name, number in counts.items()})

    def _log_failure(self, visit: Visit, state: SiteCheck, error: Exception) -> None:
        consequence = self._read_whole(visit, state)
        level = logging.WARNING if state.first("failed") else logging.DEBUG
        told = printable(str(error) or type(error).__name__)
        message = "The comparison of %s failed (%s). %s"
        self._guard.log(logger, level, message, visit.response.url, told, consequence)
        self._guard.log(logger, logging.DEBUG, "Its error", error=error)


def _is_scrapys(callback: Any, spider: Any) -> bool:
    """Whether a callback belongs to a command, which counts outputs itself (``scrapy parse``, ``scrapy check``) or
    stores page objects (``scrapy savefixture``)."""
    if getattr(callback, "__self__", None) is spider:
        return str(type(spider).__module__).startswith("scrapy_poet.")
    module = getattr(callback, "__globals__", {}).get("__name__", "")
    return str(module).startswith("scrapy.")
