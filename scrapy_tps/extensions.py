"""Extensions: a line about pruning in the log at Scrapy's interval, and samples of each site's pages."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.database import HASTE, Patience, StoreLocked
from scrapy_tps.stats.error_isolation import LOG, SAMPLES, is_crawl, stats_of
from scrapy_tps.stats.figures import site_function
from scrapy_tps.stats.samples import FILE_NAME, SampleStore
from scrapy_tps.statscollectors import in_data_directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall
    from typing_extensions import Self

    from scrapy_tps.stats.aggregation import CrawlFigures

logger = logging.getLogger(__name__)


class TpsLogStats:
    """Log every ``LOGSTATS_INTERVAL`` seconds how many pages were pruned, how much of them, and which sites raise
    alarms.

    The figures are those of this process: a stats collector may hold those of several processes, or none. There is no
    line with an interval of 0, with ``TPS_ENABLED`` off, or if a command fetches the pages.
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
            raise NotConfigured  # without a reason, which Scrapy would log: the shell sets the interval to 0
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


def samples_file(settings: BaseSettings) -> Path:
    """Return the path of ``tps-samples.sqlite``: next to ``TPS_STATS_FILE``, or in the project's data directory."""
    return in_data_directory(crawl_setting(settings, "TPS_STATS_FILE") or FILE_NAME).with_name(FILE_NAME)


class TpsSampling:
    """Keep ``TPS_SAMPLES`` of the newest and as many of the worst pages of each site, see :func:`samples_file`.

    The worst are those that pruning failed on, then those that lost the largest share of their visible text.
    Excluded pages, those whose original is dropped (``TPS_KEEP_ORIGINAL``), and those fetched by a command are not
    kept.

    If another process has locked the file, the crawl waits for half a second once. While the file stays locked, pages
    are not kept, and one page every ``TPS_STATS_INTERVAL`` seconds tries again. If the file can't be written, sampling
    ends. Both are logged and counted (``tps/samples/errors``), and cost no page.
    """

    def __init__(self, crawler: Crawler, per_site: int) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._per_site = per_site
        self._path = samples_file(settings)
        self._interval: float = crawl_setting(settings, "TPS_STATS_INTERVAL")
        self._site_of = site_function(crawl_setting(settings, "TPS_STATS_SITE"))
        self._stats = stats_of(crawler)
        self._store: SampleStore | None = None
        self._sampling = False
        self._again: float | None = None  # time.monotonic() at which a locked file is tried again

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        per_site = crawl_setting(crawler.settings, "TPS_SAMPLES")
        if not per_site:
            raise NotConfigured("TPS_SAMPLES is 0")
        extension = cls(crawler, per_site)
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.response_received, signal=signals.response_received)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        self._sampling = is_crawl(self.crawler)
        if self._sampling:
            self._try(self._open)

    def response_received(self, response: Response) -> None:
        """Keep the page if it went through scrapy-tps."""
        if not self._sampling or not isinstance(response, PrunedMixin):
            return
        pruning, body = response.tps, response.raw_body
        if body is None or pruning.outcome == EXCLUDED:
            return
        if self._again is not None and time.monotonic() < self._again:
            return
        self._try(lambda patience: self._keep(response, body, patience))

    def spider_closed(self) -> None:
        self._sampling = False
        store, self._store = self._store, None
        if store is not None:
            with self._stats.guard(SAMPLES):
                store.close()

    def _try(self, step: Callable[[float], object]) -> None:
        """Take a step with the file, without waiting if it was locked the last time."""
        try:
            step(HASTE if self._again is None else 0.0)
            self._again = None
        except StoreLocked as error:
            self._again = time.monotonic() + self._interval
            self._failed(error)
        except Exception as error:  # a lasting error: later pages must not pay for it
            self._failed(error)
            self.spider_closed()

    def _failed(self, error: Exception) -> None:
        self._stats.inc_value("tps/samples/errors")
        self._stats.guard.failed(SAMPLES, error)

    def _open(self, patience: float) -> SampleStore:
        if self._store is None:
            self._store = SampleStore(
                self._path,
                per_site=self._per_site,
                create=True,
                patience=patience,
            )
        return self._store

    def _keep(self, response: PrunedMixin, body: bytes, patience: float) -> None:
        spider = self.crawler.spider.name if self.crawler.spider else ""
        site = self._site_of(response.url)
        waiting = Patience(patience)
        with waiting.spent() as seconds:
            store = self._open(seconds)
        with waiting.spent() as seconds:
            store.add(site, spider, response.url, response.tps, body, patience=seconds)
        self._stats.inc_value("tps/samples")
