"""Per-site figures of all crawls, kept on disk in one SQLite file.

Several crawls, processes and spiders of one process write to the same file at once: each write is one short
transaction that *adds* figures to what is there. The file is in WAL mode where the file system allows it
(readers do not block writers then) and in SQLite's rollback mode where it does not; in both, a process killed
at any moment loses the figures it has not written yet and nothing else. ``synchronous`` is NORMAL: a crash of
the whole machine may cost the last transactions, never the file.

Nothing imports Scrapy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_tps.stats import doubts, query_table
from scrapy_tps.stats.database import HASTE, PATIENCE, Database, StoreError
from scrapy_tps.stats.figures import (
    COUNTERS,
    REDUCTION_STEPS,
    TALLIES,
    ReductionHistogram,
    SiteFigures,
)
from scrapy_tps.stats.history import Earlier, Trend, fewer_items, fields_by_crawl, sites_by_crawl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scrapy_tps.stats.queries import QueryRow

_T = TypeVar("_T")

_JSON_COLUMNS = (*TALLIES, "reduction_steps")
_NUMBER_COLUMNS = (*COUNTERS, "reduction_millionths")
_COLUMNS = (*_NUMBER_COLUMNS, *_JSON_COLUMNS)

_SCHEMA = (
    "CREATE TABLE crawl (id INTEGER PRIMARY KEY AUTOINCREMENT, spider TEXT NOT NULL, started TEXT NOT NULL,"
    " written TEXT NOT NULL, finished TEXT, reason TEXT, job TEXT)",
    "CREATE TABLE site (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL, "
    + ", ".join(f"{name} INTEGER NOT NULL" for name in _NUMBER_COLUMNS)
    + ", "
    + ", ".join(f"{name} TEXT NOT NULL" for name in _JSON_COLUMNS)
    + ", PRIMARY KEY (crawl, site)) WITHOUT ROWID",
    query_table.SCHEMA,
    # what the shadow check found to be missing on a spider's sites: selectors, as TPS_KEEP has them
    "CREATE TABLE keep (spider TEXT NOT NULL, site TEXT NOT NULL, selector TEXT NOT NULL,"
    " PRIMARY KEY (spider, site, selector)) WITHOUT ROWID",
)

#: What can't be read of one file is told up to this number of rows.
MOST_TOLD = 100

_ADD = (
    f"INSERT INTO site (crawl, site, {', '.join(_COLUMNS)}) VALUES ({', '.join('?' * (len(_COLUMNS) + 2))})"
    " ON CONFLICT (crawl, site) DO UPDATE SET "
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in _NUMBER_COLUMNS)
    + ", "
    + ", ".join(f"{name} = tps_add({name}, excluded.{name})" for name in _JSON_COLUMNS)
)


def _select(*, doubtful: bool) -> str:
    """The query for sites of one crawl (parameters: crawl, limit, also)."""
    also = "site IN (SELECT value FROM json_each(:also))"
    condition = f"({doubts.SQL} OR {also})" if doubtful else "1"
    return (
        f"SELECT site, {', '.join(_COLUMNS)} FROM site WHERE crawl = :crawl AND {condition}"
        " ORDER BY pages DESC, site LIMIT :limit"
    )


@dataclass(frozen=True, slots=True)
class Crawl:
    """One crawl in the store; the times are UTC."""

    id: int
    spider: str
    started: datetime
    written: datetime
    """When its figures were last written."""
    finished: datetime | None
    """None while it runs, and for ever if it was killed."""
    reason: str | None
    """Scrapy's reason for the end: ``finished``, ``shutdown`` …"""
    job: str | None = None
    """The crawl of many processes that it is part of (``TPS_JOB``)."""


def _dump(tally: Mapping[Any, int]) -> str:
    return json.dumps({str(name): tally[name] for name in sorted(tally)}, separators=(",", ":"))


def _add_tallies(one: str, other: str) -> str:
    total: dict[str, int] = json.loads(one)
    for name, number in json.loads(other).items():
        total[name] = total.get(name, 0) + number
    return _dump(total)


def _to_row(figures: SiteFigures) -> list[Any]:
    return [
        *(getattr(figures, name) for name in COUNTERS),
        figures.reduction.millionths,
        *(_dump(getattr(figures, name)) for name in TALLIES),
        _dump(figures.reduction.steps),
    ]


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{_clipped(value)} is not a whole number, 0 or more")
    return value


def _tally(text: Any) -> dict[str, int]:
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"{_clipped(text)} is not JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"{_clipped(text)} is not a JSON object")
    for number in found.values():
        _number(number)
    return found


def _steps(text: Any) -> dict[int, int]:
    steps = {}
    for step, pages in _tally(text).items():
        if not step.isdecimal() or len(step) > 4 or int(step) > REDUCTION_STEPS:
            raise ValueError(f"{_clipped(step)} is not a step from 0 to {REDUCTION_STEPS}")
        steps[int(step)] = pages
    return steps


