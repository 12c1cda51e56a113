"""Which crawls or jobs the arguments of ``tps-report`` name, and where they are kept."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy.exceptions import UsageError

from scrapy_tps.commandline.values import whole_number
from scrapy_tps.report.crawl import about_crawl, crawl_title
from scrapy_tps.report.sources import CrawlSource, JobSource, SumSource
from scrapy_tps.settings.definitions import SETTINGS, crawl_setting
from scrapy_tps.sharing.connection import Job, job_of
from scrapy_tps.stats import samples
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.store import FiguresStore
from scrapy_tps.statscollectors import in_data_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.settings import BaseSettings

    from scrapy_tps.report.sources import Source
    from scrapy_tps.sharing.reading import JobReader
    from scrapy_tps.stats.store import Crawl

#: What the name of a file of figures ends in, where it is not marked as a path by a separator.
SUFFIX: Final = ".sqlite"


def is_file(name: str) -> bool:
    """Whether an argument names a file or directory: by its looks, so that it means the same whatever there is."""
    return name.endswith(SUFFIX) or "/" in name or os.sep in name


def crawl_number(name: str) -> int | None:
    """The number of a crawl that an argument gives; None where it is a name."""
    return whole_number("CRAWL", name, low=1) if name.isdecimal() else None


class Sources:
    """The source of figures. Close it.

    :param store: a store to read jobs from; None: ``TPS_STORE`` where a job is asked for.
    :param job: the job that is asked for.
    """

    def __init__(
        self,
        settings: BaseSettings,
        *,
        store: str | None = None,
        job: str | None = None,
    ) -> None:
        self._settings = settings
        self._job = job
        self._files: dict[str, FiguresStore] = {}
        self._readers: list[JobReader] = []
        self._open = ExitStack()
        address = store if store is not None else crawl_setting(settings, "TPS_STORE")
        self._store = _job_in(address, job) if store is not None or (job and address) else None

    @property
    def unreadable(self) -> list[str]:
        """Rows that can't be read."""
        files = [message for store in self._files.values() for message in store.unreadable]
        return files + [message for reader in self._readers for message in reader.unreadable]

    def close(self) -> None:
        """Close the files."""
        self._open.close()

    def one(self, names: Sequence[str]) -> Source:
        """Everything that the names mean, added up; without a name the last crawl, or the job that is asked for."""
        if any(is_file(name) for name in names):
            return _added([found for name in names for found in self._crawls(name)], " ".join(names))
        if self._store is not None:
            if len(names) > 1:
                raise UsageError("jobs can't be added up; --compare A B compares two", print_help=False)
            return self._job_source(names[0] if names else self._job)
        if self._job is not None and not names:
            return _added(self._crawls(None), f"job {self._job}")
        if len(names) > 1:
            return _added([found for name in names for found in self._crawls(name)], " ".join(names))
        store = self._opened(None)
        return CrawlSource(store, _find(store, names[0] if names else None))

    def each(self, names: Sequence[str]) -> list[Source]:
        """The crawls that each of the names stands for."""
        return [self.one([name]) for name in names]

    def all(self) -> Source:
        """All crawls of the file."""
        store = self._opened(None)
        return SumSource([(store, crawl) for crawl in store.crawls()])

    def listed(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All crawls of the file, or all jobs of the store: in a line, and for JSON."""
        if self._store is None:
            for crawl in self._opened(None).crawls():
                yield crawl_title(crawl), about_crawl(crawl)
            return
        from scrapy_tps.sharing.reading import jobs  # noqa: PLC0415 (needs an extra)

        for name in jobs(self._store):
            source = self._job_source(name)
            yield source.title, source.about

    def _job_source(self, name: str | None) -> JobSource:
        assert self._store is not None
        if name is None:
            raise UsageError("name a job: --job NAME; --list names them", print_help=False)
        from scrapy_tps.sharing.reading import JobReader  # noqa: PLC0415 (needs an extra)

        reader = JobReader(replace(self._store, name=name))
        self._readers.append(reader)
        return JobSource(reader)

    def _crawls(self, name: str | None) -> list[tuple[FiguresStore, Crawl]]:
        """The crawls that a name means: of a file, of all files of a directory, or one of the file there is."""
        if name is not None and not is_file(name):
            store = self._opened(None)
            return [(store, _find(store, name))]
        stores = [self._opened(None)] if name is None else [self._opened(path) for path in _files(name)]
        return [
            (store, crawl) for store in stores for crawl in store.crawls() if self._job in {None, crawl.job}
        ]

    def _opened(self, path: str | None) -> FiguresStore:
        if path is None:
            named = crawl_setting(self._settings, "TPS_STATS_FILE")
            if named is None:
                raise StoreError("TPS_STATS_FILE is None: crawls keep no figures; name a file")
            path = str(in_data_directory(named))
        if path not in self._files:
            self._files[path] = self._open.enter_context(closing(FiguresStore(path, create=False)))
        return self._files[path]


def _job_in(address: str, job: str | None) -> Job:
    """The store at `address`, and where a job is given, the job there."""
    try:
        parsed = {"TPS_STORE": SETTINGS["TPS_STORE"].parse(address), "TPS_JOB": job or "-"}
        found = job_of(parsed)
    except ValueError as error:
        raise UsageError(str(error).replace("TPS_STORE is", "--store is", 1), print_help=False) from None
    if found is None:
        raise UsageError("--store is empty; allowed: a redis://, rediss:// or unix:// URL", print_help=False)
    return found


def _files(name: str) -> list[str]:
    """The files of figures that an argument names: itself, or those of the directory."""
    directory = Path(name)
    if not directory.is_dir():
        return [name]
    found = sorted(str(path) for path in directory.glob(f"*{SUFFIX}") if path.name != samples.FILE_NAME)
    if not found:
        raise StoreError(f"{name}: no file there ends in {SUFFIX}")
    return found


def _added(crawls: list[tuple[FiguresStore, Crawl]], what: str) -> Source:
    if not crawls:
        raise StoreError(f"{what}: no crawl there")
    return CrawlSource(*crawls[0]) if len(crawls) == 1 else SumSource(crawls)


def _find(store: FiguresStore, name: str | None) -> Crawl:
    number = None if name is None else crawl_number(name)
    return store.last_crawl(name) if number is None else store.crawl(number)
