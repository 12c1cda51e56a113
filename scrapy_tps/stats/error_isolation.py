"""Error isolation: counting, sampling, logging and reporting may fail without costing a page or an item.

One guard per crawl handles these failures: the first of each kind is logged with its cause and its remedy, all are
counted, and the crawl goes on.
"""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrapy.statscollectors import StatsCollector
from scrapy.utils.spider import DefaultSpider

from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import OTHER
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, because a page uses several
class Duty:
    """A task whose failure does not stop a crawl.

    :ivar name: the name of its failures in ``tps/failures/{name}``.
    :ivar failure: the failure, as a sentence without its full stop.
    :ivar remedy: the consequence and the remedy, as sentences.
    """

    name: str
    failure: str
    remedy: str


STATS: Final = Duty(
    "stats",
    "The stats collector fails",
    "The tps/ stats are incomplete, the figures per site are not. Check your collector (STATS_CLASS).",
)
FIGURES: Final = Duty(
    "figures", "A page can't be counted", "The figures per site are incomplete. Please report this."
)
STORE: Final = Duty(
    "store",
    "Per-site figures could not be written",
    "They are kept, and tried again every few seconds; what is not written by the end of the crawl is "
    "missing from TPS_STATS_FILE.",
)
DISTRIBUTED: Final = Duty(
    "distributed",
    "Figures could not be sent to TPS_STORE",
    "They are kept, and sent again every few seconds. Check the server.",
)
DISTRIBUTED_LACKS: Final = Duty(
    "distributed_lacks",
    "TPS_STORE lacks figures of this process",
    "TPS_STATS_FILE and the report of this process have them. Check TPS_STORE: Redis keeps what it has confirmed with "
    "'appendonly yes'.",
)
DISTRIBUTED_RECORDS: Final = Duty(
    "distributed_records",
    "TPS_STORE could not tell whether records are duplicates",
    "They are compared only with the records of this process, so duplicates may pass. Check the server.",
)
SAMPLES: Final = Duty(
    "samples",
    "Samples could not be kept",
    "Pages are missing from tps-samples.sqlite, which is in the folder of TPS_STATS_FILE.",
)
REPORT: Final = Duty(
    "report", "The report on the crawl fails", "scrapy tps-report shows what TPS_STATS_FILE holds."
)
LOG: Final = Duty("log", "A message can't be logged", "Check the handlers and filters of your logging.")


class Guard:
    """The failures of one crawl's tasks: ``with guard(STATS): …`` suppresses them.

    Exceptions other than errors (``KeyboardInterrupt``, the end of a task) pass.

    :param crawler: the crawl, whose spider is named in the log; None outside one.
    """

    def __init__(self, crawler: Any = None) -> None:
        self._crawler = crawler
        self._logged: set[Duty] = set()
        self.failures: dict[str, int] = {}
        """The number of failures by task."""

    @contextmanager
    def __call__(self, duty: Duty) -> Iterator[None]:
        """Suppress and count failures of `duty` inside."""
        try:
            yield
        except Exception as error:  # on any error the crawl goes on
            self.failed(duty, error)

    def count(self, duty: Duty) -> None:
        """Count a failure that is logged elsewhere."""
        self.failures[duty.name] = self.failures.get(duty.name, 0) + 1

    def failed(self, duty: Duty, error: Exception) -> None:
        """Count a failure; log the first one of its task."""
        self.count(duty)
        if duty in self._logged:
            return
        self._logged.add(duty)
        with suppress(Exception):  # logging itself may fail
            known = isinstance(error, StoreError)  # its message is sufficient
            if not known:
                logger.debug("%s", duty.failure, exc_info=error)
            logger.warning(
                "%(failure)s: %(error)s. The crawl goes on. %(remedy)s Further failures of this kind are counted "
                "(tps/failures/%(name)s), not logged.",
                {
                    "failure": duty.failure,
                    # may quote a page, or a row that another program has written
                    "error": printable(
                        str(error) if known else f"{type(error).__name__}: {error}".rstrip(".")
                    ),
                    "remedy": duty.remedy,
                    "name": duty.name,
                },
                extra={"spider": getattr(self._crawler, "spider", None)},
            )


#: Counts that Scrapy's stats do not have: their names come from pages, or they are of little use for a whole crawl.
UNMIRRORED: Final = (
    "absolute/",
    "bare/",
    "errors/",
    "garbled/",
    "pruned_",
    "redirected/",
    "reduction",
    "refused/",
    "strategy/",
    "whole_",
)

#: The most distinct names in Scrapy's stats. A crawl has some forty; custom strategies and alarms may generate names.
MOST_MIRRORED: Final = 200


class ScrapyStats:
    """The stats of a crawl in Scrapy's collector. If the collector raises, that costs these counts and nothing else."""

    def __init__(self, stats: StatsCollector, guard: Guard) -> None:
        self.guard = guard
        """Handles failures here, and may handle those of other tasks of the caller."""
        self._stats = stats
        own, scrapys = type(stats), StatsCollector
        # Scrapy looks methods up and checks their arguments at each call: 20 microseconds for the stats of a page
        self._is_scrapys = own.inc_value is scrapys.inc_value and own.get_stats is scrapys.get_stats
        self._keys: dict[str, str] = {}

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts of a site to the stats ``tps/{name}``, except those of :data:`UNMIRRORED`."""
        try:
            stats = StatsCollector.get_stats(self._stats) if self._is_scrapys else None
            for name, number in counts.items():
                if not number or name.startswith(UNMIRRORED):
                    continue
                key = self._keys.get(name) or self._key(name)
                if stats is None:
                    self._stats.inc_value(key, number)
                else:
                    stats[key] = stats.get(key, 0) + number
        except Exception as error:  # collectors raise what their servers' libraries raise
            self.guard.failed(STATS, error)

    def inc_value(self, key: str, number: int = 1) -> None:
        """Add to a stat."""
        with self.guard(STATS):
            self._stats.inc_value(key, number)

    def set_value(self, key: str, value: Any) -> None:
        """Set a stat."""
        with self.guard(STATS):
            self._stats.set_value(key, value)

    def _key(self, name: str) -> str:
        if len(self._keys) >= MOST_MIRRORED:
            return f"tps/{name.partition('/')[0]}/{OTHER}"
        key = self._keys[name] = f"tps/{name}"
        return key


#: Modules of commands that make a spider fetch the pages they are given, instead of its own.
_COMMANDS: Final = ("scrapy.commands.", "scrapy_tps.commands.", "scrapy_tps.commandline.page_command")


def is_crawl(crawler: Crawler) -> bool:
    """Whether this is a spider's own crawl.

    It is not if a command fetches pages to show them, with or without a spider of the project: ``scrapy fetch``,
    ``view``, ``shell``, ``parse`` and ``check``, ``tps-view``, ``tps-records`` and ``tps-check``. These leave no
    figures, samples or reports. Call it after the spider has been opened.
    """
    spider = crawler.spider
    # the shell opens a spider without crawling
    if spider is None or isinstance(spider, DefaultSpider) or not crawler.crawling:
        return False
    # the commands replace the start of the spider's class
    start = str(getattr(type(spider).start, "__module__", ""))
    return not start.startswith(_COMMANDS) and not os.environ.get("SCRAPY_CHECK")
