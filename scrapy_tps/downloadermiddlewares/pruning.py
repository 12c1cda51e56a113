"""The downloader middleware: HTML responses become their main-content region before spiders see them."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import run_in_thread

from scrapy_tps.engine import native
from scrapy_tps.engine.fallback.usage import EMPTY, OTHER, PARTIAL
from scrapy_tps.engine.html import document
from scrapy_tps.engine.outcomes import ERROR, EXCLUDED
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import Pruning
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import Selection, load_strategy
from scrapy_tps.linkextractors import follow_original_links
from scrapy_tps.response import PrunedMixin, WrittenPage, pruned_class, read_page, write_page
from scrapy_tps.settings.crawl import CrawlSettings
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.aggregation import CrawlFigures
from scrapy_tps.stats.error_isolation import FIGURES, LOG, stats_of
from scrapy_tps.stats.figures import page_counts, site_function
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from typing_extensions import Self

    from scrapy_tps.engine.fallback.usage import Answer
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.sharing.outbox import KeptSelectors

logger = logging.getLogger(__name__)

#: Bytes of a body from which a page is pruned in a thread. Real pages that are smaller block the reactor for 17 ms at
#: most with the native core, 62 ms without.
THREAD_BYTES: Final = 1024 * 1024

_MOST_SITES_LOGGED = 10_000
_MOST_SITES_OFF = 10_000
_MOST_SITES_KEPT = 10_000


class TpsMiddleware:
    """Replace the body of each HTML page fetched for a spider by its main-content region.

    Belongs at 545: below it pages are decompressed, redirected and not to be retried, the HTTP cache
    stores them raw, and page objects (scrapy-poet, 543) get them pruned.

    Left alone: other content types, requests of Scrapy's own (``NO_CALLBACK``: robots.txt, media). Every
    other HTML page becomes a :class:`~scrapy_tps.response.PrunedHtmlResponse` with ``response.tps``:
    pruned, not pruned, or ``excluded`` (by status code, ``TPS_DOMAINS`` or
    ``Request.meta["tps"] = False``). Without ``TPS_ENABLED`` the middleware is not there; the
    add-on has :class:`~scrapy_tps.downloadermiddlewares.pruning.TpsOffMiddleware` in its place.

    Bodies of a mebibyte or more are pruned in a thread. Pages are counted on the reactor's
    thread, in the order in which they were *finished*: of two pages of a site, the one that came first
    may be counted second.

    Errors never cost a page: the original goes on to the spider, is counted with the outcome ``error``
    and logged once per site. Neither do errors of what counts and logs (:mod:`scrapy_tps.stats.error_isolation`).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settings = CrawlSettings(crawler.settings)
        if not self.settings.base.enabled:
            raise NotConfigured("TPS_ENABLED is False")
        self.figures = _figures_of(crawler)
        self._guard = self.figures.guard
        if not native.AVAILABLE:
            with self._guard(LOG):
                if native.REMEDY:
                    logger.warning(
                        "scrapy-tps works in pure Python, several times slower: its native core is %s. To use it, %s.",
                        native.REASON,
                        native.REMEDY,
                    )
                else:
                    logger.info("scrapy-tps works in pure Python, without its native core: %s", native.REASON)
        self._pages: Any = None
        self._logged: set[str] = set()
        self._off: OrderedDict[str, None] = OrderedDict()
        self.auto_keeps: AutoKeeps | None = None
        """Selectors that the shadow check keeps on sites, in this crawl or in earlier ones of the spider."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        return middleware

    def spider_opened(self, spider: Any) -> None:
        follow_original_links(spider, self.figures, self.settings.base)
        if self.auto_keeps is None and (kept := self.figures.kept()):  # by a shadow check of an earlier crawl
            self.auto_keeps = AutoKeeps()
            self.auto_keeps.remember(kept)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the page pruned; see the class."""
        if not isinstance(response, HtmlResponse) or not self.applies(request, response):
            return response
        try:
            settings = self.settings.for_request(request)
            if self._off and self.figures.site_of(response.url) in self._off:
                settings = replace(settings, enabled=False, switch="TPS_SHADOW")
            if self.auto_keeps is not None and (
                kept := self.auto_keeps.of(self.figures.site_of(response.url))
            ):
                settings = replace(settings, keep=(*settings.keep, *kept))
            arguments = response, settings, self._memory(response.url, settings)
            if len(response.body) < THREAD_BYTES:
                pruning, page, microseconds = prune_response(*arguments)
            else:
                pruning, page, microseconds = await run_in_thread(prune_response, *arguments)
            pruned_type = pruned_class(type(response))
            pruned: HtmlResponse = pruned_type.from_response(response, pruning, settings, page)
        except Exception as error:  # a page is never lost to its pruning: counted and logged below
            pruning, microseconds = self._failed(response, error), 0
            pruned = self._whole(response, pruning)
        if not self.crawler.crawling:  # in a shell, where somebody looks on
            pruning.selector_usage.tell = tell
        try:
            self._count(pruned, pruning, microseconds)
        except Exception as error:  # no figure is worth a page
            self._guard.failed(FIGURES, error)
        return pruned

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a download that failed for good."""
        if request.callback is not NO_CALLBACK and not isinstance(exception, IgnoreRequest):
            site = self.figures.site_of(request.url)
            self.figures.count(site, f"refused/{type(exception).__name__}")

    def switch_off(self, site: str) -> None:
        """Leave the pages of `site` alone from now on; of very many sites the first ones are forgotten."""
        self._off[site] = None
        if len(self._off) > _MOST_SITES_OFF:
            self._off.popitem(last=False)

    def applies(self, request: Request, response: HtmlResponse) -> bool:
        """Whether this page was fetched for a spider and has not been here yet."""
        return not isinstance(response, PrunedMixin) and request.callback is not NO_CALLBACK

    def _memory(self, url: str, settings: PageSettings) -> Any:
        """The memory of methods of the literature that need other pages of this site."""
        if not settings.enabled:
            return None
        strategy: Any = load_strategy(settings.strategy)
        if not getattr(strategy, "least_pages", 0):
            return None
        if self._pages is None:
            self._pages = strategy.new_memory()
        return self._pages.of(self.figures.site_of(url))

    def _failed(self, response: HtmlResponse, error: Exception) -> Pruning:
        with self._guard(LOG):
            logger.debug("Pruning %s failed", response, exc_info=error)
        text = type(error).__name__
        with suppress(Exception):  # exceptions of others may fail to tell what they are
            text += f": {error}"
        return Pruning(response.body, Selection(ERROR), url=response.url, error=text)

    def _whole(self, response: HtmlResponse, pruning: Pruning) -> HtmlResponse:
        try:
            return pruned_class(type(response)).from_response(response, pruning)
        except Exception as error:  # a class that can't be combined; the failure itself is counted and logged
            with self._guard(LOG):
                logger.debug("%s keeps its class", response, exc_info=error)
            return response

    def _count(self, response: Response, pruning: Pruning, microseconds: int) -> None:
        url = response.url
        site = self.figures.site_of(url)
        counts = page_counts(pruning, microseconds)
        if response.status != HTTPStatus.OK:
            counts[f"refused/HTTP {response.status}"] = 1
        self.figures.add(site, counts)
        if pruning.outcome == ERROR and site not in self._logged:
            if len(self._logged) < _MOST_SITES_LOGGED:
                self._logged.add(site)
            logger.warning(
                "%(url)s was not pruned because pruning failed: %(error)s. Further pages of %(site)s that fail "
                "are counted (tps/outcome/error), not logged.",
                {"url": url, "error": printable(pruning.error or ""), "site": site},
                extra={"spider": self.crawler.spider},
            )


class AutoKeeps:
    """Selectors of parts that stay on the pages of sites from now on, like ``TPS_KEEP``.

    The first of very many sites are forgotten.

    :param shared: those of the other processes of the job, which are told what is kept here; None where there are none.
    """

    def __init__(self, shared: KeptSelectors | None = None) -> None:
        self._kept: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._shared = shared

    def remember(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take over the selectors of earlier crawls or other processes; those that can't be read are left out."""
        for site, selector in kept:
            if _is_selector(selector):
                self._kept[site] = tuple(dict.fromkeys((*self._kept.get(site, ()), selector)))
                if len(self._kept) > _MOST_SITES_KEPT:
                    self._kept.popitem(last=False)

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site, those that other processes found included."""
        if self._shared is not None:
            self.remember(self._shared.news())
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        for selector in selectors:
            self.remember([(site, selector)])
            if self._shared is not None:
                self._shared.add(site, selector)


def _is_selector(text: str) -> bool:
    """Whether a text is a selector; it is none where another program has written it."""
    try:
        compile_selector(text)
    except ValueError:
        return False
    return True


def _figures_of(crawler: Crawler) -> CrawlFigures:
    """Return what counts the pages of a crawl.

    The figures of :class:`~scrapy_tps.statscollectors.TpsStatsCollector` where that is the crawl's stats
    collector; else figures that are mirrored into the stats there are, and not kept on disk.
    """
    figures = getattr(crawler.stats, "sites", None)
    if isinstance(figures, CrawlFigures):
        return figures
    site_of = site_function(crawl_setting(crawler.settings, "TPS_STATS_SITE"))
    return CrawlFigures(stats_of(crawler), site_of=site_of)


def tell(answer: Answer) -> None:
    """Log that an answer came from the page as downloaded."""
    had = {
        EMPTY: "has no match",
        PARTIAL: f"has {answer.found:,} for it, a part of a list",
        OTHER: "has something else for it",
    }
    where = "" if answer.xpath is None else f", in {answer.xpath}"
    rule = "" if answer.rule is None else f", removed by the rule {answer.rule}"
    logger.info(
        "From the original: %(query)s. The pruned page %(had)s, the original %(given)s%(where)s%(rule)s.",
        {
            "query": printable(answer.query),
            "had": had[answer.kind],
            "given": f"{answer.given:,}",
            "where": where,
            "rule": rule,
        },
    )


def prune_response(
    response: HtmlResponse, settings: PageSettings, memory: Any = None
) -> tuple[Pruning, WrittenPage | None, int]:
    """Return the pruning of a response, what it is to look like, and the microseconds of processor time it took.

    That is the time of the thread it runs in: other work of the process does not stretch it. Touches nothing but the
    response, so that it may run in a thread.

    Bodies that are not decoded (binary, larger than ``TPS_MAX_BYTES``) are not asked for their encoding
    either: guessing it costs seconds.
    """
    started = time.thread_time_ns()
    body = response.body
    written = None
    if not settings.enabled or response.status not in settings.status_codes:
        switch = "TPS_STATUS_CODES" if settings.enabled else settings.switch
        settings = replace(settings, enabled=False, switch=switch)
        pruning = prune_page(body, None, settings, url=response.url, encoding=response.encoding)
    elif document.is_binary(body) or len(body) > settings.max_bytes:
        pruning = prune_page(body, None, settings, url=response.url)
    else:
        encoding = document.readable_encoding(body, response.encoding)
        page = read_page(response, encoding)
        pruning = prune_page(body, page, settings, url=response.url, encoding=encoding, memory=memory)
        if pruning._root is not None:
            written = write_page(response, pruning, page)
    return pruning, written, (time.thread_time_ns() - started + 500) // 1000


logger = logging.getLogger(__name__)


class TpsOffMiddleware:
    """Give HTML pages ``response.tps`` and ``response.original`` while pruning is switched off altogether.

    Every page has the outcome ``excluded``, by ``TPS_ENABLED``, whatever ``TPS_DOMAINS`` and ``Request.meta`` say; the
    body is as downloaded and nothing is parsed, counted or logged. The add-on enables it instead of
    :class:`~scrapy_tps.downloadermiddlewares.pruning.TpsMiddleware` and all other components. Raises
    ``NotConfigured`` if ``TPS_ENABLED`` is on.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if CrawlSettings(crawler.settings).base.enabled:
            raise NotConfigured("TPS_ENABLED is True")
        return cls()

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the page whole, in the class that pruned pages have."""
        if (
            not isinstance(response, HtmlResponse)
            or isinstance(response, PrunedMixin)
            or request.callback is NO_CALLBACK
        ):
            return response
        pruning = Pruning(
            response.body,
            Selection(EXCLUDED),
            url=response.url,
            encoding=response.encoding,
            excluded_by="TPS_ENABLED",
        )
        try:
            return pruned_class(type(response)).from_response(response, pruning)
        except Exception:  # a class that can't be combined; a page is never lost
            with suppress(Exception):  # what logs may be what fails
                logger.debug("%s keeps its class", response, exc_info=True)
            return response
