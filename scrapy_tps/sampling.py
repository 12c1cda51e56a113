"""Keeps a sample of each site's pages while a crawl runs, to be viewed with ``scrapy tps-view``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from scrapy_tps.database import StoreError
from scrapy_tps.pruning import EXCLUDED
from scrapy_tps.response import PrunedMixin
from scrapy_tps.samples import SampleStore
from scrapy_tps.settings import crawl_setting
from scrapy_tps.sites import site_function
from scrapy_tps.statscollectors import in_data_directory

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TpsSampling:
    """Keep ``TPS_SAMPLES`` of the newest and as many of the worst pages of each site in ``TPS_SAMPLES_FILE``.

    The worst are those that pruning failed on, then those that lost the largest share of their visible text.
    Pages that are excluded, and those whose original is dropped (``TPS_KEEP_ORIGINAL``), are not kept. A file
    that can't be written ends the sampling, is logged and counted (``tps/samples/errors``), and costs no page.
    """

    def __init__(self, crawler: Crawler, store: SampleStore) -> None:
        self.crawler = crawler
        self._store: SampleStore | None = store
        self._site_of = site_function(crawl_setting(crawler.settings, "TPS_STATS_SITE"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        per_site = crawl_setting(settings, "TPS_SAMPLES")
        if not per_site:
            raise NotConfigured("TPS_SAMPLES is 0")
        path = in_data_directory(crawl_setting(settings, "TPS_SAMPLES_FILE"))
        max_bytes = crawl_setting(settings, "TPS_SAMPLES_BYTES")
        try:
            store = SampleStore(path, per_site=per_site, max_bytes=max_bytes, create=True)
        except StoreError as error:
            raise NotConfigured(f"no samples are kept: {error}") from error
        extension = cls(crawler, store)
        crawler.signals.connect(extension.response_received, signal=signals.response_received)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def response_received(self, response: Response) -> None:
        """Keep the page, if it is one that went through scrapy-tps."""
        if self._store is None or not isinstance(response, PrunedMixin):
            return
        pruning, body = response.tps, response.raw_body
        if body is None or pruning.outcome == EXCLUDED:
            return
        spider = self.crawler.spider.name if self.crawler.spider else ""
        try:
            self._store.add(self._site_of(response.url), spider, response.url, pruning, body)
        except StoreError as error:
            logger.error("No more samples are kept: %s", error, extra={"spider": self.crawler.spider})
            self.crawler.stats.inc_value("tps/samples/errors")
            self.spider_closed()
        else:
            self.crawler.stats.inc_value("tps/samples")

    def spider_closed(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()
