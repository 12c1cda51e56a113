"""The extensions: the figures per site with their file, summary and report; and samples of each site's pages."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final
from zlib import crc32

from scrapy import signals
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.asyncio import create_looping_call, run_in_thread
from scrapy.utils.project import data_path, inside_project

from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.proposals.crawl import CrawlMemory
from scrapy_tps.report.causes import Commands
from scrapy_tps.report.crawl_report import Report, site_table, totals_line, wrong_sites
from scrapy_tps.report.feed import ReportFeed
from scrapy_tps.report.findings import findings_of_failures
from scrapy_tps.report.summary import Summary, summarise
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.sharing.connection import distributed_crawl_of
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.database import HASTE, StoreError, now
from scrapy_tps.stats.error_isolation import DISTRIBUTED, FIGURES, REPORT, SAMPLES, is_crawl
from scrapy_tps.stats.evidence import OFFSITE, gather, gave_items
from scrapy_tps.stats.samples import FILE_NAME, SampleStore

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall
    from typing_extensions import Self

logger = logging.getLogger(__name__)

#: The most sites in a report in the text format, which is for people. JSON and CSV list all.
TEXT_REPORT_SITES: Final = 1000

#: The most rows of the table in the log, and of sites that look wrong there.
LOG_SITES: Final = 20

#: The most hosts with filtered requests that are recorded.
MOST_OFFSITE: Final = 10


def _arguments(spider: Spider) -> int:
    """Return a hash of what arguments (``-a``) may have set: texts, whole numbers and start URLs; without the `_job` of
    Scrapyd, which differs in each run."""
    told = sorted(
        (name, str(one))
        for name, one in vars(spider).items()
        if (isinstance(one, (str, int)) or name == "start_urls") and not name.startswith("_")
    )
    return crc32(repr(told).encode())


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


def commands_of(settings: BaseSettings, spider: str | None, distributed_crawl: str | None) -> Commands:
    """Return what commands to paste need, so that they read the file of these settings."""
    # tps-report reads the project's settings, not those of a spider, a command line or a program
    project = inside_project()
    read = SETTINGS_PRIORITIES["project"] if project else SETTINGS_PRIORITIES["default"]
    elsewhere = (settings.getpriority("TPS_STATS_FILE") or 0) > read
    file = crawl_setting(settings, "TPS_STATS_FILE") if elsewhere else None
    return Commands(spider, distributed_crawl, file, project)


class TpsFigures:
    """Keeps the figures of a crawl, ``crawler.stats.sites``, and ends it with a summary.

    The figures are written to ``TPS_STATS_FILE`` every :attr:`interval` seconds and when the spider closes. Then the
    report goes to ``TPS_REPORT``, and the summary with a table of 20 sites to the end of the log. Pages that a command
    fetches to show them (:func:`~scrapy_tps.stats.error_isolation.is_crawl`) are counted in Scrapy's stats only.

    Raises ``ValueError`` if a setting is wrong, a report's storage can't be used, or ``TPS_STORE`` can't be reached.
    """

    #: Seconds between two writes of the figures: a killed crawl loses those of the last ones.
    interval: ClassVar[float] = 5.0

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.sites = figures_of(crawler)
        self._guard = self.sites.guard
        self._file: str | None = crawl_setting(settings, "TPS_STATS_FILE")
        self._distributed = distributed_crawl_of(settings)
        names = (getattr(one, "name", None) for one in (crawler.spider, self._distributed))
        self._commands = commands_of(settings, *names)
        self._feeds = [ReportFeed(crawler, uri) for uri in crawl_setting(settings, "TPS_REPORT")]
        self._selector_pages: int = crawl_setting(settings, "TPS_SELECTOR_PAGES")
        self._prunes: bool = crawl_setting(settings, "TPS_ENABLED")
        self._task: AsyncioLoopingCall | LoopingCall | None = None
        self._summary: Summary | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        if is_crawl(crawler):
            for feed in extension._feeds:
                feed.storage(feed.uri)
            # here, because an error in a handler of a signal does not stop a crawl
            extension._join_distributed_crawl()
            crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
            crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
            crawler.signals.connect(extension.engine_stopped, signal=signals.engine_stopped)
        return extension

    def _join_distributed_crawl(self) -> None:
        spider = self.crawler.spider
        if self._distributed is None or spider is None:
            return
        from scrapy_tps.sharing.member import CrawlMember  # noqa: PLC0415 (needs an extra)

        shared = CrawlMember(
            self._distributed, spider.name, max_sites=self.sites.max_sites, guard=self._guard
        )
        try:
            shared.open()
        except StoreError as error:
            raise ValueError(
                f"TPS_STORE can't be used: {error}. See that this Redis runs and lets the user write, correct the "
                "address, or remove TPS_STORE and TPS_DISTRIBUTED_CRAWL to crawl without it"
            ) from None
        self.sites.shared = shared

    def spider_opened(self) -> None:
        """Enter the crawl in the file."""
        spider = self.crawler.spider
        assert spider is not None
        kept = self._file is not None or self.sites.shared is not None
        if kept and crawl_setting(self.crawler.settings, "TPS_REMEMBER_VALUES"):
            self.sites.memory = CrawlMemory()
            if self.sites.shared is not None:
                self.sites.memory.load(self.sites.shared.remembered.values())
        if self._file is not None:
            path = in_data_directory(self._file)
            new = not path.exists()
            name = crawl_setting(self.crawler.settings, "TPS_DISTRIBUTED_CRAWL")
            self.sites.open_store(path, spider.name, distributed_crawl=name, arguments=_arguments(spider))
            if new and path.exists():
                self._guard.log(
                    logger,
                    logging.INFO,
                    "Figures of each site are kept in %s, for scrapy tps-report. TPS_STATS_FILE names another file; "
                    "with None nothing is kept.",
                    path,
                )
        self._task = create_looping_call(self.sites.flush)
        self._task.start(self.interval, now=False)

    async def spider_closed(self, reason: str) -> None:
        """Write the last figures and the reports."""
        # other handlers of the signal run meanwhile: the alarms that they raise belong to the crawl
        await run_in_thread(time.sleep, 0)
        if self._task is not None and self._task.running:
            self._task.stop()
        with self._guard(FIGURES):
            self._note_offsite()
        # the figures of a crawl that a JOBDIR continues are those of a part, so items are not compared
        self.sites.finish("finished, resumed" if reason == "finished" and self._is_resumed() else reason)
        if self.sites.memory is not None:
            with self._guard(FIGURES):
                self.sites.propose(await run_in_thread(self.sites.memory.proposals))
        if self.sites.shared is not None:
            with self._guard(DISTRIBUTED):
                # the other spiders of the process continue meanwhile
                await run_in_thread(self.sites.shared.finish(reason))
                self.sites.shared.close()
        for feed in self._feeds:
            with self._guard(REPORT):
                await feed.write(self._report(reason, TEXT_REPORT_SITES if feed.format == "txt" else None))
        if self.sites.total["pages"] or self._prunes:
            with self._guard(REPORT):
                self._summary = self.summary()
                self.sites.set_stat("tps/findings", len(self._summary.findings))
        for name, times in list(self._guard.failures.items()):
            self.sites.set_stat(f"tps/failures/{name}", times)

    def engine_stopped(self) -> None:
        """Log the summary, after Scrapy's stats, so that it ends the log."""
        if self._summary is not None:
            with self._guard(REPORT):
                self._log_summary(self._summary)
        self.sites.close()

    def _is_resumed(self) -> bool:
        """Whether the scheduler gave requests that an earlier part of the crawl had left to it."""
        stats = self.crawler.stats
        assert stats is not None
        return stats.get_value("scheduler/dequeued", 0) > stats.get_value("scheduler/enqueued", 0)  # type: ignore[no-any-return]

    def _note_offsite(self) -> None:
        """If there are no items, record the hosts whose requests Scrapy filtered as offsite."""
        middleware = self.crawler.get_downloader_middleware(OffsiteMiddleware)
        if middleware is not None and not gave_items(self.sites.total):
            for host in sorted(middleware.domains_seen)[:MOST_OFFSITE]:
                self.sites.record_alarm(self.sites.site_of(f"http://{host}/"), OFFSITE)

    def _report(self, reason: str, limit: int | None) -> Report:
        spider = self.crawler.spider
        assert spider is not None
        summary = self.summary(TEXT_REPORT_SITES)
        return Report(
            title=f"DOM reduction per site: spider {spider.name}, {reason}",
            about={
                "crawl": self.sites.crawl,
                "spider": spider.name,
                "started": self.sites.started.isoformat(),
                "finished": now(),
                "reason": reason,
            },
            total=self.sites.total,
            sites=summary.evidence.of_sites(self.sites.sites(limit=limit)),
            summary=summary,
            site_count=summary.sites,
            uses=self.sites.uses(),
        )

    def summary(self, listed: int = LOG_SITES) -> Summary:
        """Return the summary of the crawl so far, by default in the form of the log at the end.

        :param listed: the most sites that look wrong in it.
        """
        return summarise(
            self.sites.total,
            self.sites.sites(),
            commands=self._commands,
            listed=listed,
            failures=lambda: findings_of_failures(
                self.sites.store_errors if self.sites.incomplete else 0, self._guard.failures
            ),
            evidence=gather(self.sites.uses(), self.sites.earlier(), self._selector_pages),
        )

    def _log_summary(self, summary: Summary) -> None:
        """Log the summary and the table, as a warning if there are findings."""
        commands, lines = self._commands, summary.lines()
        if self.sites.total["pages"]:
            lines += [
                "DOM reduction per site (most pages first):",
                *site_table(self.sites.sites(limit=LOG_SITES), summary.sites),
                totals_line(self.sites.total),
                *wrong_sites(summary),
            ]
        if self.sites.crawl is not None and self.sites.total["pages"]:
            lines.append(f"All sites: {commands.report(str(self.sites.crawl))}")
        if self._distributed is not None:
            lines.append(f"All processes: {commands.report('--distributed', self._distributed.name)}")
        level = logging.WARNING if summary.findings else logging.INFO
        logger.log(level, "%s", "\n".join(lines), extra={"spider": self.crawler.spider})


