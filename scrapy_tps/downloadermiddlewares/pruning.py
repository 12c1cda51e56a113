"""The downloader middleware: it reduces HTML responses to their main-content region before spiders see them."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import run_in_thread

from scrapy_tps.engine import native
from scrapy_tps.engine.outcomes import ERROR
from scrapy_tps.engine.prune import described
from scrapy_tps.engine.pruned_page import Origin, PrunedPage, Pruning, page_of
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import Selection, load_strategy
from scrapy_tps.linkextractors import follow_original_links
from scrapy_tps.response import PrunedMixin, prune_html, pruned_class
from scrapy_tps.settings.crawl import CrawlSettings
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.coverage import kept_text
from scrapy_tps.stats.error_isolation import FIGURES
from scrapy_tps.stats.figures import Recent, page_counts
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from typing_extensions import Self

    from scrapy_tps.engine.fallback.usage import Fallbacks, SelectorUse
    from scrapy_tps.sharing.outbox import KeptSelectors

logger = logging.getLogger(__name__)

#: Size in bytes from which a page is pruned in a thread. Smaller real pages block the reactor for at most 17 ms with
#: the native core, 62 ms without.
THREAD_BYTES: Final = 1024 * 1024

_MOST_SITES = 10_000  # that were logged, are switched off, or have selectors of their own


class TpsMiddleware:
    """Replace the body of each HTML page fetched for a spider by its main-content region.

    Its priority is 545: pages are then decompressed, redirected and retried, the HTTP cache stores them raw, and page
    objects (scrapy-poet, 543) get them pruned.

    Other content types and Scrapy's own requests (``NO_CALLBACK``: robots.txt, media) are not touched. Every other HTML
    page becomes a :class:`~scrapy_tps.response.PrunedHtmlResponse` with ``response.tps``: pruned, not pruned, or
    ``excluded`` (by status code, ``TPS_DOMAINS`` or ``Request.meta["tps"] = False``). With ``TPS_ENABLED`` off all are,
    regardless of ``TPS_DOMAINS`` and ``Request.meta``, and nothing is parsed, counted or logged.

    Bodies of a mebibyte or more are pruned in a thread. Pages are counted in the reactor's thread, in the order in
    which they were *finished*, which may differ from the order of their arrival.

    Errors never cost a page: the spider gets the original. The page is counted with the outcome ``error``, and the
    error is logged once per site. Errors in counting and logging cost no page either
    (:mod:`scrapy_tps.stats.error_isolation`).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settings = CrawlSettings(crawler.settings)
        self.enabled = self.settings.base.enabled
        """Whether any page may be pruned."""
        self.figures = figures_of(crawler)
        self._guard = self.figures.guard
        if self.enabled and not native.AVAILABLE:
            slower = (
                "scrapy-tps works in pure Python, several times slower: its native core is %s. To use it, %s."
            )
            chosen = "scrapy-tps works in pure Python, without its native core: %s"
            if native.REMEDY:
                self._guard.log(logger, logging.WARNING, slower, native.REASON, native.REMEDY)
            else:
                self._guard.log(logger, logging.INFO, chosen, native.REASON)
        compares = crawl_setting(crawler.settings, "TPS_COMPARE")
        self.on_text: Callable[[Fallbacks, str], bool] | None = (lambda *_: True) if compares else None
        """Decides whether code that reads the text of a page gets it as downloaded: all, until something compares."""
        self._pages: Any = None
        self._logged: Recent[str, bool] = Recent(_MOST_SITES)
        self._off: Recent[str, bool] = Recent(_MOST_SITES)
        shared = self.figures.shared
        self.auto_keeps = AutoKeeps(None if shared is None else shared.kept)
        """The selectors that the shadow check keeps on sites, in this crawl or in earlier ones of the spider."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        return middleware

    def spider_opened(self, spider: Any) -> None:
        follow_original_links(spider)
        self.auto_keeps.remember(self.figures.kept())

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the page pruned; see the class."""
        if not isinstance(response, HtmlResponse) or isinstance(response, PrunedMixin):
            return response
        if request.callback is NO_CALLBACK:
            return response
        kept: tuple[str, ...] = ()
        try:
            settings = self.settings.for_request(request) if self.enabled else self.settings.base
            site = self.figures.site_of(response.url)
            if site in self._off:
                settings = replace(settings, enabled=False, switch="TPS_SHADOW")
            if settings.enabled and self.auto_keeps.used and (kept := self.auto_keeps.of(site)):
                settings = replace(settings, keep=(*settings.keep, *kept))
            strategy: Any = load_strategy(settings.strategy)
            memory = None
            # methods from the literature may need other pages of this site
            if settings.enabled and getattr(strategy, "least_pages", 0) > 0:
                self._pages = self._pages or strategy.new_memory()
                memory = self._pages.of(site)
            arguments = response, settings, memory
            if len(response.body) < THREAD_BYTES:
                pruned: HtmlResponse = prune_html(*arguments)
            else:
                pruned = await run_in_thread(prune_html, *arguments)
        except Exception as error:  # pruning never loses a page: the error is counted and logged below
            self._guard.log(logger, logging.DEBUG, "Pruning %s failed", response, error=error)
            page = PrunedPage(Origin(response.body, response.url), Selection(ERROR), error=described(error))
            pruned = self._as_downloaded(response, page)
        pruning = pruned.tps if isinstance(pruned, PrunedMixin) else Pruning(page)
        if not self.crawler.crawling:  # in a shell, where somebody is watching
            pruning.selector_usage.tell = log_answer
        else:
            pruning.selector_usage.on_text = self.on_text
        try:
            if self.enabled:
                self._count(pruned, pruning, kept)
        except Exception as error:  # an error in the figures must not cost a page
            self._guard.failed(FIGURES, error)
        return pruned

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a download that has finally failed."""
        is_page = request.callback is not NO_CALLBACK and not isinstance(exception, IgnoreRequest)
        if self.enabled and is_page:
            site = self.figures.site_of(request.url)
            self.figures.add(site, {f"refused/{type(exception).__name__}": 1})

    def switch_off(self, site: str) -> None:
        """Stop pruning the pages of `site`; if there are very many sites, the first ones are forgotten."""
        self._off.remember(site, True)

    def _as_downloaded(self, response: HtmlResponse, page: PrunedPage) -> HtmlResponse:
        """Return a page as downloaded, in the class of pruned pages unless its own can't be combined."""
        try:
            return pruned_class(type(response)).from_response(response, page)
        except Exception as error:  # a page is never lost
            self._guard.log(logger, logging.DEBUG, "%s keeps its class", response, error=error)
            return response

    def _count(self, response: Response, pruning: Pruning, kept: Iterable[str]) -> None:
        url, site = response.url, self.figures.site_of(response.url)
        counts = page_counts(pruning, page_of(pruning).microseconds)
        counts |= {f"kept/{kept_text(selector)}": 1 for selector in kept}
        if response.status not in {HTTPStatus.OK, *page_of(pruning).settings.status_codes}:
            counts[f"refused/HTTP {response.status}"] = 1
        self.figures.add(site, counts)
        if pruning.outcome == ERROR and site not in self._logged:
            self._logged.remember(site, True)
            self._guard.log(
                logger,
                logging.WARNING,
                "%(url)s was not pruned because pruning failed: %(error)s. Further pages of %(site)s that fail "
                "are counted (tps/outcome/error), not logged.",
                {"url": url, "error": printable(pruning.error or ""), "site": site},
            )


