"""The spider middleware: items per site, pages that gave none, and which page an item came from."""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.http import Request
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.report.terminal import printable
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.spidermiddlewares.callbacks import callback_name
from scrapy_tps.stats.figures import counted
from scrapy_tps.stats.guard import FIGURES, STAMPS
from scrapy_tps.stats.guarded import stats_of
from scrapy_tps.stats.queries import FINDS_NOTHING, asker_of
from scrapy_tps.stats.query_watch import QueryWatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.stats.aggregation import CrawlFigures

logger = logging.getLogger(__name__)

#: Items on their way from spider to pipeline whose stamp is remembered. Scrapy processes ``CONCURRENT_ITEMS``
#: (100) of a page at a time; more than that many pages' worth only pile up where another component drops
#: items in between.
MOST_ITEMS = 2_000


@dataclass(slots=True)
class _Page:
    """The outputs of a page's callback so far, and whether it raised an exception."""

    items: int = 0
    requests: int = 0
    failed: bool = False

    @property
    def given(self) -> int:
        """The items; none where the callback raised: what it gave before is not all that the page holds."""
        return 0 if self.failed else self.items


class TpsSpiderMiddleware(BaseSpiderMiddleware):
    """Counts per site the items scraped, the pages that gave none, and those that gave no request either.

    Pages whose callback raised an exception are among those without items, and counted as such, too.

    With ``TPS_ITEM_FIELD`` it also remembers how the page of each item was pruned until
    :class:`~scrapy_tps.pipelines.pruning.TpsPipeline` asks. When the callback has ended, the response stops holding its
    tree. Passes everything on unchanged. Does nothing if
    :class:`~scrapy_tps.downloadermiddlewares.pruning.TpsMiddleware` is not enabled.

    Items are counted after all pipelines (signal ``item_scraped``); dropped items are not counted.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._figures: CrawlFigures | None = None
        self._stats = stats_of(crawler)
        self._guard = self._stats.guard
        self._stamping = crawl_setting(crawler.settings, "TPS_ITEM_FIELD") is not None
        self._stamps: OrderedDict[int, tuple[Any, dict[str, Any]]] = OrderedDict()
        self._parsed: dict[int, _Page] = {}  # by id of the response: those whose output is passing
        self._depth_limit: int = crawler.settings.getint("DEPTH_LIMIT")
        self._queries = QueryWatch(crawl_setting(crawler.settings, "TPS_QUERY_PAGES"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(middleware.item_scraped, signal=signals.item_scraped)
        return middleware

    def spider_opened(self) -> None:
        downloader_middleware = self.crawler.get_downloader_middleware(TpsMiddleware)
        self._figures = downloader_middleware.figures if downloader_middleware else None

    def item_scraped(self, response: Response | None) -> None:
        if self._figures is not None and isinstance(response, PrunedMixin):
            self._figures.record_items(self._figures.site_of(response.url), 1)

    def stamp(self, item: Any) -> dict[str, Any] | None:
        """Return how the page of `item` was pruned, only once per item; None if it is not known."""
        found = self._stamps.pop(id(item), None)
        return found[1] if found is not None else None

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterable[Any]:  # type: ignore[override]
        """Pass everything on; remember items, count pages without items."""
        with self._parsing(response) as page:
            for output in result:
                self._see(output, response, page)
                yield output

    async def process_spider_output_async(  # type: ignore[override]
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Like :meth:`process_spider_output`."""
        with self._parsing(response) as page:
            async for output in result:
                self._see(output, response, page)
                yield output

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Count a page whose callback raised.

        A callback that is a generator raises again where its output is passed on, and is counted there, unless another
        middleware replaces the output.
        """
        page = self._parsed.get(id(response))
        if page is not None:
            page.failed = _is_failure(exception)
        else:
            self._through_with(response, _Page(failed=_is_failure(exception)))

    @contextmanager
    def _parsing(self, response: Response) -> Iterator[_Page]:
        """Count the page when its callback has ended; not where its output is given up half-way."""
        page = self._parsed[id(response)] = _Page()
        try:
            yield page
        except Exception as error:
            page.failed = _is_failure(error)
            self._through_with(response, page)
            raise
        else:
            self._through_with(response, page)
        finally:
            self._parsed.pop(id(response), None)

    def _see(self, output: Any, response: Response, page: _Page) -> None:
        if output is None:
            return
        if isinstance(output, Request):
            page.requests += 1
            return
        page.items += 1
        if self._stamping and isinstance(response, PrunedMixin):
            with self._guard(STAMPS):
                # the item itself is held, so that its id stays its own until the pipeline asks
                self._stamps[id(output)] = (output, _stamp(response.tps))
                if len(self._stamps) > MOST_ITEMS:
                    self._stamps.popitem(last=False)

    def _through_with(self, response: Response, page: _Page) -> None:
        """Count a page whose callback has ended, and let go of its tree."""
        if not isinstance(response, PrunedMixin):
            return
        response.release_selector()
        if self._figures is not None:
            with self._guard(FIGURES):
                self._count_page(self._figures, response, page)
                self._count_queries(self._figures, response)

    def _count_page(self, figures: CrawlFigures, response: PrunedMixin, page: _Page) -> None:
        site = figures.site_of(response.url)
        figures.record_parsed(site, page.items, pruned=response.tps.pruned)
        if response.tps.asked.looked:
            figures.record_asked(site, response.tps.asked.figures())
        if not page.given:
            silent = not (page.items or page.requests or self._too_deep(response))
            figures.record_empty_page(site, silent=silent, failed=page.failed)

    def _count_queries(self, figures: CrawlFigures, response: PrunedMixin) -> None:
        """Count what the callback asked the page for; tell of queries that have stopped finding anything."""
        queries = response.tps.asked.queries
        if not queries:
            return
        site = figures.site_of(response.url)
        callback = callback_name(response.request) if response.request is not None else ""
        counts = [(asker_of(callback, query), heard) for query, heard in queries.as_written()]
        figures.record_queries(site, counts)
        for asker, stopped in self._queries.page(site, counts):
            figures.record_alarm(site, FINDS_NOTHING)
            logger.warning(
                "%(query)s finds nothing on %(site)s any more (callback %(callback)s): it found something on %(found)s "
                "of %(before)s, and nothing on the last %(dry)s, up to %(url)s%(where)s. If the site has changed its "
                "template, so must the selector. All selectors: scrapy tps-report --queries.",
                {
                    "query": printable(asker.query),
                    "site": site,
                    "callback": printable(callback),
                    "found": f"{stopped.found_pages:,}",
                    "before": counted(stopped.pages - stopped.dry, "page"),
                    "dry": f"{stopped.dry:,}",
                    "url": response.url,
                    "where": _where_not(response),
                },
                extra={"spider": self.crawler.spider},
            )

    def _too_deep(self, response: Response) -> bool:
        """Whether requests of the page are dropped (``DEPTH_LIMIT``) before they can be seen here."""
        if not self._depth_limit or response.request is None:
            return False
        return int(response.meta.get("depth", 0)) >= self._depth_limit


def _where_not(response: PrunedMixin) -> str:
    """Whether pruning may be why a query found nothing."""
    if not response.tps.pruned:
        return ", which was kept whole"
    if response.tps.ask:
        return "; the pages as downloaded have nothing, either"
    return "; that may be due to pruning, as TPS_ASK is off"


def _is_failure(exception: Exception) -> bool:
    return not isinstance(exception, CloseSpider)  # which is how a callback ends a crawl on purpose


def _stamp(pruning: Pruning) -> dict[str, Any]:
    strategy = pruning.strategy
    return {
        "outcome": pruning.outcome,
        "strategy": strategy if strategy is None or isinstance(strategy, str) else repr(strategy),
        "reduction": round(pruning.reduction, 4),
        "raw_nodes": pruning.raw_nodes,
        "kept_nodes": pruning.kept_nodes,
    }
