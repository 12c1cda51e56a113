"""Per-site figures of all crawls, kept on disk in one SQLite file.

Several crawls, processes and spiders of one process write to the same file at once: each write is one short transaction
that *adds* figures. The file is in WAL mode if the file system allows it (readers then do not block writers), otherwise
in SQLite's rollback mode; in both, a process killed at any moment loses only the figures that it has not written yet.
``synchronous`` is NORMAL: a crash of the whole machine may cost the last transactions, never the file.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_tps.settings.parsing import shown
from scrapy_tps.stats.coverage import MOST_QUERIES, NUMBERS, Asker, Queries, QueryFigures, QueryRow
from scrapy_tps.stats.database import HASTE, PATIENCE, Database, StoreError
from scrapy_tps.stats.figures import SiteFigures, read_counts
from scrapy_tps.stats.health import BEFORE, Earlier, fewer_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


_QUERY_KEY: Final = "crawl, site, callback, item, query"
#: How figures in the table and those of later pages add up, as in :meth:`QueryFigures.merge`.
_MERGED: Final = {
    **{name: f"{name} = {name} + excluded.{name}" for name in NUMBERS},
    "dry": "dry = CASE WHEN excluded.found_pages > 0 THEN excluded.dry ELSE dry + excluded.dry END",
    "last_found": "last_found = max(last_found, excluded.last_found)",
    "sketch": "sketch = sketch | excluded.sketch",
}

_QUERY_SCHEMA: Final = (
    "CREATE TABLE query (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " callback TEXT NOT NULL, item TEXT NOT NULL, query TEXT NOT NULL, "
    + ", ".join(f"{name} INTEGER NOT NULL" for name in NUMBERS)
    + f", PRIMARY KEY ({_QUERY_KEY})) WITHOUT ROWID"
)
_ADD_QUERY: Final = (
    f"INSERT INTO query ({_QUERY_KEY}, {', '.join(NUMBERS)}) VALUES ({', '.join('?' * (len(NUMBERS) + 5))})"
    f" ON CONFLICT ({_QUERY_KEY}) DO UPDATE SET {', '.join(_MERGED.values())}"
)
_QUERY_COLUMNS: Final = ("site", "callback", "item", "query", *NUMBERS)
#: Rows that found clearly less often than in one of these crawls, with their rows there.
#: :func:`scrapy_tps.stats.health.fell` decides how much is clear.
_FELL: Final = (
    f"SELECT other.crawl, {', '.join(f'other.{name}' for name in _QUERY_COLUMNS)} FROM query JOIN query AS other"
    " ON other.site = query.site AND other.callback = query.callback AND other.item = query.item"
    " AND other.query = query.query WHERE query.crawl = :crawl"
    f" AND (other.crawl = :crawl OR other.crawl IN {BEFORE}) AND EXISTS (SELECT 1 FROM query AS best"
    f" WHERE best.crawl IN {BEFORE} AND best.site = query.site AND best.callback = query.callback"
    " AND best.item = query.item AND best.query = query.query AND (query.found_pages = 0 AND best.found_pages > 0"
    " OR query.found_pages * best.pages < .9 * best.found_pages * query.pages"
    " OR query.found * best.asked < .9 * best.found * query.asked"
    " OR query.query = '' AND query.found * best.pages < .9 * best.found * query.pages))"
    " ORDER BY other.site, other.callback, other.item, other.query, other.crawl"
)


#: Rows of one crawl in the order of :meth:`QueryRow.order`.
_QUERIES: Final = (
    f"SELECT {', '.join(_QUERY_COLUMNS)} FROM query WHERE crawl = ?"
    " ORDER BY found_pages = 0, dry DESC, pages DESC, site, callback, item, query"
)


def _to_query_row(row: Sequence[Any]) -> QueryRow:
    """Return the data of a row; raise ``ValueError`` if it can't be read."""
    site, callback, item, query, *numbers = row
    figures = QueryFigures.from_numbers(numbers)
    return QueryRow(str(site), str(callback), str(query), figures, str(item))


_T = TypeVar("_T")

_SCHEMA = (
    "CREATE TABLE crawl (id INTEGER PRIMARY KEY AUTOINCREMENT, spider TEXT NOT NULL, started TEXT NOT NULL,"
    " written TEXT NOT NULL, finished TEXT, reason TEXT, job TEXT)",
    "CREATE TABLE figure (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " name TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (crawl, site, name)) WITHOUT ROWID",
    _QUERY_SCHEMA,
    # selectors of parts that the shadow check found missing on a spider's sites, as in TPS_KEEP
    "CREATE TABLE keep (spider TEXT NOT NULL, site TEXT NOT NULL, selector TEXT NOT NULL,"
    " PRIMARY KEY (spider, site, selector)) WITHOUT ROWID",
)

