"""Sources of a report: the crawl or distributed crawl in the arguments of ``tps-report``."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from scrapy.exceptions import UsageError

from scrapy_tps.commandline.page_command import whole_number
from scrapy_tps.extensions import in_data_directory
from scrapy_tps.report.crawl_report import about, crawl_title
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.sharing.connection import DistributedCrawl, distributed_crawl_of
from scrapy_tps.stats.coverage import UseRow
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.evidence import Earlier
from scrapy_tps.stats.store import FiguresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.settings import BaseSettings

    from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader
    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.store import Crawl

#: A crawl that was written in this time, and has no end, may be running: crawls write every five seconds.
_RUNNING: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Source:
    """Sites with their figures, and the source of the figures.

    :ivar title: what they are the figures of, in a line; `about`: the same for JSON.
    :ivar spider: the spider, where it is one.
    :ivar sites: reads the sites, most pages first.
    :ivar uses: reads their selectors and fields, in the order of lists.
    :ivar earlier: reads the selectors and fields that found more in earlier crawls.
    """

    title: str
    about: dict[str, Any]
    spider: str | None
    sites: Callable[[], Iterator[tuple[str, SiteFigures]]]
    uses: Callable[[], Iterable[UseRow]]
    earlier: Callable[[], Earlier]


def _of_crawl(store: FiguresStore, crawl: Crawl) -> Source:
    return Source(
        crawl_title(crawl),
        about("crawl", crawl),
        crawl.spider,
        partial(store.sites, crawl.id),
        partial(store.uses, crawl.id),
        partial(store.earlier, crawl.id),
    )


def _of_distributed_crawl(reader: DistributedCrawlReader) -> Source:
    spiders = {process.spider for process in reader.processes}
    return Source(
        distributed_crawl_title(reader),
        {
            "distributed_crawl": reader.distributed.name,
            "processes": [about("process", one) for one in reader.processes],
        },
        spiders.pop() if len(spiders) == 1 else None,
        lambda: iter(sorted(reader.sites(), key=lambda one: (-one[1]["pages"], one[0]))),
        lambda: sorted(reader.uses(), key=UseRow.order),
        lambda: Earlier(proposals=reader.proposals()),
    )


def distributed_crawl_title(reader: DistributedCrawlReader) -> str:
    """Return a distributed crawl in one line."""
    processes = reader.processes
    spiders = ", ".join(sorted({process.spider for process in processes}))
    number = "1 process" if len(processes) == 1 else f"{len(processes):,} processes"
    start = (
        f"distributed crawl {reader.distributed.name} of {spiders}, {number}, "
        f"started {processes[0].started:%Y-%m-%d %H:%M:%S} UTC"
    )
    written = max(process.written for process in processes)
    open_ones = sum(process.finished is None for process in processes)
    if open_ones:
        return f"{start}, {open_ones} running or killed (last written {written:%Y-%m-%d %H:%M:%S})"
    reasons = ", ".join(sorted({process.reason or "" for process in processes}))
    return f"{start}, {reasons} after {(written - processes[0].started).total_seconds():,.0f} s"


class Sources:
    """The sources of figures. Close it after use.

    :param distributed: whether they are the distributed crawls in ``TPS_STORE``.
    :raises ValueError: if there is no such store, or the extra is missing.
    """

    def __init__(self, settings: BaseSettings, *, distributed: bool) -> None:
        self._settings = settings
        self._readers: list[DistributedCrawlReader] = []
        self._open = ExitStack()
        self._store: DistributedCrawl | None = None
        if distributed:
            address = crawl_setting(settings, "TPS_STORE")
            self._store = distributed_crawl_of({"TPS_STORE": address, "TPS_DISTRIBUTED_CRAWL": "-"})
            if self._store is None:
                raise ValueError("TPS_STORE is not set; -s TPS_STORE=URL names a Redis")

    @property
    def unreadable(self) -> list[str]:
        """The rows and entries that were skipped because they can't be read, in words."""
        read = self._readers if self._store is not None else [self._file]
        return [told for one in read for told in one.unreadable]

    def close(self) -> None:
        """Close the file."""
        self._open.close()

    def one(self, name: str | None) -> Source:
        """Return the named crawl; without a name, the last crawl, or the one in ``TPS_DISTRIBUTED_CRAWL``."""
        if self._store is not None:
            return self._distributed_source(name or crawl_setting(self._settings, "TPS_DISTRIBUTED_CRAWL"))
        if name is not None and name.isdecimal():
            return _of_crawl(self._file, self._file.crawl(whole_number("CRAWL", name, low=1)))
        return _of_crawl(self._file, self._file.last_crawl(name))

    def delete(self, number: int | None, *, keep_last: int = 0) -> list[str]:
        """Delete a crawl of the file, or without a number all but the last ones of each spider; return their titles.

        Crawls that were written in the last minute without an end stay: they may be running.
        """
        store = self._file
        crawls = store.crawls() if number is None else [store.crawl(number)]
        by_spider = {crawl.spider: [one for one in crawls if one.spider == crawl.spider] for crawl in crawls}
        old = [one for found in by_spider.values() for one in found[: max(0, len(found) - keep_last)]]
        recent = datetime.now(timezone.utc) - _RUNNING
        ended = [one for one in old if one.finished is not None or one.written < recent]
        if number is not None and not ended:
            raise StoreError(f"crawl {number} may be running: it was written less than a minute ago")
        with closing(FiguresStore(store.path)) as file:
            file.delete(one.id for one in ended)
        return [crawl_title(one) for one in ended]

    def listed(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return all crawls of the file, or all distributed crawls of the store: in a line, and for JSON."""
        if self._store is None:
            for crawl in self._file.crawls():
                yield crawl_title(crawl), about("crawl", crawl)
            return
        from scrapy_tps.sharing.distributed_reader import distributed_crawls  # noqa: PLC0415 (needs an extra)

        for name in distributed_crawls(self._store):
            source = self._distributed_source(name)
            yield source.title, source.about

    def _distributed_source(self, name: str | None) -> Source:
        assert self._store is not None
        if name is None:
            raise UsageError("name a crawl: --distributed NAME; --list shows all", print_help=False)
        from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader  # noqa: PLC0415 (needs an extra)

        self._readers.append(DistributedCrawlReader(replace(self._store, name=name)))
        return _of_distributed_crawl(self._readers[-1])

    @cached_property
    def _file(self) -> FiguresStore:
        named = crawl_setting(self._settings, "TPS_STATS_FILE")
        if named is None:
            raise StoreError("TPS_STATS_FILE is None: crawls keep no figures; name a file")
        return self._open.enter_context(closing(FiguresStore(in_data_directory(named), create=False)))
