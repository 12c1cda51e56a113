"""The stats collector: Scrapy's stats as before, and the effect of pruning per site."""

# ruff: noqa: ARG002 -- the unused spider arguments belong to Scrapy's interface

from __future__ import annotations

import logging
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import signals
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import create_looping_call, run_in_thread
from scrapy.utils.deprecate import argument_is_required
from scrapy.utils.misc import load_object
from scrapy.utils.project import data_path

from scrapy_tps.report.crawl_report import Report, site_table, totals_line, wrong_sites
from scrapy_tps.report.feed import ReportFeed
from scrapy_tps.report.summary import Summary, summarise
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.sharing.connection import distributed_crawl_of
from scrapy_tps.stats.aggregation import CrawlFigures
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.error_isolation import (
    DISTRIBUTED,
    FIGURES,
    REPORT,
    STATS,
    Guard,
    IsolatedStats,
    is_crawl,
)
from scrapy_tps.stats.evidence import OFFSITE, gather, gave_items, marked
from scrapy_tps.stats.figures import site_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

logger = logging.getLogger(__name__)

#: The most sites in a report in the text format, which is for people. JSON and CSV list all.
TEXT_REPORT_SITES = 1000

#: The most rows of the table in the log, and of sites that look wrong there.
LOG_SITES = 20

#: The most hosts with filtered requests that are recorded.
MOST_OFFSITE = 10


def in_data_directory(path: str) -> Path:
    """Return an absolute path unchanged, a relative one in the data directory (the project's or ``./.scrapy``)."""
    try:
        return Path(data_path(path))
    except NotConfigured:
        # SCRAPY_SETTINGS_MODULE names a project, but there is no scrapy.cfg
        return Path(".scrapy", path)
    except OSError as error:
        # Scrapy creates the directory, which fails on a read-only file system; opening the file then fails in the same
        # way, and is handled
        return Path(error.filename or ".scrapy", path)


def _wrapped_class(value: Any) -> Callable[[Crawler], StatsCollector]:
    try:
        found = load_object(value)
    except (ImportError, NameError, ValueError) as error:
        raise ValueError(f"TPS_STATS_CLASS is {value!r}, which cannot be imported: {error}") from error
    if isinstance(found, type) and issubclass(found, TpsStatsCollector):
        raise ValueError(f"TPS_STATS_CLASS is {value!r}; allowed: a stats collector to wrap, not this one")
    collector: Callable[[Crawler], StatsCollector] = found
    return collector


