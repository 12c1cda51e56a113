"""A crawl among the spider's crawls before it: how they are read from the file of figures.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy_tps.stats.query_table import BEFORE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.queries import QueryRow

#: Sites in several crawls, the oldest first: crawl, figures, and the share of their fields that were filled.
Trend: TypeAlias = "dict[str, list[tuple[int, SiteFigures, float | None]]]"


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the spider's crawls before one gave, where that one gives clearly less.

    :ivar rows: queries and fields, each with its rows in these crawls and in that one, the oldest crawl first.
    :ivar items: site, crawl, and items then, of sites that give less than half of the items of each of these crawls.
    :ivar new: the site with most items that none of these crawls saw, and how many.
    """

    rows: list[list[tuple[int, QueryRow]]] = field(default_factory=list)
    items: list[tuple[str, int, int]] = field(default_factory=list)
    new: tuple[str, int] | None = None


#: Sites whose trend is told, those with most pages.
MOST_TRENDS = 1000

#: Items that a site must have given before that it gives fewer is told.
ENOUGH_ITEMS = 10

_FEWER_ITEMS = (
    "SELECT other.site, max(other.crawl), min(other.items) FROM site AS other JOIN crawl ON crawl.id = other.crawl"
    " LEFT JOIN site ON site.crawl = :crawl AND site.site = other.site"
    f" WHERE other.crawl IN {BEFORE} AND crawl.reason = 'finished' AND other.items > 0"
    " AND typeof(other.items) = 'integer' AND typeof(coalesce(site.items, 0)) = 'integer'"
    " AND EXISTS (SELECT 1 FROM crawl WHERE id = :crawl AND reason = 'finished')"
    f" GROUP BY other.site HAVING min(other.items) >= {ENOUGH_ITEMS} AND 2 * coalesce(site.items, 0) < min(other.items)"
    " ORDER BY min(other.items) DESC LIMIT 1000"
)
_NEW_SITE = (
    "SELECT site, items FROM site WHERE crawl = :crawl AND items > 0"
    f" AND site NOT IN (SELECT site FROM site WHERE crawl IN {BEFORE}) ORDER BY items DESC LIMIT 1"
)
_LAST = f"(crawl = :crawl OR crawl IN {BEFORE})"
_FIELDS = (
    f"SELECT crawl, site, sum(found) * 1.0 / sum(asked) FROM query WHERE {_LAST} AND item <> '' AND query <> ''"
    " AND asked > 0 GROUP BY crawl, site"
)


def fewer_items(
    connection: sqlite3.Connection, crawl: int
) -> tuple[list[tuple[str, int, int]], tuple[str, int] | None]:
    """Return :attr:`Earlier.items` and :attr:`Earlier.new`; nothing where a crawl did not end by itself."""
    items = connection.execute(_FEWER_ITEMS, {"crawl": crawl}).fetchall()
    return items, connection.execute(_NEW_SITE, {"crawl": crawl}).fetchone() if items else None


def fields_by_crawl(connection: sqlite3.Connection, crawl: int) -> dict[tuple[int, str], float]:
    """The share of the fields that were filled, by crawl and site, of a crawl and those before it."""
    return {(number, site): share for number, site, share in connection.execute(_FIELDS, {"crawl": crawl})}


def sites_by_crawl(
    connection: sqlite3.Connection, crawl: int, columns: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Crawl, site and these columns of the sites of a crawl, in it and in those before it, the oldest first."""
    yield from connection.execute(
        f"SELECT crawl, site, {', '.join(columns)} FROM site WHERE {_LAST} AND site IN"
        " (SELECT site FROM site WHERE crawl = :crawl ORDER BY pages DESC LIMIT :most) ORDER BY crawl",
        {"crawl": crawl, "most": MOST_TRENDS},
    )