#: The most unreadable rows of a file that are reported.
MOST_TOLD = 100

_ADD = (
    "INSERT INTO figure (crawl, site, name, n) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (crawl, site, name) DO UPDATE SET n = n + excluded.n"
)

_NAMES = "SELECT name FROM figure WHERE crawl = ? AND site = ?"

#: Sites of a crawl, most pages first. Each site has a row of pages, even if it counts none.
_SITES = "SELECT site FROM figure WHERE crawl = ? AND name = 'pages' ORDER BY n DESC, site"


@dataclass(frozen=True, slots=True)
class Crawl:
    """One crawl in the store; the times are UTC."""

    id: int
    spider: str
    started: datetime
    written: datetime
    """The time when its figures were last written."""
    finished: datetime | None
    """None while it runs, and permanently if it was killed."""
    reason: str | None
    """Scrapy's reason for the end: ``finished``, ``shutdown`` …"""
    job: str | None = None
    """The distributed crawl that it is part of (``TPS_JOB``)."""


def _to_crawl(row: Sequence[Any]) -> Crawl:
    identifier, spider, *times, reason, job = row
    try:
        started, written, finished = (None if one is None else datetime.fromisoformat(one) for one in times)
    except (TypeError, ValueError):
        raise ValueError(f"{shown(tuple(times))} are not its times") from None
    if (
        started is None
        or written is None
        or any(one and one.tzinfo is None for one in (started, written, finished))
    ):
        raise ValueError(f"{shown(tuple(times))} are not its times")
    if not isinstance(spider, str) or not isinstance(reason, str | None) or not isinstance(job, str | None):
        raise ValueError(
            f"{shown((spider, reason, job))} are not its spider, the reason of its end and its job"
        )
    return Crawl(identifier, spider, started, written, finished, reason, job)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