class AutoKeeps:
    """The selectors of parts that stay on the pages of sites from now on, like ``TPS_KEEP``.

    If there are very many sites, the first ones are forgotten.

    :ivar used: whether there may be any; in most crawls there are none.
    :param shared: the selectors shared with other processes of the distributed crawl; None if there are none.
    """

    def __init__(self, shared: KeptSelectors | None = None) -> None:
        self._kept: Recent[str, tuple[str, ...]] = Recent(_MOST_SITES)
        self._shared, self.used = shared, shared is not None

    def remember(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take over the selectors of earlier crawls or other processes; unreadable ones are skipped."""
        for site, selector in kept:
            with suppress(ValueError):  # another program may have written it
                compile_selector(selector)
                self._kept.remember(site, tuple(dict.fromkeys((*self._kept.get(site, ()), selector))))
                self.used = True

    def of(self, site: str) -> tuple[str, ...]:
        """Return the selectors of a site, including those that other processes found."""
        if self._shared is not None:
            self.remember(self._shared.news())
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        for selector in selectors:
            self.remember([(site, selector)])
            if self._shared is not None:
                self._shared.add(site, selector)


def log_answer(selector: str, use: SelectorUse) -> None:
    """Log a selector that the page as downloaded answered."""
    logger.info("%s", printable(f"{selector}: {use}"))
