"""The extension that keeps samples of each site's pages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from scrapy import signals
from scrapy.exceptions import NotConfigured

from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.database import HASTE
from scrapy_tps.stats.error_isolation import SAMPLES, is_crawl, stats_of
from scrapy_tps.stats.figures import site_function
from scrapy_tps.stats.samples import FILE_NAME, SampleStore
from scrapy_tps.statscollectors import in_data_directory

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from typing_extensions import Self


def samples_file(settings: BaseSettings) -> Path:
    """Return the path of ``tps-samples.sqlite``: next to ``TPS_STATS_FILE``, or in the project's data directory."""
    return in_data_directory(crawl_setting(settings, "TPS_STATS_FILE") or FILE_NAME).with_name(FILE_NAME)


class TpsSampling:
    """Keep ``TPS_SAMPLES`` of the newest and as many of the worst pages of each site, see :func:`samples_file`.

    The worst are those that pruning failed on, then those that lost the largest share of their visible text.
    Excluded pages and those fetched by a command are not kept.

    A file that somebody else has locked is waited for half a second once. While it can't be written, pages are not
    kept, and one every five seconds tries again. That is logged and counted
    (``tps/samples/errors``), and costs no page.
    """

    #: Seconds until a locked file is tried again.
    interval: ClassVar[float] = 5.0

    def __init__(self, crawler: Crawler, per_site: int) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._per_site = per_site
        self._path = samples_file(settings)
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

    def response_received(self, response: Response) -> None:
        """Keep the page if it went through scrapy-tps."""
        if not self._sampling or not isinstance(response, PrunedMixin) or response.raw_body is None:
            return
        now = time.monotonic()
        if response.tps.outcome == EXCLUDED or (self._again is not None and now < self._again):
            return
        try:
            self._keep(response, response.raw_body, HASTE if self._again is None else 0.0)
            self._again = None
        except Exception as error:
            self._again = time.monotonic() + self.interval
            self._stats.inc_value("tps/samples/errors")
            self._stats.guard.failed(SAMPLES, error)

    def _keep(self, response: PrunedMixin, body: bytes, patience: float) -> None:
        if self._store is None:
            self._store = SampleStore(self._path, per_site=self._per_site, create=True, patience=patience)
        self._store.wait(patience)
        spider = self.crawler.spider.name if self.crawler.spider else ""
        self._store.add(self._site_of(response.url), spider, response.url, response.tps, body)
        self._stats.inc_value("tps/samples")

    def spider_closed(self) -> None:
        self._sampling = False
        store, self._store = self._store, None
        if store is not None:
            with self._stats.guard(SAMPLES):
                store.close()
