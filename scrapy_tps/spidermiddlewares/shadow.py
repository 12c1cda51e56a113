"""The shadow check: on some pages callbacks also run on the original, and what pruning lost is restored."""

from __future__ import annotations

import logging
import os
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Request
from scrapy.utils.asyncio import run_in_thread

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.report.terminal import printable
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.explain import explain, lines
from scrapy_tps.shadow.pagecheck import PageCheck, check_page, try_remedies
from scrapy_tps.shadow.runs import MOST_OUTPUTS, Inputs, Run, Runner, outputs_of, whole_page
from scrapy_tps.shadow.sites import SiteChecks
from scrapy_tps.spidermiddlewares.callbacks import callback_name
from scrapy_tps.stats.guard import LOG, SHADOW
from scrapy_tps.stats.guarded import stats_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_tps.shadow.comparison import Ignored
    from scrapy_tps.shadow.explain import Explanation

logger = logging.getLogger(__name__)

#: Fields found to differ between two runs over the same page that are remembered.
MOST_VOLATILE = 1000


class TpsShadowMiddleware:
    """Run the callbacks of some pages on the original as well, and restore what the pruned page lost.

    It must be next to the spider (10000), so that it sees what callbacks give before anything else does. For the share
    ``TPS_SHADOW`` of a site's pruned pages, at regular intervals, the callback runs a second time, on the page as
    downloaded. It also does so for the first page of each callback, for each page on which the callback failed, and
    for each page that gave less than every page checked before it (fewer items, fewer requests, an item without a
    value in a field that always had one). If the pruned page lost or changed items or requests, this is counted and
    logged once per site, with the cause and the setting that prevents it, and the crawl gets what the *original* gave
    instead. A site that loses more than ``TPS_SHADOW_LIMIT`` of its items, or
    ``TPS_SHADOW_REQUEST_LIMIT`` of its requests, is not pruned for the rest of the crawl.

    The outputs of pruned pages are held until their callback has ended. A second run gets its own copy of
    ``cb_kwargs`` and ``meta``; everything else it does (attributes of the spider, files, stats, further downloads)
    happens twice. Values that differ between two runs on the *same* page are detected by a third run, and ignored.

    Does nothing if ``TPS_SHADOW`` is 0, in ``scrapy check`` and ``scrapy parse``, and on pages whose
    bytes were dropped (``TPS_KEEP_ORIGINAL``).
    """

    def __init__(self, crawler: Crawler) -> None:
        share = crawl_setting(crawler.settings, "TPS_SHADOW")
        if not share:
            raise NotConfigured("TPS_SHADOW is 0")
        if os.environ.get("SCRAPY_CHECK"):
            raise NotConfigured("contracts are checked, which count outputs themselves")
        self.crawler = crawler
        self.sites = SiteChecks(
            share,
            crawl_setting(crawler.settings, "TPS_SHADOW_LIMIT"),
            crawl_setting(crawler.settings, "TPS_SHADOW_REQUEST_LIMIT"),
        )
        self.ignored: Ignored = frozenset(
            ("", name) for name in crawl_setting(crawler.settings, "TPS_SHADOW_IGNORE")
        )
        self._thread_bytes: int = crawl_setting(crawler.settings, "TPS_THREAD_BYTES")
        self._stats = stats_of(crawler)
        self._guard = self._stats.guard
        self._pages: TpsMiddleware | None = None
        self._runner: Runner | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        return middleware

    def spider_opened(self) -> None:
        self._pages = self.crawler.get_downloader_middleware(TpsMiddleware)
        self._runner = Runner(self.crawler)

    def process_spider_input(self, response: Response) -> None:
        """Make Scrapy call a pruned page's callback through :meth:`_held`.

        Scrapy calls the callback of ``response.request``. The request itself stays as it is, because spiders
        send it again and job directories store it; a stand-in takes its place until the callback is called.
        """
        if self._pages is None or not isinstance(response, PrunedMixin) or not response.tps.pruned:
            return
        request = response.request
        spider = self.crawler.spider
        if request is None or spider is None:
            return
        callback = request.callback or spider._parse
        if _is_scrapys(callback, spider):
            return
        if response.raw_body is None:
            self._count("no_original")
            return
        site = self._pages.figures.site_of(response.url)

        def call(response: Any) -> AsyncIterator[Any]:
            response.request = request
            if self.sites.is_off(site):
                return self._on_original(response, request, callback)
            return self._held(response, request, callback, site)

        response.request = Request(response.url, callback=call, dont_filter=True)

    async def _on_original(
        self, response: PrunedMixin, request: Request, callback: Callable[..., Any]
    ) -> AsyncIterator[Any]:
        """Call back with the original of a page that was pruned before its site was switched off."""
        self._count("late_originals")
        whole = whole_page(response, request)
        assert self._runner is not None
        async with aclosing(self._runner.outputs(callback, whole)) as outputs:
            async for output in outputs:
                yield output

    async def _held(
        self, response: PrunedMixin, request: Request, callback: Callable[..., Any], site: str
    ) -> AsyncIterator[Any]:
        """Call back with the pruned page; yield what it gives, or what the original gives."""
        name = callback_name(request)
        chosen = False
        with self._guard(SHADOW):
            chosen = self.sites.chosen(site, name)
        inputs = Inputs(request)
        run = Run()
        assert self._runner is not None
        describe = self._runner.describe
        async with aclosing(outputs_of(callback, response, **request.cb_kwargs)) as outputs:
            try:
                async for output in outputs:
                    run.outputs.append(describe.held(output))
                    if len(run.outputs) >= MOST_OUTPUTS:
                        break
            except Exception as error:  # raised again below, unless the original does not raise it
                run.error = error
            if len(run.outputs) >= MOST_OUTPUTS:
                self._count("too_many_outputs")
                for held in run.outputs:
                    yield held.settled(describe)
                async for output in outputs:
                    yield output
                return
        if not chosen:
            with self._guard(SHADOW):
                chosen = run.error is not None or self.sites.suspicious(site, name, run.forms)
            self._count("suspicious", int(chosen))
        if chosen:
            run = await self._checked(response, inputs, callback, run, site)
        for held in run.outputs:
            yield held.settled(describe)
        if run.error is not None:
            raise run.error

    async def _checked(
        self, response: PrunedMixin, inputs: Inputs, callback: Callable[..., Any], pruned: Run, site: str
    ) -> Run:
        """Return the run whose outputs go on; a check that fails for whatever reason is as good as none."""
        self._count("pages")
        try:
            return await self._better(response, inputs, callback, pruned, site)
        except Exception:  # what spiders give and remember is theirs, and may do anything: counted and logged
            self._failed(response, site, "The shadow check of %(url)s failed")
            return pruned

    async def _better(
        self, response: PrunedMixin, inputs: Inputs, callback: Callable[..., Any], pruned: Run, site: str
    ) -> Run:
        """Return the pruned page's run, or where that lost something the original's."""
        assert self._runner is not None
        assert response.request is not None
        name = callback_name(response.request)
        check = await check_page(
            response, inputs, callback, pruned, runner=self._runner, ignored=self.ignored
        )
        if check.original.error is not None and pruned.error is None:
            self.sites.confirm(site, name, ())  # nothing to be expected: further pages are checked by turns
            with self._guard(LOG):
                logger.debug("The callback fails on the original", exc_info=check.original.error)
            self._failed(response, site, "The callback fails on the original of %(url)s, but not when pruned")
            return pruned
        made_good = check.made_good() if check.costs else pruned
        with self._guard(SHADOW):
            self._remember(check.volatile)
            self.sites.confirm(site, name, check.made_good().forms)
            self._record(check, site)
            if check.costs:
                await self._settle(response, inputs, callback, check, site)
        return made_good

    async def _settle(
        self, response: PrunedMixin, inputs: Inputs, callback: Callable[..., Any], check: PageCheck, site: str
    ) -> None:
        """Count and tell a loss, which may switch pruning off for its site."""
        assert self._pages is not None
        self._pages.models.lost(response.url, {span.rule for span in response.tps.spans})
        switched_off = self.sites.count(site, check.difference, failed=check.failed_pruned)
        self._used_original(site, switched_off=switched_off)
        if self.sites.first(site, "loss") or switched_off:
            with self._guard(LOG):
                await self._log(response, inputs, callback, check, site, switched_off=switched_off)

    def _remember(self, volatile: Ignored) -> None:
        if len(self.ignored) < MOST_VOLATILE:
            self.ignored |= volatile

    def _used_original(self, site: str, *, switched_off: bool) -> None:
        assert self._pages is not None
        self._count("originals_used")
        if switched_off:
            self._pages.switch_off(site)
            self._pages.figures.record_alarm(site, "shadow/switched_off")
            self._count("switched_off")

    def _record(self, check: PageCheck, site: str) -> None:
        assert self._pages is not None
        found = check.difference
        self._count("items", found.items)
        self._count("requests", found.requests)
        self._count("volatile", int(bool(check.volatile or check.volatile_paths)))
        self._count("extra_items", len(found.extra))
        for kind, number in check.losses().items():
            self._count(kind, number)
            if number:
                self._pages.figures.record_alarm(site, f"shadow/{kind}", number)
        if not check.costs:
            self.sites.count(site, found, failed=False)

    def _count(self, name: str, number: int = 1) -> None:
        if number:
            self._stats.inc_value(f"tps/shadow/{name}", number)

    def _failed(self, response: PrunedMixin, site: str, message: str) -> None:
        self._count("failed")
        with self._guard(LOG):
            level = logging.WARNING if self.sites.first(site, "failed") else logging.DEBUG
            logger.log(
                level,
                f"{message}; what the pruned page gave goes on",
                {"url": response.url},
                exc_info=level == logging.DEBUG,
                extra={"spider": self.crawler.spider},
            )

    async def _explain(self, response: PrunedMixin, check: PageCheck) -> Explanation:
        arguments = (check.difference, response.tps, self.ignored)
        if response.raw_body is not None and len(response.raw_body) >= self._thread_bytes:
            return await run_in_thread(explain, *arguments)
        return explain(*arguments)

    async def _log(
        self,
        response: PrunedMixin,
        inputs: Inputs,
        callback: Callable[..., Any],
        check: PageCheck,
        site: str,
        *,
        switched_off: bool,
    ) -> None:
        assert self._runner is not None
        assert self._pages is not None
        assert response.request is not None
        try:
            explanation = await self._explain(response, check)
            await try_remedies(
                explanation,
                check,
                response,
                inputs,
                callback,
                runner=self._runner,
                settings=self._pages.settings.for_request(response.request),
                ignored=self.ignored,
            )
            details = lines(explanation)
        except Exception as error:  # the cause is a help, not a need: the loss is told in any case
            logger.debug("The cause of a loss was not found", exc_info=error)
            details = [printable(f"the cause was not found: {error!r}")]
        if check.failed_pruned:
            details.insert(0, printable(f"the callback failed on the pruned page: {check.pruned.error!r}"))
        logger.warning(
            "Pruning costs %(site)s records (%(url)s, callback %(callback)s): %(losses)s.\n  %(details)s\n"
            "The page's original was used. %(consequence)s",
            {
                "site": site,
                "url": response.url,
                "callback": callback_name(response.request),
                "losses": check.summary(),
                "details": "\n  ".join(details),
                "consequence": "Pruning is switched off for this site for the rest of the crawl."
                if switched_off
                else "Further losses of this site are counted (tps/shadow/…), not logged.",
            },
            extra={"spider": self.crawler.spider},
        )


def _is_scrapys(callback: Any, spider: Any) -> bool:
    """Whether a callback is Scrapy's own code and no method of the spider: ``scrapy parse`` counts outputs itself."""
    if getattr(callback, "__self__", None) is spider:
        return False
    module = getattr(callback, "__globals__", {}).get("__name__", "")
    return str(module).startswith("scrapy.")
