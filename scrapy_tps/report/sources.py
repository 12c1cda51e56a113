"""Sources of a report: one crawl or several, of one file or several, or a job in a store."""

from __future__ import annotations

import heapq
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scrapy_tps.report.crawl import about_crawl, crawl_title
from scrapy_tps.stats.doubts import doubts
from scrapy_tps.stats.figures import counted, merged
from scrapy_tps.stats.health import Earlier
from scrapy_tps.stats.queries import QueryRow, merged_queries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from scrapy_tps.sharing.reading import JobReader, Process
    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.health import Trend
    from scrapy_tps.stats.store import Crawl, FiguresStore


class Source:
    """Sites with their figures, and what they are the figures of.

    :ivar title: what they are the figures of, in a line; `about`: the same for JSON.
    :ivar spider: the spider, where it is one.
    """

    title: str
    about: dict[str, Any]
    spider: str | None

    def sites(
        self, *, doubtful: bool = False, also: Collection[str] = ()
    ) -> Iterator[tuple[str, SiteFigures]]:
        """The sites, read anew.

        :param doubtful: only those that may look wrong by their figures, and those called `also`.
        """
        return ((site, one) for site, one in self._all() if not doubtful or site in also or doubts(one))

    def _all(self) -> Iterator[tuple[str, SiteFigures]]:
        """All sites."""
        raise NotImplementedError

    def queries(self) -> Iterator[QueryRow]:
        """The queries and fields of the sites, read anew, in the order of lists."""
        raise NotImplementedError

    def earlier(self) -> Earlier:
        """Fields, queries and items of which earlier crawls gave more."""
        return Earlier()

    def trend(self) -> Trend:
        """The sites in the spider's last crawls: see :meth:`scrapy_tps.stats.store.FiguresStore.trend`."""
        return {}

    def parts(self) -> Sequence[Source]:
        """The sources that were added up, the oldest first; itself if none were."""
        return [self]


class CrawlSource(Source):
    """One crawl of a file."""

    def __init__(self, store: FiguresStore, crawl: Crawl) -> None:
        self._store = store
        self._crawl = crawl
        self.title = crawl_title(crawl)
        self.about = about_crawl(crawl)
        self.spider: str | None = crawl.spider

    def sites(
        self, *, doubtful: bool = False, also: Collection[str] = ()
    ) -> Iterator[tuple[str, SiteFigures]]:
        """See :class:`Source`."""
        return self._store.sites(self._crawl.id, doubtful=doubtful, also=also)

    def queries(self) -> Iterator[QueryRow]:
        """See :class:`Source`."""
        return self._store.queries(self._crawl.id)

    def earlier(self) -> Earlier:
        """See :class:`Source`."""
        return self._store.earlier(self._crawl.id)

    def trend(self) -> Trend:
        """See :class:`Source`."""
        return self._store.trend(self._crawl.id)


class SumSource(Source):
    """Crawls of one file or several, added up, in memory that does not grow with the number of sites."""

    def __init__(self, crawls: Sequence[tuple[FiguresStore, Crawl]]) -> None:
        self._crawls = crawls
        files = {store.path for store, _ in crawls}
        self.title = counted(len(crawls), "crawl") + (f" of {len(files)} files" if len(files) > 1 else "")
        self.about = {
            "crawls": [
                about_crawl(crawl) | ({"file": str(store.path)} if len(files) > 1 else {})
                for store, crawl in crawls
            ]
        }
        self.spider = _only(crawl.spider for _, crawl in crawls)

    def _all(self) -> Iterator[tuple[str, SiteFigures]]:
        by_name = heapq.merge(*(store.by_name(crawl.id) for store, crawl in self._crawls), key=itemgetter(0))
        for site, found in groupby(by_name, key=itemgetter(0)):
            yield site, merged(one for _, one in found)

    def queries(self) -> Iterator[QueryRow]:
        """See :class:`Source`. The crawls are taken to have followed one another."""
        yield from merged_queries(row for store, crawl in self._crawls for row in store.queries(crawl.id))

    def trend(self) -> Trend:
        """See :class:`Source`: that of the last crawl."""
        store, crawl = self._crawls[-1]
        return store.trend(crawl.id)

    def parts(self) -> Sequence[Source]:
        """See :class:`Source`."""
        return [CrawlSource(store, crawl) for store, crawl in self._crawls]


class JobSource(Source):
    """A job in a store."""

    def __init__(self, reader: JobReader) -> None:
        self._reader = reader
        self.title = job_title(reader)
        self.about = about_job(reader)
        self.spider = _only(process.spider for process in reader.processes)

    def _all(self) -> Iterator[tuple[str, SiteFigures]]:
        return self._reader.sites()

    def queries(self) -> Iterator[QueryRow]:
        """See :class:`Source`."""
        yield from sorted(self._reader.queries(), key=QueryRow.order)


def job_title(reader: JobReader) -> str:
    """One line on a job."""
    processes = reader.processes
    spiders = ", ".join(sorted({process.spider for process in processes}))
    start = (
        f"job {reader.job.name} of {spiders}, {_processes(len(processes))}, "
        f"started {processes[0].started:%Y-%m-%d %H:%M:%S} UTC"
    )
    written = max(process.written for process in processes)
    open_ones = sum(process.finished is None for process in processes)
    if open_ones:
        return f"{start}, {open_ones} running or killed (last written {written:%Y-%m-%d %H:%M:%S})"
    reasons = ", ".join(sorted({process.reason or "" for process in processes}))
    return f"{start}, {reasons} after {(written - processes[0].started).total_seconds():,.0f} s"


def about_job(reader: JobReader) -> dict[str, Any]:
    """A job for JSON."""
    return {"job": reader.job.name, "processes": [_about(process) for process in reader.processes]}


def _about(process: Process) -> dict[str, Any]:
    said = asdict(process)
    return {"process": said.pop("id")} | {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in said.items()
    }


def _only(names: Iterable[str]) -> str | None:
    found = set(names)
    return found.pop() if len(found) == 1 else None


def _processes(number: int) -> str:
    return "1 process" if number == 1 else f"{number:,} processes"
