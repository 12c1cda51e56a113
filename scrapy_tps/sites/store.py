"""Models of sites, and whatever else is known of them, kept on disk between crawls.

One SQLite file, a row for each thing that is known: of a site, of one kind, with a key, an epoch and bytes. Kinds are
``page`` (a page of its model), ``state`` (its epochs) and ``queries`` (what spiders asked for there and pruning had
taken). Several crawls may write to it at once: what is written is merged with what is there. Of more sites than are to
be kept, those go that have not been read or written for longest; whoever reads and never writes is not noted. Nothing
imports Scrapy.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.asking.learnt import SiteQueries
from scrapy_tps.sites.model import PAGES, SiteModel
from scrapy_tps.sites.reference import Reference
from scrapy_tps.stats.database import PATIENCE, Database, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: Kinds of rows that a model has.
PAGE: Final = "page"
STATE: Final = "state"
#: Kind of the row that has learnt queries.
QUERIES: Final = "queries"

_SCHEMA = (
    "CREATE TABLE knowledge (site TEXT NOT NULL, kind TEXT NOT NULL, key BLOB NOT NULL, epoch INTEGER NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY (site, kind, key)) WITHOUT ROWID",
    # when it was last used, as the number of the transaction that noted it: clocks of several machines differ
    "CREATE TABLE sites (site TEXT PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX sites_by_use ON sites (used)",
)
_STATE_BYTES: Final = 8
#: Sites in use, of which that is remembered until the next writing; of more, that is not noted.
_MOST_USED: Final = 100_000


class DamagedModel(StoreError):
    """What the file has of one site can't be read; of others it can."""


