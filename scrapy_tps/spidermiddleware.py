"""The spider middleware: which page each item came from, and which pages gave none."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import Request
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_tps.middleware import TpsMiddleware
from scrapy_tps.response import PrunedMixin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_tps.crawlfigures import CrawlFigures
    from scrapy_tps.pruning import Pruning

#: Items on their way from spider to pipeline whose page is remembered; Scrapy holds far fewer
#: (``CONCURRENT_ITEMS`` a page).
MOST_ITEMS = 10_000


class TpsSpiderMiddleware(BaseSpiderMiddleware):
    """Remembers how the page of each item was pruned, for :class:`~scrapy_tps.pipelines.TpsPipeline`.

    Also counts the pages that gave no item. Passes everything on unchanged. Does nothing where
    :class:`~scrapy_tps.middleware.TpsMiddleware` is not enabled.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._figures: CrawlFigures | None = None
        self._origins: OrderedDict[int, tuple[Any, str, Pruning]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        return middleware

    def spider_opened(self) -> None:
        downloader_middleware = self.crawler.get_downloader_middleware(TpsMiddleware)
        self._figures = downloader_middleware.figures if downloader_middleware else None

    def origin(self, item: Any) -> tuple[str, Pruning] | None:
        """Return site and pruning of the page that `item` came from, once; None where it is not known."""
        found = self._origins.pop(id(item), None)
        return found[1:] if found is not None else None

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterable[Any]:  # type: ignore[override]
        """Pass everything on; remember items, count pages without."""
        items = 0
        for output in result:
            items += self._seen(output, response)
            yield output
        self._count_page(response, items)

    async def process_spider_output_async(  # type: ignore[override]
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Like :meth:`process_spider_output`."""
        items = 0
        async for output in result:
            items += self._seen(output, response)
            yield output
        self._count_page(response, items)

    def _seen(self, output: Any, response: Response) -> bool:
        if isinstance(output, Request):
            return False
        if self._figures is not None and isinstance(response, PrunedMixin):
            # the item itself is held, so that its id stays its own until the pipeline asks
            self._origins[id(output)] = (output, self._figures.site_of(response.url), response.tps)
            if len(self._origins) > MOST_ITEMS:
                self._origins.popitem(last=False)
        return True

    def _count_page(self, response: Response, items: int) -> None:
        if self._figures is not None and not items and isinstance(response, PrunedMixin):
            self._figures.record_empty_page(self._figures.site_of(response.url))