def samples_file(settings: BaseSettings) -> Path:
    """Return the path of ``tps-samples.sqlite``: next to ``TPS_STATS_FILE``, or in the project's data directory."""
    return in_data_directory(crawl_setting(settings, "TPS_STATS_FILE") or FILE_NAME).with_name(FILE_NAME)


class TpsSampling:
    """Keep ``TPS_SAMPLES`` of the newest and as many of the worst pages of each site, see :func:`samples_file`.

    The worst are those that pruning failed on, then those that lost the largest share of their visible text.
    Excluded pages and those fetched by a command are not kept.

    A file that somebody else has locked is waited for half a second once. While it can't be written, pages are not
    kept. That is logged and counted (``tps/failures/samples``), and costs no page.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._per_site: int = crawl_setting(crawler.settings, "TPS_SAMPLES")
        if not self._per_site:
            raise NotConfigured("TPS_SAMPLES is 0")
        self._path = samples_file(crawler.settings)
        self._figures = figures_of(crawler)
        self._store: SampleStore | None = None
        self._patience = HASTE  # seconds to wait for other programs: none if the last page was not kept

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        if is_crawl(crawler):
            crawler.signals.connect(extension.response_received, signal=signals.response_received)
            crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def response_received(self, response: Response) -> None:
        """Keep the page if it went through scrapy-tps."""
        if not isinstance(response, PrunedMixin) or response.raw_body is None:
            return
        if response.tps.outcome == EXCLUDED:
            return
        try:
            self._keep(response, response.raw_body)
            self._patience = HASTE
        except Exception as error:
            self._patience = 0.0
            self._figures.guard.failed(SAMPLES, error)

    def _keep(self, response: PrunedMixin, body: bytes) -> None:
        if self._store is None:
            self._store = SampleStore(self._path, patience=self._patience)
        self._store.wait(self._patience)
        spider = self.crawler.spider.name if self.crawler.spider else ""
        site, url = self._figures.site_of(response.url), response.url
        self._store.add(site, spider, url, response.tps, body, per_site=self._per_site)
        self._figures.add_stat("tps/samples")

    def spider_closed(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            with self._figures.guard(SAMPLES):
                store.close()
