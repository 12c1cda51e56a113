"""The stats collector: Scrapy's own, and the effect of pruning per site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.statscollectors import MemoryStatsCollector

from scrapy_tps.stats.aggregation import CrawlFigures, new_figures

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class TpsStatsCollector(MemoryStatsCollector):
    """Scrapy's default collector, with the DOM reduction of each site in :attr:`sites`.

    The add-on uses it where Scrapy's default stands. Any other collector gets the same attribute, and the totals as
    stats. :class:`scrapy_tps.extensions.TpsFigures` writes the figures and the summary.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.sites: CrawlFigures = new_figures(crawler, self)
        """The figures of the crawl."""
