"""The table of queries in the file of figures: how its rows are written and read.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.stats.queries import MOST_QUERIES, Asker, Queries, QueryFigures, QueryRow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_NUMBERS: Final = tuple(one.name for one in fields(QueryFigures))
_KEY: Final = "crawl, site, callback, query"
#: How figures in the table and those of later pages add up, as :meth:`QueryFigures.merge` does it.
_MERGED: Final = {
    **{name: f"{name} = {name} + excluded.{name}" for name in _NUMBERS},
    "dry": "dry = CASE WHEN excluded.found_pages > 0 THEN excluded.dry ELSE dry + excluded.dry END",
    "last_found": "last_found = max(last_found, excluded.last_found)",
}
#: :meth:`QueryFigures.finds_nothing_any_more`.
_BROKEN: Final = "found_pages >= :broken AND dry >= :broken AND dry * found_pages >= :broken * (pages - dry)"

SCHEMA: Final = (
    "CREATE TABLE query (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " callback TEXT NOT NULL, query TEXT NOT NULL, "
    + ", ".join(f"{name} INTEGER NOT NULL" for name in _NUMBERS)
    + f", PRIMARY KEY ({_KEY})) WITHOUT ROWID"
)
_ADD: Final = (
    f"INSERT INTO query ({_KEY}, {', '.join(_NUMBERS)}) VALUES ({', '.join('?' * (len(_NUMBERS) + 4))})"
    f" ON CONFLICT ({_KEY}) DO UPDATE SET {', '.join(_MERGED.values())}"
)
#: Crawls of a spider before one in which a query found nothing that are searched for when it did.
EARLIER: Final = 5
_SINCE: Final = (
    f"SELECT other.site, other.callback, other.query, {', '.join(f'other.{name}' for name in _NUMBERS)} FROM query"
    " JOIN query AS other ON other.site = query.site AND other.callback = query.callback AND other.query = query.query"
    " WHERE query.crawl = :crawl AND query.found_pages = 0 AND query.pages >= :pages"
    " AND (other.crawl = :crawl OR other.crawl IN (SELECT id FROM crawl WHERE id < :crawl"
    " AND spider = (SELECT spider FROM crawl WHERE id = :crawl) ORDER BY id DESC LIMIT :earlier))"
    " ORDER BY other.site, other.callback, other.query, other.crawl"
)
_SELECT: Final = f"SELECT site, callback, query, {', '.join(_NUMBERS)} FROM query"


def add(connection: sqlite3.Connection, crawl: int, site: str, queries: Queries) -> None:
    """Add the figures of later pages; beyond :data:`MOST_QUERIES` queries of a site they are added up."""
    if not queries:
        return
    found = connection.execute(
        "SELECT callback, query FROM query WHERE crawl = ? AND site = ? LIMIT ?",
        (crawl, site, MOST_QUERIES + 1),
    )
    known = {Asker(str(callback), str(query)) for callback, query in found}
    bounded = Queries(known)
    bounded.merge(queries)
    connection.executemany(
        _ADD,
        ((crawl, site, *asker, *(getattr(figures, name) for name in _NUMBERS)) for asker, figures in bounded),
    )


def rows(
    connection: sqlite3.Connection, crawl: int, *, limit: int | None, broken: int
) -> Iterator[Sequence[Any]]:
    """Rows of one crawl in the order of :meth:`QueryRow.order`, for :func:`from_row`."""
    yield from connection.execute(
        f"{_SELECT} WHERE crawl = :crawl{f' AND {_BROKEN}' if broken else ''}"
        " ORDER BY found_pages = 0, dry DESC, pages DESC, site, callback, query LIMIT :limit",
        {"crawl": crawl, "broken": broken, "limit": -1 if limit is None else limit},
    )


def rows_since(connection: sqlite3.Connection, crawl: int, pages: int) -> Iterator[Sequence[Any]]:
    """Rows of the queries that found nothing on `pages` pages or more of a crawl, and on none: those of that crawl and
    of the spider's :data:`EARLIER` crawls before it, those of a query together, the oldest crawl first.
    """
    yield from connection.execute(_SINCE, {"crawl": crawl, "pages": pages, "earlier": EARLIER})


def all_rows(connection: sqlite3.Connection) -> Iterator[Sequence[Any]]:
    """Rows of all crawls, those of a query together, the oldest crawl first."""
    yield from connection.execute(f"{_SELECT} ORDER BY site, callback, query, crawl")


def from_row(row: Sequence[Any]) -> QueryRow:
    """Return what a row says; raise ``ValueError`` where it can't be read."""
    site, callback, query, *numbers = row
    for name, value in zip(_NUMBERS, numbers, strict=True):
        if type(value) is not int or value < 0:
            raise ValueError(f"{name}: {str(value)[:60]!r} is not a whole number, 0 or more")
    return QueryRow(str(site), str(callback), str(query), QueryFigures(*numbers))
