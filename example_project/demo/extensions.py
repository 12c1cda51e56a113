"""Serve the demo sites for as long as a spider is open; wait for other processes before it ends."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, NotConfigured

from demo.sites.server import SitesServer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class DemoSites:
    """Runs one HTTP server, on a free port of 127.0.0.1, that answers for every host of :mod:`demo.sites`.

    The server has threads of its own, so it works with any reactor and without one.
    """

    def __init__(self) -> None:
        self.server: SitesServer | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        sites = cls()
        crawler.signals.connect(sites.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(sites.engine_stopped, signal=signals.engine_stopped)
        return sites

    def spider_opened(self) -> None:
        self.server = SitesServer()
        self.server.start()
        logger.info("Demo sites are served at %s, as an HTTP proxy", self.server.url)

    def engine_stopped(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None


class WaitForOthers:
    """Keeps a spider open until it has had nothing to do for ``WAIT_FOR_OTHERS`` seconds.

    If many processes share a queue, an empty queue does not mean the end: another process may be about to fill it.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.last_busy = time.monotonic()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("WAIT_FOR_OTHERS")
        if not seconds:
            raise NotConfigured("WAIT_FOR_OTHERS is 0")
        extension = cls(seconds)
        crawler.signals.connect(extension.busy, signal=signals.request_reached_downloader)
        crawler.signals.connect(extension.spider_idle, signal=signals.spider_idle)
        return extension

    def busy(self) -> None:
        self.last_busy = time.monotonic()

    def spider_idle(self) -> None:
        if time.monotonic() - self.last_busy < self.seconds:
            raise DontCloseSpider
