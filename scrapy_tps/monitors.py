"""A monitor for spidermon that fails a crawl whose summary has findings.

For spidermon (the extra ``spidermon``); nothing else of scrapy-tps imports this module.
"""

from __future__ import annotations

from typing import ClassVar

from spidermon import MonitorSuite, monitors
from spidermon.contrib.scrapy.monitors import BaseScrapyMonitor

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.extensions import TpsFigures


@monitors.name("Summary of scrapy-tps")
class SummaryMonitor(BaseScrapyMonitor):
    """The summary of the crawl has no findings; otherwise they are the message.

    Skipped if scrapy-tps is switched off.
    """

    def test_findings(self) -> None:
        figures = self.crawler.get_extension(TpsFigures)
        middleware = self.crawler.get_downloader_middleware(TpsMiddleware)
        if figures is None or middleware is None or not middleware.enabled:
            self.skipTest("scrapy-tps does not prune this crawl")
        summary = figures.summary()
        if summary.findings:
            self.fail("\n".join(summary.lines()))


class TpsMonitorSuite(MonitorSuite):
    """The monitor of scrapy-tps::

    SPIDERMON_SPIDER_CLOSE_MONITORS = ["scrapy_tps.monitors.TpsMonitorSuite"]
    """

    monitors: ClassVar[list[type]] = [SummaryMonitor]
