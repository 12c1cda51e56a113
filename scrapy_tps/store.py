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
from typing import TYPE_CHECKING, Any

from scrapy_tps import doubts
from scrapy_tps.database import HASTE, Database, StoreError
from scrapy_tps.figures import COUNTERS, TALLIES, ReductionHistogram, SiteFigures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_JSON_COLUMNS = (*TALLIES, "reduction_steps")
_NUMBER_COLUMNS = (*COUNTERS, "reduction_millionths")
_COLUMNS = (*_NUMBER_COLUMNS, *_JSON_COLUMNS)

_SCHEMA = (
    "CREATE TABLE crawl (id INTEGER PRIMARY KEY AUTOINCREMENT, spider TEXT NOT NULL, started TEXT NOT NULL,"
    " written TEXT NOT NULL, finished TEXT, reason TEXT)",
    "CREATE TABLE site (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL, "
    + ", ".join(f"{name} INTEGER NOT NULL" for name in _NUMBER_COLUMNS)
    + ", "
    + ", ".join(f"{name} TEXT NOT NULL" for name in _JSON_COLUMNS)
    + ", PRIMARY KEY (crawl, site)) WITHOUT ROWID",
)

_ADD = (
    f"INSERT INTO site (crawl, site, {', '.join(_COLUMNS)}) VALUES ({', '.join('?' * (len(_COLUMNS) + 2))})"
    " ON CONFLICT (crawl, site) DO UPDATE SET "
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in _NUMBER_COLUMNS)
    + ", "
    + ", ".join(f"{name} = tps_add({name}, excluded.{name})" for name in _JSON_COLUMNS)
)