class FiguresStore(Database):
    """An open store. Use it from one thread; each crawl opens its own.

    Rows that can't be read, for example because another program has written to the file, are skipped when several are
    read, and reported in :attr:`unreadable`.

    :param path: the file; it and its directory are created when `create` is true.
    :param patience: see :class:`~scrapy_tps.stats.database.Database`.
    :raises StoreError: from every method.
    """

    schema_version = 8
    schema = _SCHEMA
    pragmas = ("PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON")
    missing = "no crawl has written its figures there"
    write_ahead = True

    def __init__(self, path: str | Path, *, create: bool = True, patience: float = PATIENCE) -> None:
        super().__init__(path, create=create, patience=patience)
        self.unreadable: list[str] = []
        """Unreadable rows, each with file, crawl, site and error; the first 100."""
        # bytes that are not text make a row unreadable, but do not make the query fail
        self._connection.text_factory = _text

    def begin_crawl(
        self,
        spider: str,
        *,
        started: datetime | None = None,
        job: str | None = None,
        patience: float | None = None,
    ) -> int:
        """Enter a crawl with this start (default: now) that is part of `job`; return its number."""
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
        """Add the last figures and enter the end of the crawl, in one transaction."""
        with self._transaction(patience):
            self._add(crawl, sites)
            self._connection.execute(
                "UPDATE crawl SET finished = written, reason = ? WHERE id = ?", (reason, crawl)
            )

    def keep(self, spider: str, site: str, selectors: Iterable[str]) -> None:
        """Enter a selector to keep on a site in all later crawls of a spider."""
        with self._transaction(HASTE):
            self._connection.executemany(
                "INSERT OR IGNORE INTO keep (spider, site, selector) VALUES (?, ?, ?)",
                [(spider, site, selector) for selector in selectors],
            )

    def kept(self, spider: str) -> list[tuple[str, str]]:
        """Return the sites of a spider and the selectors to keep on them."""
        with self._errors():
            found = self._connection.execute(
                "SELECT site, selector FROM keep WHERE spider = ? ORDER BY site, selector", (spider,)
            )
            return list(found.fetchall())

    def crawls(self) -> list[Crawl]:
        """All crawls, oldest first."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT id, spider, started, written, finished, reason, job FROM crawl ORDER BY id"
            ).fetchall()
        crawls = (self._read(_to_crawl, row, f"crawl {row[0]}") for row in rows)
        return [crawl for crawl in crawls if crawl is not None]

    def crawl(self, identifier: int) -> Crawl:
        """The crawl of that number."""
        for crawl in self.crawls():
            if crawl.id == identifier:
                return crawl
        start = f"{self.path}: crawl {identifier}: "
        damaged = (told for told in self.unreadable if told.startswith(start))
        raise StoreError(next(damaged, f"{self.path}: no crawl {identifier}"))

    def last_crawl(self, spider: str | None = None) -> Crawl:
        """Return the last started crawl of that spider, or of any."""
        crawls = [crawl for crawl in self.crawls() if spider in {None, crawl.spider}]
        if not crawls:
            raise StoreError(f"{self.path}: no crawl" + (f" of spider {spider!r}" if spider else " yet"))
        return crawls[-1]

    def sites(self, crawl: int, *, limit: int | None = None) -> Iterator[tuple[str, SiteFigures]]:
        """Yield the sites with their figures, most pages first, one at a time from the disk; at most `limit`."""
        with self._errors():
            rows = self._connection.execute(_SITES, (crawl,))
            found = ((str(site), self._figures(crawl, site)) for (site,) in rows)
            yield from islice((pair for pair in found if pair[1]), limit)

    def by_name(self, crawl: int) -> Iterator[tuple[str, SiteFigures]]:
        """Yield the sites of a crawl with their figures, in the order of their names, one at a time from the disk."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT site, name, n FROM figure WHERE crawl = ? ORDER BY site, name", (crawl,)
            )
            for site, found in groupby(rows, itemgetter(0)):
                if figures := self._read_figures(crawl, site, ((name, n) for _, name, n in found)):
                    yield str(site), figures

    def _figures(self, crawl: int, site: str) -> SiteFigures:
        rows = self._connection.execute(
            "SELECT name, n FROM figure WHERE crawl = ? AND site = ?", (crawl, site)
        )
        return self._read_figures(crawl, site, rows)

    def _read_figures(self, crawl: int, site: str, rows: Iterable[tuple[Any, Any]]) -> SiteFigures:
        return read_counts(rows, lambda what: self._tell(f"crawl {crawl}, site {site}, {what}"))

    def queries(self, crawl: int) -> Iterator[QueryRow]:
        """Yield the selectors and fields of each site of a crawl, those first that have found nothing on the most pages
        since their last match.
        """
        with self._errors():
            yield from self._queries(self._connection.execute(_QUERIES, (crawl,)), f"crawl {crawl}")

    def earlier(self, crawl: int) -> Earlier:
        """Return the selectors and fields that found more in one of the spider's last crawls before a crawl."""
        with self._errors():
            found = (
                (number, row)
                for number, *read in self._connection.execute(_FELL, {"crawl": crawl})
                for row in self._queries([read], f"crawl {number}")
            )
            rows = [list(group) for _, group in groupby(found, key=lambda one: one[1].key)]
            return Earlier(rows, *fewer_items(self._connection, crawl))

    def _queries(self, rows: Iterable[Sequence[Any]], of: str) -> Iterator[QueryRow]:
        for row in rows:
            found = self._read(_to_query_row, row, f"{of}, site {row[0]!s}, query {row[3]!s}")
            if found is not None:
                yield found

    def _read(self, read: Callable[[Sequence[Any]], _T], row: Sequence[Any], what: str) -> _T | None:
        """Return the data of a row; if it can't be read, report the row and return None."""
        try:
            return read(row)
        except ValueError as error:
            self._tell(f"{what}: {error}")
        return None

    def _tell(self, what: str) -> None:
        message = f"{self.path}: {what}; the row is left out"
        if message not in self.unreadable and len(self.unreadable) < MOST_TOLD:
            self.unreadable.append(message)

    def site_count(self, crawl: int) -> int:
        """Return the number of sites of the crawl."""
        with self._errors():
            row = self._connection.execute(
                "SELECT count(*) FROM figure WHERE crawl = ? AND name = 'pages'", (crawl,)
            ).fetchone()
        return int(row[0])

    def _add(self, crawl: int, sites: Mapping[str, SiteFigures]) -> None:
        for site in sorted(sites):
            known = self._connection.execute(_NAMES, (crawl, site))
            bounded = SiteFigures((name, 0) for (name,) in known)
            bounded.add(sites[site])
            counts = [(name, number) for name, number in bounded.items() if number]
            self._connection.executemany(_ADD, ((crawl, site, *one) for one in [("pages", 0), *counts]))
            self._add_queries(crawl, site, sites[site].queries)
        self._connection.execute("UPDATE crawl SET written = ? WHERE id = ?", (_now(), crawl))

    def _add_queries(self, crawl: int, site: str, queries: Queries) -> None:
        """Add the figures of later pages; beyond :data:`MOST_QUERIES` selectors of a site, they are added up."""
        if not queries:
            return
        found = self._connection.execute(
            "SELECT callback, query, item FROM query WHERE crawl = ? AND site = ? LIMIT ?",
            (crawl, site, MOST_QUERIES + 1),
        )
        bounded = Queries({Asker(*map(str, row)) for row in found})
        bounded.merge(queries)
        self._connection.executemany(
            _ADD_QUERY,
            (
                (crawl, site, asker.callback, asker.item, asker.query, *one.numbers)
                for asker, one in bounded.items()
            ),
        )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