class TpsStatsCollector(StatsCollector):
    """Records the DOM reduction per site in addition to Scrapy's stats.

    Scrapy's stats go to the collector named by :setting:`TPS_STATS_CLASS`, which the add-on sets to the
    ``STATS_CLASS`` it finds; attributes that only that collector has are available here, too. If it raises, the crawl
    goes on without that stat: see :attr:`guard`.

    The figures are in :attr:`sites`. They are written to :setting:`TPS_STATS_FILE` every
    :attr:`interval` seconds and when the spider closes. When the spider closes, the report goes to
    :setting:`TPS_REPORT`, and the summary with a table of 20 sites to the log. Pages that a command fetches to show
    them (:func:`~scrapy_tps.stats.error_isolation.is_crawl`) are counted in Scrapy's stats only.

    Raises ``ValueError`` if one of these settings is wrong.
    """

    #: Seconds between two writes of the figures: a killed crawl loses those of the last ones.
    interval: ClassVar[float] = 5.0

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._wrapped: StatsCollector = _wrapped_class(crawl_setting(settings, "TPS_STATS_CLASS"))(crawler)
        self._file: str | None = crawl_setting(settings, "TPS_STATS_FILE")
        self._distributed = distributed_crawl_of(settings)
        self._feeds = [ReportFeed(crawler, uri) for uri in crawl_setting(settings, "TPS_REPORT")]
        self._selector_pages: int = crawl_setting(settings, "TPS_SELECTOR_PAGES")
        self._task: AsyncioLoopingCall | LoopingCall | None = None
        self._started = datetime.now(timezone.utc)
        self._is_crawl = False
        self._prunes: bool = crawl_setting(settings, "TPS_ENABLED")
        self.guard = Guard(crawler)
        """Handles failures of counting, sampling, logging and reporting in this crawl."""
        self._isolated = IsolatedStats(self._wrapped, self.guard)
        self.sites = CrawlFigures(
            self._isolated,
            site_of=site_function(crawl_setting(settings, "TPS_STATS_SITE")),
        )
        """The figures of the crawl."""
        # each stat goes straight to the wrapped collector
        vars(self).update(self._isolated.methods)
        crawler.signals.connect(self._spider_closed, signal=signals.spider_closed)

    # Scrapy's own looks up two names and wraps the result, for each of the twenty stats of a page; the wrapped
    # collector does that already
    __getattribute__ = object.__getattribute__

    def __getattr__(self, name: str) -> Any:
        # only called for attributes that neither this class nor StatsCollector has
        if name.startswith("_cached_") or name == "_wrapped":
            raise AttributeError(name)
        return getattr(self._wrapped, name)

    def __str__(self) -> str:
        return str(self._wrapped)

    def open_spider(self, spider: Spider | None = None) -> None:
        try:
            for feed in self._feeds:
                feed.check()
        except ValueError:
            self._feeds.clear()  # the crawl ends here, with this error alone
            raise
        self._is_crawl = is_crawl(self._crawler)
        if self._is_crawl:
            self._join_distributed_crawl()
        self._call_wrapped(self._wrapped.open_spider)
        if not self._is_crawl:
            return
        current = self._crawler.spider
        assert current is not None
        if self._file is not None:
            name = crawl_setting(self._crawler.settings, "TPS_DISTRIBUTED_CRAWL")
            self.sites.open_store(in_data_directory(self._file), current.name, distributed_crawl=name)
        if self._file is not None or self._distributed is not None:
            self._task = create_looping_call(self.sites.flush)
            self._task.start(self.interval, now=False)

    def _join_distributed_crawl(self) -> None:
        """Open the store of the distributed crawl; raise ``ValueError`` if that is impossible."""
        spider = self._crawler.spider
        if self._distributed is None or spider is None:
            return
        from scrapy_tps.sharing.member import CrawlMember  # noqa: PLC0415 (needs an extra)

        shared = CrawlMember(self._distributed, spider.name, max_sites=self.sites.max_sites, guard=self.guard)
        try:
            shared.open()
        except StoreError as error:
            self._feeds.clear()  # the crawl ends here, with this error alone
            raise ValueError(f"TPS_STORE can't be used: {error}") from error.__cause__
        self.sites.shared = shared

    def close_spider(self, spider: Spider | None = None, reason: str | None = None) -> None:
        if self._task is not None and self._task.running:
            self._task.stop()
        self.sites.finish(reason or "")
        if self.sites.shared is not None:
            with self.guard(DISTRIBUTED):
                self.sites.shared.finish(reason or "")()
                self.sites.shared.close()
        if self.sites.store_errors:
            self._isolated.set_value("tps/store/errors", self.sites.store_errors)
        summary = None
        if self._is_crawl and (self.sites.total["pages"] or self._prunes):
            with self.guard(REPORT):
                summary = self.summary()
                self._isolated.set_value("tps/findings", len(summary.findings))
        for name, times in list(self.guard.failures.items()):
            self._isolated.set_value(f"tps/failures/{name}", times)
        self._call_wrapped(self._wrapped.close_spider, reason=reason)
        if summary is not None:  # after Scrapy's stats, so that it ends the log
            with self.guard(REPORT):
                self._log_summary(summary)
        self.sites.close()

    def _call_wrapped(self, method: Callable[..., None], **arguments: Any) -> None:
        # Scrapy itself still passes the spider to collectors that require it
        with self.guard(STATS):
            if argument_is_required(method, "spider"):
                arguments["spider"] = self._crawler.spider
            method(**arguments)

    def _note_offsite(self) -> None:
        """If there are no items, record the hosts whose requests Scrapy filtered as offsite."""
        middleware = self._crawler.get_downloader_middleware(OffsiteMiddleware)
        if middleware is not None and not gave_items(self.sites.total):
            for host in sorted(middleware.domains_seen)[:MOST_OFFSITE]:
                self.sites.record_alarm(self.sites.site_of(f"http://{host}/"), OFFSITE)

    async def _spider_closed(self, reason: str) -> None:
        with self.guard(FIGURES):
            self._note_offsite()
        self.sites.finish(reason)
        if self.sites.shared is not None:
            with self.guard(DISTRIBUTED):
                # the other spiders of the process continue meanwhile
                await run_in_thread(self.sites.shared.finish(reason))
        for feed in self._feeds if self._is_crawl else ():
            with self.guard(REPORT):
                await feed.write(self._report(reason, TEXT_REPORT_SITES if feed.format == "txt" else None))

    def _report(self, reason: str, limit: int | None) -> Report:
        spider = self._crawler.spider
        assert spider is not None
        summary = self.summary(TEXT_REPORT_SITES)
        return Report(
            title=f"DOM reduction per site: spider {spider.name}, {reason}",
            about={
                "crawl": self.sites.crawl,
                "spider": spider.name,
                "started": self._started.isoformat(),
                "finished": datetime.now(timezone.utc).isoformat(),
                "reason": reason,
            },
            total=self.sites.total,
            sites=marked(self.sites.sites(limit=limit), summary.reasons),
            summary=summary,
            site_count=summary.sites,
            uses=self.sites.uses(),
        )

    def summary(self, listed: int = LOG_SITES) -> Summary:
        """Return the summary of the crawl so far, by default in the form of the log at the end.

        :param listed: the most sites that look wrong in it.
        """
        spider = self._crawler.spider
        return summarise(
            self.sites.total,
            self.sites.sites(),
            spider=spider.name if spider is not None else None,
            listed=listed,
            failed_writes=lambda: self.sites.store_errors if self.sites.incomplete else 0,
            failures=self.guard.failures,
            evidence=gather(self.sites.uses(), self.sites.earlier(), self._selector_pages),
        )

    def _log_summary(self, summary: Summary) -> None:
        """Log the summary and the table, as a warning if there are findings."""
        lines = summary.lines()
        if self.sites.total["pages"]:
            lines += [
                "DOM reduction per site (most pages first):",
                *site_table(self.sites.sites(limit=LOG_SITES), summary.sites),
                totals_line(self.sites.total),
                *wrong_sites(summary),
            ]
        if self.sites.crawl is not None and self.sites.total["pages"]:
            lines.append(f"All sites: scrapy tps-report {self.sites.crawl}")
        if self._distributed is not None:
            lines.append(f"All processes: scrapy tps-report --distributed-crawl {self._distributed.name}")
        level = logging.WARNING if summary.findings else logging.INFO
        logger.log(level, "%s", "\n".join(lines), extra={"spider": self._crawler.spider})
