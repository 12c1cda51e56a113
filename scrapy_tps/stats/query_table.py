"""The table of queries and fields in the file of figures: how its rows are written and read.

Nothing imports Scrapy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.stats.queries import MOST_QUERIES, NUMBERS, Asker, Queries, QueryFigures, QueryRow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_KEY: Final = "crawl, site, callback, item, query"
#: How figures in the table and those of later pages add up, as :meth:`QueryFigures.merge` does it.
_MERGED: Final = {
    **{name: f"{name} = {name} + excluded.{name}" for name in NUMBERS},
    "dry": "dry = CASE WHEN excluded.found_pages > 0 THEN excluded.dry ELSE dry + excluded.dry END",
    "last_found": "last_found = max(last_found, excluded.last_found)",
    "sketch": "sketch = sketch | excluded.sketch",
}

SCHEMA: Final = (
    "CREATE TABLE query (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " callback TEXT NOT NULL, item TEXT NOT NULL, query TEXT NOT NULL, "
    + ", ".join(f"{name} INTEGER NOT NULL" for name in NUMBERS)
    + f", PRIMARY KEY ({_KEY})) WITHOUT ROWID"
)
_ADD: Final = (
    f"INSERT INTO query ({_KEY}, {', '.join(NUMBERS)}) VALUES ({', '.join('?' * (len(NUMBERS) + 5))})"
    f" ON CONFLICT ({_KEY}) DO UPDATE SET {', '.join(_MERGED.values())}"
)
_COLUMNS: Final = ("site", "callback", "item", "query", *NUMBERS)
#: Crawls of a spider before one that it is compared with.
EARLIER: Final = 5
#: Those crawls; `:crawl` itself is none of them.
BEFORE: Final = (
    "(SELECT id FROM crawl WHERE id < :crawl AND spider = (SELECT spider FROM crawl WHERE id = :crawl)"
    f" ORDER BY id DESC LIMIT {EARLIER})"
)
#: Rows that found clearly less often than in one of these crawls, with their rows there. How much is clear is for
#: :func:`scrapy_tps.stats.health.fell` to say.
_FELL: Final = (
    f"SELECT other.crawl, {', '.join(f'other.{name}' for name in _COLUMNS)} FROM query JOIN query AS other"
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


def add(connection: sqlite3.Connection, crawl: int, site: str, queries: Queries) -> None:
    """Add the figures of later pages; beyond :data:`MOST_QUERIES` queries of a site they are added up."""
    if not queries:
        return
    found = connection.execute(
        "SELECT callback, query, item FROM query WHERE crawl = ? AND site = ? LIMIT ?",
        (crawl, site, MOST_QUERIES + 1),
    )
    known = {Asker(*map(str, row)) for row in found}
    bounded = Queries(known)
    bounded.merge(queries)
    connection.executemany(
        _ADD,
        ((crawl, site, asker.callback, asker.item, asker.query, *one.numbers) for asker, one in bounded),
    )


def rows(connection: sqlite3.Connection, crawl: int) -> Iterator[Sequence[Any]]:
    """Rows of one crawl in the order of :meth:`QueryRow.order`, for :func:`from_row`."""
    yield from connection.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM query WHERE crawl = ?"
        " ORDER BY found_pages = 0, dry DESC, pages DESC, site, callback, item, query",
        (crawl,),
    )


def rows_that_fell(connection: sqlite3.Connection, crawl: int) -> Iterator[tuple[int, Sequence[Any]]]:
    """Crawl and row of what found clearly less often in a crawl than in one of the spider's :data:`EARLIER` crawls
    before it; in all of these crawls, the oldest first.
    """
    for number, *row in connection.execute(_FELL, {"crawl": crawl}):
        yield number, row


def from_row(row: Sequence[Any]) -> QueryRow:
    """Return what a row says; raise ``ValueError`` where it can't be read."""
    site, callback, item, query, *numbers = row
    figures = QueryFigures.from_numbers(numbers)
    return QueryRow(str(site), str(callback), str(query), figures, str(item))
