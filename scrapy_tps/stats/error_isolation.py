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

from scrapy.utils.spider import DefaultSpider

from scrapy_tps.stats.database import StoreError
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    def log(
        self, logger: logging.Logger, level: int, message: str, *args: Any, error: Exception | None = None
    ) -> None:
        """Log a message of the crawl; handlers and filters of the user's may fail."""
        extra = {"spider": getattr(self._crawler, "spider", None)}
        with self(LOG):
            logger.log(level, message, *args, exc_info=error, extra=extra, stacklevel=2)

    def failed(self, duty: Duty, error: Exception) -> None:
        """Count a failure; log the first one of its task."""
        self.failures[duty.name] = self.failures.get(duty.name, 0) + 1
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