class SiteStore(Database):
    """The file of models. Use it from one thread.

    :param path: the file.
    :param pages: how many pages of a site are kept.
    :param most_sites: how many sites are kept; None: all.
    :param create: whether to create the file; without it, a missing one is an error.
    :param patience: see :class:`~scrapy_tps.stats.database.Database`.
    :raises StoreError: from every method.
    """

    schema_version = 4
    schema = _SCHEMA
    # a crash of the machine may cost what was learnt last; a killed crawl does not
    pragmas = ("PRAGMA synchronous = OFF",)
    missing = "no crawl has kept models there (TPS_SITE)"
    write_ahead = True

    def __init__(
        self,
        path: str | Path,
        *,
        pages: int = PAGES,
        most_sites: int | None = None,
        create: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(path, create=create, patience=patience)
        self.pages, self.most_sites = pages, most_sites
        self._used: set[str] = set()

    def sites(self) -> list[str]:
        """Return the names of the sites that something is known of."""
        with self._errors():
            rows = self._connection.execute("SELECT DISTINCT site FROM knowledge ORDER BY site")
            return [site for (site,) in rows]

    def load(self, site: str) -> SiteModel | None:
        """Return what is known of a site; None where nothing is."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT kind, epoch, data FROM knowledge WHERE site = ? AND kind IN (?, ?)",
                (site, PAGE, STATE),
            ).fetchall()
        if not rows:
            return None
        self.use(site)
        try:
            references = [Reference.from_bytes(data) for kind, _, data in rows if kind == PAGE]
            epoch, barred = next((_read_state(data) for kind, _, data in rows if kind == STATE), (0, -1))
        except ValueError as error:
            raise DamagedModel(f"{self.path}: what is known of {site} can't be read: {error}") from error
        return SiteModel.of(references, epoch=epoch, barred=barred, pages=self.pages)

    def queries(self, site: str) -> tuple[int, SiteQueries] | None:
        """Return the queries that were learnt on a site, after the epoch that it was in; None where none were."""
        with self._errors():
            row = self._connection.execute(
                "SELECT epoch, data FROM knowledge WHERE site = ? AND kind = ?", (site, QUERIES)
            ).fetchone()
        if row is None:
            return None
        self.use(site)
        try:
            return row[0], SiteQueries.from_bytes(row[1])
        except ValueError as error:
            raise DamagedModel(f"{self.path}: what is known of {site} can't be read: {error}") from error

    def use(self, site: str) -> None:
        """Say that a site is in use, as reading it does: the next :meth:`merge` notes it."""
        if len(self._used) < _MOST_USED:
            self._used.add(site)

    @property
    def uses(self) -> bool:
        """Whether sites are in use of which that is not noted yet."""
        return bool(self._used)

    def merge(
        self,
        models: Iterable[tuple[str, SiteModel]],
        queries: Iterable[tuple[str, tuple[int, SiteQueries]]] = (),
        *,
        patience: float | None = None,
    ) -> int:
        """Merge models of sites into the file, and what the file knows of these sites into the models.

        Queries are merged as well; those of a later epoch replace others, as what a spider asked for before a site was
        made anew stands somewhere else now. What the file has of a site and can't be read makes room: else nothing
        could be kept of any site again.
        It notes as well which sites are in use; return how many others had to go for there being too many.
        """
        with self._transaction(patience):
            written = []
            for site, model in models:
                written.append(site)
                known = None
                with suppress(DamagedModel):
                    known = self.load(site)
                if known is not None:
                    if known == model:
                        continue
                    model.merge(known)
                self._connection.execute(
                    "DELETE FROM knowledge WHERE site = ? AND kind IN (?, ?)", (site, PAGE, STATE)
                )
                self._connection.executemany(
                    "INSERT INTO knowledge (site, kind, key, epoch, data) VALUES (?, ?, ?, ?, ?)",
                    [(site, *row) for row in _rows(model)],
                )
            for site, (epoch, known_queries) in queries:
                written.append(site)
                self._merge_queries(site, epoch, known_queries)
            self._note_use(written)
            gone = self._let_go()
        self._used.clear()
        return gone

    def _merge_queries(self, site: str, epoch: int, queries: SiteQueries) -> None:
        before = None
        with suppress(DamagedModel):
            before = self.queries(site)
        merged = SiteQueries(queries)
        if before is not None:
            if before[0] > epoch:
                return
            if before[0] == epoch:
                merged.merge(before[1])
        self._connection.execute(
            "INSERT OR REPLACE INTO knowledge (site, kind, key, epoch, data) VALUES (?, ?, ?, ?, ?)",
            (site, QUERIES, b"", epoch, merged.to_bytes()),
        )

    def forget(self, sites: Iterable[str]) -> int:
        """Forget all that is known of these sites; return how many of them were known."""
        with self._transaction():
            return self._forget(sites)

    def _forget(self, sites: Iterable[str]) -> int:
        forgotten = 0
        for site in sites:
            forgotten += (
                self._connection.execute("DELETE FROM knowledge WHERE site = ?", (site,)).rowcount > 0
            )
            self._connection.execute("DELETE FROM sites WHERE site = ?", (site,))
        return forgotten

    def _note_use(self, written: Iterable[str]) -> None:
        """Note that these sites, and those that were used since the last time, are in use."""
        (now,) = self._connection.execute("SELECT COALESCE(MAX(used), 0) + 1 FROM sites").fetchone()
        self._connection.executemany(
            "UPDATE sites SET used = ? WHERE site = ?", [(now, site) for site in sorted(self._used)]
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO sites (site, used) VALUES (?, ?)", [(site, now) for site in written]
        )

    def _let_go(self) -> int:
        """Forget the sites that are too many: those that have not been used for longest; return how many."""
        if self.most_sites is None:
            return 0
        (count,) = self._connection.execute("SELECT COUNT(*) FROM sites").fetchone()
        if count <= self.most_sites:
            return 0
        oldest = self._connection.execute(
            "SELECT site FROM sites ORDER BY used, site LIMIT ?", (count - self.most_sites,)
        ).fetchall()
        return self._forget(site for (site,) in oldest)


def _rows(model: SiteModel) -> Iterator[tuple[str, bytes, int, bytes]]:
    yield (
        STATE,
        b"",
        model.epoch,
        model.epoch.to_bytes(4, "little") + (model.barred + 1).to_bytes(4, "little"),
    )
    for reference in model.references:
        yield PAGE, reference.key, reference.epoch, reference.to_bytes()


def _read_state(data: bytes) -> tuple[int, int]:
    if len(data) != _STATE_BYTES:
        raise ValueError("no state of a site model")
    return int.from_bytes(data[:4], "little"), int.from_bytes(data[4:], "little") - 1