def _clipped(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _from_row(row: Sequence[Any]) -> SiteFigures:
    """Return the figures of a row; raise ``ValueError`` naming the column that can't be read."""
    values: dict[str, Any] = {}
    for name, value in zip(_COLUMNS, row, strict=True):
        read = _steps if name == "reduction_steps" else _tally if name in TALLIES else _number
        try:
            values[name] = read(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    reduction = ReductionHistogram(values.pop("reduction_steps"), values.pop("reduction_millionths"))
    return SiteFigures(**values, reduction=reduction)


def _to_crawl(row: Sequence[Any]) -> Crawl:
    identifier, spider, *times, reason, job = row
    try:
        started, written, finished = (None if one is None else datetime.fromisoformat(one) for one in times)
    except (TypeError, ValueError):
        raise ValueError(f"{_clipped(tuple(times))} are not its times") from None
    if (
        started is None
        or written is None
        or any(one and one.tzinfo is None for one in (started, written, finished))
    ):
        raise ValueError(f"{_clipped(tuple(times))} are not its times")
    if not isinstance(spider, str) or not isinstance(reason, str | None) or not isinstance(job, str | None):
        raise ValueError(
            f"{_clipped((spider, reason, job))} are not its spider, the reason of its end and its job"
        )
    return Crawl(identifier, spider, started, written, finished, reason, job)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


class FiguresStore(Database):
    """An open store. Use it from one thread; each crawl opens its own.

    Rows that can't be read, because another program has written to the file, say, are left out where several are
    asked for, and told in :attr:`unreadable`.

    :param path: the file; it and its directory are created when `create` is true.
    :param patience: see :class:`~scrapy_tps.stats.database.Database`.
    :raises StoreError: from every method.
    """

    schema_version = 7
    schema = _SCHEMA
    pragmas = ("PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON")
    missing = "no crawl has written its figures there"
    write_ahead = True

    def __init__(self, path: str | Path, *, create: bool = True, patience: float = PATIENCE) -> None:
        super().__init__(path, create=create, patience=patience)
        self.unreadable: list[str] = []
        """Rows that were met and can't be read, each with file, crawl, site and what is wrong; the first 100."""
        # bytes that are no text make a row that can't be read, not a query that fails
        self._connection.text_factory = _text
        with self._errors():
            self._connection.create_function("tps_add", 2, _add_tallies, deterministic=True)

    def begin_crawl(
        self,
        spider: str,
        *,
        started: datetime | None = None,
        job: str | None = None,
        patience: float | None = None,
    ) -> int:
        """Enter a crawl that started then (default: now) and is part of `job`; return its number."""
        now = _now()
        with self._transaction(patience):
            entered = self._connection.execute(
                "INSERT INTO crawl (spider, started, written, job) VALUES (?, ?, ?, ?)",
                (spider, started.isoformat() if started else now, now, job),
            )
        assert entered.lastrowid is not None
        return entered.lastrowid

    def add(self, crawl: int, sites: Mapping[str, SiteFigures], *, patience: float = HASTE) -> None:
        """Add figures to those of the crawl, in one transaction."""
        with self._transaction(patience):
            self._add(crawl, sites)

    def finish_crawl(
        self, crawl: int, reason: str, sites: Mapping[str, SiteFigures], *, patience: float | None = None
    ) -> None:
        """Add the last figures and enter that the crawl ends now, in one transaction."""
        with self._transaction(patience):
            self._add(crawl, sites)
            self._connection.execute(
                "UPDATE crawl SET finished = written, reason = ? WHERE id = ?", (reason, crawl)
            )

    def keep(self, spider: str, site: str, selectors: Iterable[str]) -> None:
        """Enter what is to be kept on a site in all further crawls of a spider."""
        with self._transaction(HASTE):
            self._connection.executemany(
                "INSERT OR IGNORE INTO keep (spider, site, selector) VALUES (?, ?, ?)",
                [(spider, site, selector) for selector in selectors],
            )

    def kept(self, spider: str) -> list[tuple[str, str]]:
        """The sites of a spider and what is to be kept on them, a selector each."""
        with self._errors():
            found = self._connection.execute(
                "SELECT site, selector FROM keep WHERE spider = ? ORDER BY site, selector", (spider,)
            )
            return list(found.fetchall())

    def crawls(self) -> list[Crawl]:
        """All crawls, oldest first."""
        crawls = (self._read(_to_crawl, row, f"crawl {row[0]}") for row in self._crawls("ORDER BY id", ()))
        return [crawl for crawl in crawls if crawl is not None]

    def crawl(self, identifier: int) -> Crawl:
        """The crawl of that number."""
        found = self._crawls("WHERE id = ?", (identifier,))
        if not found:
            raise StoreError(f"{self.path}: no crawl {identifier}")
        return self._crawl(found[0])

    def last_crawl(self, spider: str | None = None) -> Crawl:
        """The crawl, of that spider or of any, that started last."""
        crawls = [crawl for crawl in self.crawls() if spider in {None, crawl.spider}]
        if not crawls:
            raise StoreError(f"{self.path}: no crawl" + (f" of spider {spider!r}" if spider else " yet"))
        return crawls[-1]

    def sites(
        self,
        crawl: int,
        *,
        limit: int | None = None,
        doubtful: bool = False,
        also: Iterable[str] = (),
    ) -> Iterator[tuple[str, SiteFigures]]:
        """Sites with their figures, most pages first, one at a time from the disk.

        :param limit: at most so many.
        :param doubtful: only those that :func:`scrapy_tps.stats.doubts.doubts` may have something to say about, and
            those called `also`.
        """
        query = _select(doubtful=doubtful)
        values = {"crawl": crawl, "limit": -1 if limit is None else limit, "also": json.dumps([*also])}
        with self._errors():
            for site, *row in self._connection.execute(query, values):
                figures = self._read(_from_row, row, f"crawl {crawl}, site {site!s}")
                if figures is not None:
                    yield str(site), figures

    def by_name(self, crawl: int) -> Iterator[tuple[str, SiteFigures]]:
        """Sites of a crawl with their figures, in the order of their names, one at a time from the disk."""
        with self._errors():
            rows = self._connection.execute(
                f"SELECT site, {', '.join(_COLUMNS)} FROM site WHERE crawl = ? ORDER BY site", (crawl,)
            )
            for site, *row in rows:
                figures = self._read(_from_row, row, f"crawl {crawl}, site {site!s}")
                if figures is not None:
                    yield str(site), figures

    def queries(self, crawl: int) -> Iterator[QueryRow]:
        """The queries and fields of each site of a crawl, those first that have found nothing on most pages since they
        found something.
        """
        with self._errors():
            yield from self._queries(query_table.rows(self._connection, crawl), f"crawl {crawl}")

    def earlier(self, crawl: int) -> Earlier:
        """What a crawl gives less of than one of the spider's last crawls before it did."""
        with self._errors():
            found = (
                (number, row)
                for number, read in query_table.rows_that_fell(self._connection, crawl)
                for row in self._queries([read], f"crawl {number}")
            )
            rows = [list(group) for _, group in groupby(found, key=lambda one: one[1].key)]
            return Earlier(rows, *fewer_items(self._connection, crawl))

    def trend(self, crawl: int) -> Trend:
        """The sites of a crawl in the spider's last crawls up to it."""
        found: Trend = {}
        with self._errors():
            fields = fields_by_crawl(self._connection, crawl)
            for number, site, *row in sites_by_crawl(self._connection, crawl, _COLUMNS):
                figures = self._read(_from_row, row, f"crawl {number}, site {site!s}")
                if figures is not None:
                    found.setdefault(str(site), []).append((number, figures, fields.get((number, site), 0.0)))
        return found

    def _queries(self, rows: Iterable[Sequence[Any]], of: str) -> Iterator[QueryRow]:
        for row in rows:
            found = self._read(query_table.from_row, row, f"{of}, site {row[0]!s}, query {row[3]!s}")
            if found is not None:
                yield found

    def _read(self, read: Callable[[Sequence[Any]], _T], row: Sequence[Any], what: str) -> _T | None:
        """Return what a row says; None, and the row told, where it can't be read."""
        try:
            return read(row)
        except ValueError as error:
            message = f"{self.path}: {what}: {error}; the row is left out"
        if message not in self.unreadable and len(self.unreadable) < MOST_TOLD:
            self.unreadable.append(message)
        return None

    def site_count(self, crawl: int) -> int:
        """How many sites the crawl has."""
        with self._errors():
            row = self._connection.execute("SELECT count(*) FROM site WHERE crawl = ?", (crawl,)).fetchone()
        return int(row[0])

    def _add(self, crawl: int, sites: Mapping[str, SiteFigures]) -> None:
        self._connection.executemany(_ADD, ((crawl, site, *_to_row(sites[site])) for site in sorted(sites)))
        for site in sorted(sites):
            query_table.add(self._connection, crawl, site, sites[site].queries)
        self._connection.execute("UPDATE crawl SET written = ? WHERE id = ?", (_now(), crawl))

    def _crawl(self, row: Sequence[Any]) -> Crawl:
        try:
            return _to_crawl(row)
        except ValueError as error:
            raise StoreError(f"{self.path}: crawl {row[0]} can't be read: {error}") from None

    def _crawls(self, which: str, parameters: tuple[Any, ...]) -> list[Sequence[Any]]:
        with self._errors():
            return self._connection.execute(
                f"SELECT id, spider, started, written, finished, reason, job FROM crawl {which}", parameters
            ).fetchall()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