def _select(*, one_crawl: bool, doubtful: bool) -> str:
    """The query for sites of one crawl (parameters: crawl, limit) or summed over all crawls (limit)."""
    if one_crawl:
        columns = {name: name for name in _COLUMNS}
    else:
        columns = {name: f"sum({name})" for name in _NUMBER_COLUMNS}
        columns |= {name: f"tps_sum({name})" for name in _JSON_COLUMNS}
    condition = f"({doubts.SQL.format(**columns)})" if doubtful else "1"
    return (
        f"SELECT site, {', '.join(columns.values())} FROM site "
        + (f"WHERE crawl = ? AND {condition} " if one_crawl else f"GROUP BY site HAVING {condition} ")
        + f"ORDER BY {columns['pages']} DESC, site LIMIT ?"
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


def _dump(tally: Mapping[Any, int]) -> str:
    return json.dumps({str(name): tally[name] for name in sorted(tally)}, separators=(",", ":"))


def _add_tallies(one: str, other: str) -> str:
    total: dict[str, int] = json.loads(one)
    for name, number in json.loads(other).items():
        total[name] = total.get(name, 0) + number
    return _dump(total)


class _SumTallies:
    def __init__(self) -> None:
        self.total: dict[str, int] = {}

    def step(self, tally: str) -> None:
        for name, number in json.loads(tally).items():
            self.total[name] = self.total.get(name, 0) + number

    def finalize(self) -> str:
        return _dump(self.total)


def _to_row(figures: SiteFigures) -> list[Any]:
    return [
        *(getattr(figures, name) for name in COUNTERS),
        figures.reduction.millionths,
        *(_dump(getattr(figures, name)) for name in TALLIES),
        _dump(figures.reduction.steps),
    ]


def _from_row(row: Sequence[Any]) -> SiteFigures:
    values = dict(zip(_COLUMNS, row, strict=True))
    steps = {int(step): pages for step, pages in json.loads(values.pop("reduction_steps")).items()}
    reduction = ReductionHistogram(steps, values.pop("reduction_millionths"))
    for name in TALLIES:
        values[name] = json.loads(values[name])
    return SiteFigures(**values, reduction=reduction)


def _to_crawl(row: Sequence[Any]) -> Crawl:
    identifier, spider, started, written, finished, reason = row
    return Crawl(
        identifier,
        spider,
        datetime.fromisoformat(started),
        datetime.fromisoformat(written),
        datetime.fromisoformat(finished) if finished else None,
        reason,
    )


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


class FiguresStore(Database):
    """An open store. Use it from one thread; each crawl opens its own.

    :param path: the file; it and its directory are created when `create` is true.
    :raises StoreError: from every method.
    """

    schema_version = 2
    schema = _SCHEMA
    pragmas = ("PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON")
    missing = "no crawl has written its figures there"
    write_ahead = True

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        super().__init__(path, create=create)
        with self._errors():
            self._connection.create_function("tps_add", 2, _add_tallies, deterministic=True)
            self._connection.create_aggregate("tps_sum", 1, _SumTallies)  # type: ignore[arg-type]

    def begin_crawl(self, spider: str) -> int:
        """Enter a crawl that starts now; return its number."""
        now = _now()
        with self._transaction():
            entered = self._connection.execute(
                "INSERT INTO crawl (spider, started, written) VALUES (?, ?, ?)", (spider, now, now)
            )
        assert entered.lastrowid is not None
        return entered.lastrowid

    def add(self, crawl: int, sites: Mapping[str, SiteFigures], *, patience: float = HASTE) -> None:
        """Add figures to those of the crawl, in one transaction."""
        with self._transaction(patience):
            self._add(crawl, sites)

    def finish_crawl(self, crawl: int, reason: str, sites: Mapping[str, SiteFigures]) -> None:
        """Add the last figures and enter that the crawl ends now, in one transaction."""
        with self._transaction():
            self._add(crawl, sites)
            self._connection.execute(
                "UPDATE crawl SET finished = written, reason = ? WHERE id = ?", (reason, crawl)
            )

    def crawls(self) -> list[Crawl]:
        """All crawls, oldest first."""
        return self._crawls("ORDER BY id", ())

    def crawl(self, identifier: int) -> Crawl:
        """The crawl of that number."""
        found = self._crawls("WHERE id = ?", (identifier,))
        if not found:
            raise StoreError(f"{self.path}: no crawl {identifier}")
        return found[0]

    def last_crawl(self, spider: str | None = None) -> Crawl:
        """The crawl, of that spider or of any, that started last."""
        where = "" if spider is None else "WHERE spider = ? "
        found = self._crawls(f"{where}ORDER BY id DESC LIMIT 1", () if spider is None else (spider,))
        if not found:
            raise StoreError(f"{self.path}: no crawl" + (f" of spider {spider!r}" if spider else " yet"))
        return found[0]

    def sites(
        self, crawl: int | None, *, limit: int | None = None, doubtful: bool = False
    ) -> Iterator[tuple[str, SiteFigures]]:
        """Sites with their figures, most pages first, one at a time from the disk.

        :param crawl: of this crawl; None adds up all crawls.
        :param limit: at most so many.
        :param doubtful: only those that :func:`scrapy_tps.doubts.doubts` has something to say about.
        """
        query = _select(one_crawl=crawl is not None, doubtful=doubtful)
        most = -1 if limit is None else limit
        with self._errors():
            for site, *row in self._connection.execute(query, (most,) if crawl is None else (crawl, most)):
                yield site, _from_row(row)

    def site_count(self, crawl: int) -> int:
        """How many sites the crawl has."""
        with self._errors():
            row = self._connection.execute("SELECT count(*) FROM site WHERE crawl = ?", (crawl,)).fetchone()
        return int(row[0])

    def _add(self, crawl: int, sites: Mapping[str, SiteFigures]) -> None:
        self._connection.executemany(_ADD, ((crawl, site, *_to_row(sites[site])) for site in sorted(sites)))
        self._connection.execute("UPDATE crawl SET written = ? WHERE id = ?", (_now(), crawl))

    def _crawls(self, which: str, parameters: tuple[Any, ...]) -> list[Crawl]:
        with self._errors():
            rows = self._connection.execute(
                f"SELECT id, spider, started, written, finished, reason FROM crawl {which}", parameters
            )
            return [_to_crawl(row) for row in rows]
