"""A line about pruning in the log while a crawl runs, as often as Scrapy's own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TpsLogStats:
    """Log every ``LOGSTATS_INTERVAL`` seconds how many pages were pruned, how much of them, and which sites raise
    alarms.

    Reads Scrapy's stats, so that it works with any stats collector. With an interval of 0, or with
    ``TPS_ENABLED`` off, there is no line.
    """

    def __init__(self, crawler: Crawler, interval: float) -> None:
        self.crawler = crawler
        self.interval = interval
        self._pages = 0
        self._task: AsyncioLoopingCall | LoopingCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if not interval:
            raise NotConfigured("LOGSTATS_INTERVAL is 0")
        extension = cls(crawler, interval)
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        self._task = create_looping_call(self.log)
        self._task.start(self.interval, now=False)

    def spider_closed(self) -> None:
        if self._task is not None and self._task.running:
            self._task.stop()

    def log(self) -> None:
        """Write the line."""
        get = self.crawler.stats.get_value
        pages, nodes = get("tps/pages", 0), get("tps/nodes/before", 0)
        rate = (pages - self._pages) * 60 / self.interval
        self._pages = pages
        logger.info(
            "Pruned %(pruned)d of %(pages)d pages (at %(rate)d pages/min), removed %(share)s of the nodes; "
            "sites with alarms: %(alarms)d",
            {
                "pruned": get("tps/outcome/pruned", 0),
                "pages": pages,
                "rate": rate,
                "share": f"{1 - get('tps/nodes/after', 0) / nodes:.1%}" if nodes else "nothing",
                "alarms": get("tps/sites_with_alarms", 0),
            },
            extra={"spider": self.crawler.spider},
        )
