"""A crawl among the spider's crawls before it: how they are read from the file of figures.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from scrapy_tps.stats.query_table import BEFORE

if TYPE_CHECKING:
    import sqlite3

    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.queries import QueryRow

#: Sites in several crawls, the oldest first.
Trend: TypeAlias = "dict[str, list[tuple[int, SiteFigures]]]"


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
    "SELECT other.site, max(other.crawl), min(other.n) FROM figure AS other JOIN crawl ON crawl.id = other.crawl"
    " LEFT JOIN figure AS now ON now.crawl = :crawl AND now.site = other.site AND now.name = 'items'"
    f" WHERE other.crawl IN {BEFORE} AND crawl.reason = 'finished' AND other.name = 'items' AND other.n > 0"
    " AND typeof(other.n) = 'integer' AND typeof(coalesce(now.n, 0)) = 'integer'"
    " AND EXISTS (SELECT 1 FROM crawl WHERE id = :crawl AND reason = 'finished')"
    f" GROUP BY other.site HAVING min(other.n) >= {ENOUGH_ITEMS} AND 2 * coalesce(now.n, 0) < min(other.n)"
    " ORDER BY min(other.n) DESC LIMIT 1000"
)
_NEW_SITE = (
    "SELECT site, n FROM figure WHERE crawl = :crawl AND name = 'items' AND n > 0"
    f" AND site NOT IN (SELECT site FROM figure WHERE crawl IN {BEFORE} AND name = 'pages') ORDER BY n DESC LIMIT 1"
)
_SITES = (
    "SELECT figure.site, figure.crawl FROM"
    " (SELECT site FROM figure WHERE crawl = :crawl AND name = 'pages' ORDER BY n DESC LIMIT :most) AS most"
    " CROSS JOIN figure ON figure.site = most.site AND figure.name = 'pages'"
    f" AND figure.crawl IN (SELECT :crawl UNION ALL SELECT id FROM {BEFORE})"
    " ORDER BY figure.site, figure.crawl"
)


def fewer_items(
    connection: sqlite3.Connection, crawl: int
) -> tuple[list[tuple[str, int, int]], tuple[str, int] | None]:
    """Return :attr:`Earlier.items` and :attr:`Earlier.new`; nothing where a crawl did not end by itself."""
    items = connection.execute(_FEWER_ITEMS, {"crawl": crawl}).fetchall()
    return items, connection.execute(_NEW_SITE, {"crawl": crawl}).fetchone() if items else None


def sites_by_crawl(connection: sqlite3.Connection, crawl: int) -> list[tuple[str, list[int]]]:
    """The sites of a crawl, each with those of it and the crawls before it that saw the site, the oldest first."""
    rows = connection.execute(_SITES, {"crawl": crawl, "most": MOST_TRENDS}).fetchall()
    return [(site, [number for _, number in found]) for site, found in groupby(rows, itemgetter(0))]
