"""Per-site figures of all crawls, kept on disk in one SQLite file.

Several crawls, processes and spiders of one process write to the same file at once: each write is one short transaction
that *adds* figures. The file is in WAL mode if the file system allows it (readers then do not block writers), otherwise
in SQLite's rollback mode; in both, a process killed at any moment loses only the figures that it has not written yet.
``synchronous`` is NORMAL: a crash of the whole machine may cost the last transactions, never the file.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.proposals.proposal import Proposal, Proposals
from scrapy_tps.stats.coverage import NUMBERS, UseFigures, UseKey, UseRow, Uses
from scrapy_tps.stats.database import Database, StoreError, now, readable, utc
from scrapy_tps.stats.evidence import Earlier
from scrapy_tps.stats.fields import distinct
from scrapy_tps.stats.figures import SiteFigures, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

_SCHEMA: Final = (
    "CREATE TABLE crawl (id INTEGER PRIMARY KEY AUTOINCREMENT, spider TEXT NOT NULL, started TEXT NOT NULL,"
    " written TEXT NOT NULL, finished TEXT, reason TEXT, distributed_crawl TEXT, arguments INTEGER)",
    "CREATE TABLE figure (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " name TEXT NOT NULL, n INTEGER NOT NULL CHECK (typeof(n) = 'integer'), PRIMARY KEY (crawl, site, name))"
    " WITHOUT ROWID",
    "CREATE TABLE use (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " callback TEXT NOT NULL, item TEXT NOT NULL, name TEXT NOT NULL, "
    + ", ".join(f"{name} INTEGER NOT NULL CHECK (typeof({name}) = 'integer')" for name in NUMBERS)
    + ", PRIMARY KEY (crawl, site, callback, item, name)) WITHOUT ROWID",
    # selectors of parts that the shadow check found missing on a spider's sites, as in TPS_KEEP
    "CREATE TABLE keep (spider TEXT NOT NULL, site TEXT NOT NULL, selector TEXT NOT NULL,"
    " PRIMARY KEY (spider, site, selector)) WITHOUT ROWID",
    # values that a spider's selectors found, as JSON: see scrapy_tps.proposals.memory
    "CREATE TABLE memory (spider TEXT NOT NULL, site TEXT NOT NULL, callback TEXT NOT NULL,"
    " crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, selectors TEXT NOT NULL,"
    " PRIMARY KEY (spider, site, callback))",
    "CREATE TABLE proposal (crawl INTEGER NOT NULL REFERENCES crawl (id) ON DELETE CASCADE, site TEXT NOT NULL,"
    " callback TEXT NOT NULL, name TEXT NOT NULL, "
    + ", ".join(f"{one.name} NOT NULL" for one in fields(Proposal))
    + ", PRIMARY KEY (crawl, site, callback, name)) WITHOUT ROWID",
)

#: Sites of a crawl. Each site has a row of pages, even if it counts none.
_SITES: Final = "SELECT site FROM figure WHERE crawl = ? AND name = 'pages' ORDER BY n DESC, site LIMIT ?"
_USE_COLUMNS: Final = ("site", "callback", "item", "name", *NUMBERS)
#: The number of earlier crawls of a spider that a crawl is compared with.
_EARLIER: Final = 5
#: Those crawls, without `:crawl` itself.
_BEFORE: Final = (
    "(SELECT id FROM crawl WHERE id < :crawl AND spider = (SELECT spider FROM crawl WHERE id = :crawl)"
    f" ORDER BY id DESC LIMIT {_EARLIER})"
)

#: The fewest earlier items of a site before a decline is reported.
_ENOUGH_ITEMS: Final = 10

#: The fewest values of a field in an earlier crawl for it to vary. A choice.
_VARIED: Final = 5
#: The factor by which a field's texts have to change in length or in their share of digits. A choice.
_CHANGE: Final = 5
#: A smaller share of digits, before and after, is chance. A choice.
_DIGITS: Final = 0.2

#: Sites with less than half of their items in each earlier crawl with the same arguments; none if a crawl did not end
#: by itself.
_FEWER_ITEMS: Final = (
    "SELECT other.site, max(other.crawl), min(other.n) FROM figure AS other JOIN crawl ON crawl.id = other.crawl"
    " LEFT JOIN figure AS now ON now.crawl = :crawl AND now.site = other.site AND now.name = 'items'"
    f" WHERE other.crawl IN {_BEFORE} AND crawl.reason = 'finished' AND other.name = 'items' AND other.n > 0"
    " AND EXISTS (SELECT 1 FROM crawl AS one WHERE id = :crawl AND reason = 'finished'"
    " AND one.arguments = crawl.arguments)"
    f" GROUP BY other.site HAVING min(other.n) >= {_ENOUGH_ITEMS} AND 2 * coalesce(now.n, 0) < min(other.n)"
    " ORDER BY min(other.n) DESC LIMIT 1000"
)
_NEW_SITE: Final = (
    "SELECT site, n FROM figure WHERE crawl = :crawl AND name = 'items' AND n > 0"
    f" AND site NOT IN (SELECT site FROM figure WHERE crawl IN {_BEFORE} AND name = 'pages') ORDER BY n DESC LIMIT 1"
)
#: Rows that found clearly less often than in one of these crawls, with their rows there.
#: :func:`scrapy_tps.stats.evidence.fell` decides how much is clear.
_FELL: Final = (
    f"SELECT other.crawl, {', '.join(f'other.{name}' for name in _USE_COLUMNS)} FROM use JOIN use AS other"
    " USING (site, callback, item, name) WHERE use.crawl = :crawl"
    f" AND (other.crawl = :crawl OR other.crawl IN {_BEFORE}) AND EXISTS (SELECT 1 FROM use AS best"
    f" WHERE best.crawl IN {_BEFORE} AND best.site = use.site AND best.callback = use.callback"
    " AND best.item = use.item AND best.name = use.name"
    " AND (use.found_pages * best.pages < .9 * best.found_pages * use.pages"
    " OR use.found * best.asked < .9 * best.found * use.asked))"
    " ORDER BY other.site, other.callback, other.item, other.name, other.crawl"
)
#: Selectors and items that found nothing on some pages, as in one of these crawls, up to a tenth.
_USUAL: Final = (
    "SELECT DISTINCT use.site, use.callback, use.item, use.name FROM use JOIN use AS other"
    f" USING (site, callback, item, name) WHERE use.crawl = :crawl AND other.crawl IN {_BEFORE}"
    " AND use.found_pages > 0 AND use.found_pages < use.pages AND other.pages > other.found_pages"
    " AND other.found_pages * use.pages <= 1.1 * use.found_pages * other.pages LIMIT 100000"
)
#: Fields with one value and how often they have it, and the sketches of those of more values.
_ONE_VALUE: Final = (
    "SELECT other.crawl, other.sketch, use.found, use.site, use.callback, use.item, use.name FROM use JOIN use AS other"
    f" USING (site, callback, item, name) WHERE use.crawl = :crawl AND other.crawl IN {_BEFORE} AND use.name != ''"
    f" AND use.found >= {_ENOUGH_ITEMS} AND use.sketch != 0 AND (use.sketch & (use.sketch - 1)) = 0"
    " AND (other.sketch & (other.sketch - 1)) != 0 ORDER BY other.crawl LIMIT 10000"
)
#: Fields whose texts are, on average, a fifth as long as in each earlier crawl, or five times as long, or have such a
#: change of the share of digits; with the last earlier crawl, the length and the share there and now.
_OTHER_TEXTS: Final = (
    "SELECT max(other.crawl), 1.0 * other.chars / other.found_pages, 1.0 * other.digits / other.chars,"
    " 1.0 * use.chars / use.found_pages AS length, 1.0 * use.digits / use.chars AS share,"
    " use.site, use.callback, use.item, use.name FROM use JOIN use AS other USING (site, callback, item, name)"
    f" WHERE use.crawl = :crawl AND other.crawl IN {_BEFORE} AND use.chars > 0 AND other.chars > 0"
    f" AND use.found_pages >= {_ENOUGH_ITEMS} AND other.found_pages >= {_ENOUGH_ITEMS}"
    " GROUP BY use.site, use.callback, use.item, use.name"
    f" HAVING min(1.0 * other.chars / other.found_pages) >= {_CHANGE} * length"
    f" OR {_CHANGE} * max(1.0 * other.chars / other.found_pages) <= length"
    f" OR min(1.0 * other.digits / other.chars) >= max({_CHANGE} * share, {_DIGITS})"
    f" OR (share >= {_DIGITS} AND {_CHANGE} * max(1.0 * other.digits / other.chars) <= share)"
    " LIMIT 10000"
)
#: Rows of one crawl in the order of :meth:`UseRow.order`.
_USES: Final = (
    f"SELECT {', '.join(_USE_COLUMNS)} FROM use WHERE crawl = ?{{}}"
    " ORDER BY found_pages = 0, dry DESC, pages DESC, site, callback, item, name"
)


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
    distributed_crawl: str | None = None
    """The distributed crawl that it is part of (``TPS_DISTRIBUTED_CRAWL``)."""


def _crawl(number: int, spider: str, started: str, written: str, finished: str | None, *others: Any) -> Crawl:
    return Crawl(number, spider, utc(started), utc(written), utc(finished) if finished else None, *others)


def _use_row(row: Sequence[Any]) -> UseRow:
    site, callback, item, name, *numbers = row
    return UseRow(site, callback, item, name, UseFigures(*numbers))


def _text_change(crawl: int, chars_before: float, digits_before: float, chars: float, digits: float) -> str:
    """Say what has changed by a factor of five in the texts of a field: mean length, or share of digits."""
    if max(chars_before, chars) >= _CHANGE * min(chars_before, chars):
        return f"{counted(round(chars), 'character')} on average, {chars_before:,.0f} in crawl {crawl}"
    return f"{digits:.0%} digits, {digits_before:.0%} in crawl {crawl}"


class FiguresStore(Database):
    """An open store. Use it from one thread; each crawl opens its own.

    :param path: the file; it and its directory are created when `create` is true.
    :param patience: see :class:`~scrapy_tps.stats.database.Database`.
    :raises StoreError: from every method.
    """

    schema_version = 16
    schema = _SCHEMA
    pragmas = ("PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON")
    missing = "no crawl has written its figures there"
    write_ahead = True

    def begin_crawl(self, spider: str, *, started: datetime | None = None, **about: Any) -> int:
        """Enter a crawl with this start (default: now); return its number.

        :param about: `distributed_crawl`, of which it is a part; `arguments`, a hash of those of the spider.
        """
        written = now()
        more = about.get("distributed_crawl"), about.get("arguments", 0)
        with self._transaction():
            entered = self._connection.execute(
                "INSERT INTO crawl (spider, started, written, distributed_crawl, arguments) VALUES (?, ?, ?, ?, ?)",
                (spider, started.isoformat() if started else written, written, *more),
            )
        assert entered.lastrowid is not None
        return entered.lastrowid

    def add(self, crawl: int, sites: Mapping[str, SiteFigures], reason: str | None = None) -> None:
        """Add figures of later pages to those of the crawl, in one transaction; with a reason, enter its end.

        The file keeps as few names of a site apart as memory does.
        """
        connection = self._connection
        with self._transaction():
            for site in sorted(sites):
                before = self._figures(crawl, site)
                figures = SiteFigures(before)
                if sites[site].uses:
                    figures.uses = self._uses_of(crawl, site)
                figures.merge(sites[site])
                changed = {name: n for name, n in figures.items() if n != before[name] or name == "pages"}
                connection.executemany(
                    "INSERT OR REPLACE INTO figure VALUES (?, ?, ?, ?)",
                    [(crawl, site, *one) for one in ({"pages": 0} | changed).items()],
                )
                connection.executemany(
                    f"INSERT OR REPLACE INTO use VALUES (?, ?, ?, ?, ?{', ?' * len(NUMBERS)})",
                    [(crawl, site, *key, *one.numbers) for key, one in figures.uses.items()],
                )
            connection.execute("UPDATE crawl SET written = ? WHERE id = ?", (now(), crawl))
            if reason is not None:
                connection.execute(
                    "UPDATE crawl SET finished = written, reason = ? WHERE id = ?", (reason, crawl)
                )

    def delete(self, crawls: Iterable[int]) -> None:
        """Delete crawls with their figures, and what spiders without crawls keep; make the file smaller."""
        with self._transaction():
            self._connection.executemany("DELETE FROM crawl WHERE id = ?", [(one,) for one in crawls])
            self._connection.execute("DELETE FROM keep WHERE spider NOT IN (SELECT spider FROM crawl)")
        with self._errors():
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def keep(self, spider: str, site: str, selectors: Iterable[str]) -> None:
        """Enter a selector to keep on a site in all later crawls of a spider."""
        with self._transaction():
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

    def remember(self, crawl: int, entries: Iterable[tuple[str, str, str]]) -> None:
        """Replace what is remembered of callbacks of a crawl's spider: site, callback, and its selectors as JSON."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO memory SELECT spider, ?, ?, id, ? FROM crawl WHERE id = ?",
                [(*entry, crawl) for entry in entries],
            )

    def remembered(self, spider: str) -> list[tuple[str, str, str]]:
        """Return what is remembered of a spider, in the same form."""
        with self._errors():
            found = self._connection.execute(
                "SELECT site, callback, selectors FROM memory WHERE spider = ? ORDER BY crawl DESC", (spider,)
            )
            return list(found.fetchall())

    def propose(self, crawl: int, proposals: Proposals) -> None:
        """Enter the proposals for the lost selectors of a crawl."""
        with self._transaction():
            self._connection.executemany(
                f"INSERT OR REPLACE INTO proposal VALUES (?, ?, ?, ?{', ?' * len(fields(Proposal))})",
                [(crawl, *key, *astuple(one)) for key, one in proposals.items()],
            )

    def proposals(self, crawl: int) -> Proposals:
        """Return them by site, callback and selector."""
        with self._errors():
            found = self._connection.execute("SELECT * FROM proposal WHERE crawl = ?", (crawl,))
            return {(site, callback, name): Proposal(*rest) for _, site, callback, name, *rest in found}

    def crawls(self) -> list[Crawl]:
        """All crawls, oldest first."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT id, spider, started, written, finished, reason, distributed_crawl FROM crawl ORDER BY id"
            )
            return list(readable(rows, _crawl, f"{self.path}: crawl", self.unreadable))

    def crawl(self, identifier: int) -> Crawl:
        """The crawl of that number."""
        for crawl in self.crawls():
            if crawl.id == identifier:
                return crawl
        damaged = (told for told in self.unreadable if f": crawl {identifier} " in told)
        raise StoreError(next(damaged, f"{self.path}: no crawl {identifier}"))

    def last_crawl(self, spider: str | None = None) -> Crawl:
        """Return the last started crawl of that spider, or of any."""
        crawls = [crawl for crawl in self.crawls() if spider in {None, crawl.spider}]
        if not crawls:
            none = f"{self.path}: no crawl" + (f" of spider {spider!r}" if spider else " yet")
            raise StoreError(next(iter(self.unreadable), none))
        return crawls[-1]

    def sites(self, crawl: int, *, limit: int | None = None) -> Iterator[tuple[str, SiteFigures]]:
        """Yield the sites with their figures, most pages first, one at a time from the disk; at most `limit`."""
        most = -1 if limit is None else limit
        with self._errors():
            for (site,) in self._connection.execute(_SITES, (crawl, most)):
                if figures := self._figures(crawl, site):
                    yield site, figures

    def _figures(self, crawl: int, site: str) -> SiteFigures:
        return SiteFigures(
            self._connection.execute(
                "SELECT name, n FROM figure WHERE crawl = ? AND site = ? AND n != 0", (crawl, site)
            )
        )

    def uses(self, crawl: int) -> Iterator[UseRow]:
        """Yield the selectors and fields of each site of a crawl, those first that have found nothing on the most pages
        since their last match.
        """
        with self._errors():
            yield from map(_use_row, self._connection.execute(_USES.format(""), (crawl,)))

    def earlier(self, crawl: int) -> Earlier:
        """Return the selectors and fields that found more in one of the spider's last crawls before a crawl."""
        with self._errors():
            found = self._connection.execute(_FELL, {"crawl": crawl})
            rows = ((number, _use_row(read)) for number, *read in found)
            groups = [list(group) for _, group in groupby(rows, key=lambda one: one[1].key)]
            items = self._connection.execute(_FEWER_ITEMS, {"crawl": crawl}).fetchall()
            new = self._connection.execute(_NEW_SITE, {"crawl": crawl}).fetchone() if items else None
            usual = set(self._connection.execute(_USUAL, {"crawl": crawl}))
            one_value = self._connection.execute(_ONE_VALUE, {"crawl": crawl})
            varied = {
                tuple(key): f"one value in all {counted(found, 'item')}, several in crawl {before}"
                for before, sketch, found, *key in one_value
                if (distinct(sketch) or 0) >= _VARIED
            }
            texts = self._connection.execute(_OTHER_TEXTS, {"crawl": crawl})
            changed = {tuple(one[5:]): _text_change(*one[:5]) for one in texts}
            return Earlier(groups, items, new, usual, changed | varied, self.proposals(crawl))

    def _uses_of(self, crawl: int, site: str) -> Uses:
        rows = map(_use_row, self._connection.execute(_USES.format(" AND site = ?"), (crawl, site)))
        return Uses((UseKey(row.callback, row.item, row.name), row.figures) for row in rows)
