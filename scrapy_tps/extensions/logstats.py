"""A line about pruning in the log while a crawl runs, as often as Scrapy's own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.stats.crawl_kind import is_crawl
from scrapy_tps.stats.guard import LOG

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall
    from typing_extensions import Self

    from scrapy_tps.stats.aggregation import CrawlFigures

logger = logging.getLogger(__name__)


class TpsLogStats:
    """Log every ``LOGSTATS_INTERVAL`` seconds how many pages were pruned, how much of them, and which sites raise
    alarms.

    Reads the crawl's own figures: a stats collector may hold those of several processes, or none. With an interval of
    0, with ``TPS_ENABLED`` off, and where a command fetches pages to look at, there is no line.
    """

    def __init__(self, crawler: Crawler, interval: float) -> None:
        self.crawler = crawler
        self.interval = interval
        self._pages = 0
        self._figures: CrawlFigures | None = None
        self._task: AsyncioLoopingCall | LoopingCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if not interval:
            raise NotConfigured  # without a reason, of which Scrapy warns: the shell sets it to 0
        extension = cls(crawler, interval)
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        middleware = self.crawler.get_downloader_middleware(TpsMiddleware)
        if middleware is None or not is_crawl(self.crawler):
            return
        self._figures = middleware.figures
        self._task = create_looping_call(self.log)
        self._task.start(self.interval, now=False)

    def spider_closed(self) -> None:
        if self._task is not None and self._task.running:
            self._task.stop()

    def log(self) -> None:
        """Write the line."""
        if self._figures is None:
            return
        with self._figures.guard(LOG):
            total = self._figures.total
            rate = (total["pages"] - self._pages) * 60 / self.interval
            self._pages = total["pages"]
            removed = (
                f"{1 - total['nodes/after'] / total['nodes/before']:.1%}"
                if total["nodes/before"]
                else "nothing"
            )
            logger.info(
                "Pruned %(pruned)d of %(pages)d pages (at %(rate)d pages/min), removed %(share)s of the nodes; "
                "sites with alarms: %(alarms)d",
                {
                    "pruned": total.pruned,
                    "pages": total["pages"],
                    "rate": rate,
                    "share": removed,
                    "alarms": len(self._figures.alarmed),
                },
                extra={"spider": self.crawler.spider},
            )
