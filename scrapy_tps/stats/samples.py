"""Samples of a crawl's pages, kept on disk for inspection: the newest and the worst of each site.

One SQLite file for all crawls, bounded in pages per site and in bytes. Nothing imports Scrapy.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.outcomes import ERROR
from scrapy_tps.engine.pruned_page import Pruning, account_data, restore_account
from scrapy_tps.stats.database import Database, StoreError, now, readable, utc

if TYPE_CHECKING:
    from datetime import datetime

#: Name of the file of samples.
FILE_NAME: Final = "tps-samples.sqlite"

#: The most compressed bytes in a file; the oldest pages are deleted if there are more.
MAX_BYTES: Final = 256 * 1024 * 1024

#: The badness of a page on which pruning failed: above that of any page that lost text.
ERROR_BADNESS: Final = 2.0

_SCHEMA = (
    "CREATE TABLE sample (id INTEGER PRIMARY KEY AUTOINCREMENT, site TEXT NOT NULL, url TEXT NOT NULL,"
    " spider TEXT NOT NULL, taken TEXT NOT NULL, outcome TEXT NOT NULL, badness REAL NOT NULL"
    " CHECK (typeof(badness) = 'real'), size INTEGER NOT NULL CHECK (typeof(size) = 'integer'),"
    " account TEXT NOT NULL, mask BLOB NOT NULL, body BLOB NOT NULL)",
    "CREATE INDEX sample_by_site ON sample (site, badness)",
    "CREATE INDEX sample_by_size ON sample (size)",  # to add them up without their pages
)
#: The columns of :class:`Sample`.
_COLUMNS: Final = "id, site, url, spider, taken, outcome, badness, size"
_FORGET_SURPLUS = (
    "DELETE FROM sample WHERE site = :site"
    " AND id NOT IN (SELECT id FROM sample WHERE site = :site ORDER BY id DESC LIMIT :most)"
    " AND id NOT IN (SELECT id FROM sample WHERE site = :site ORDER BY badness DESC, id DESC LIMIT :most)"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A kept page.

    :ivar number: its number in the file, for ``scrapy tps-view sample:NUMBER``.
    :ivar badness: share of the visible text that was removed, 0 to 1, or 2 if pruning failed.
    :ivar size: its size in the file, in bytes.
    """

    number: int
    site: str
    url: str
    spider: str
    taken: datetime
    outcome: str
    badness: float
    size: int


def badness_of(pruning: Pruning) -> float:
    """Return the badness of a page: the share of its visible text that was removed, or 2 for an error."""
    if pruning.outcome == ERROR:
        return ERROR_BADNESS
    return 1 - pruning.kept_chars / pruning.raw_chars if pruning.raw_chars else 0.0


class SampleStore(Database):
    """The file of samples. Use it from one thread.

    :raises StoreError: from every method.
    """

    schema_version = 2
    schema = _SCHEMA
    # a crash of the machine may cost samples; a killed crawl does not
    pragmas = ("PRAGMA synchronous = OFF",)
    missing = "no crawl has kept samples there (TPS_SAMPLES)"

    def add(
        self, site: str, spider: str, url: str, pruning: Pruning, body: bytes, *, per_site: int = 1
    ) -> None:
        """Keep a page, and delete those of its site that are no longer among the newest or worst, so many each."""
        with self._transaction():  # a locked file costs nothing more
            account = account_data(pruning)
            mask = zlib.compress(account.pop("mask"), 1)
            packed, text = zlib.compress(body, 1), json.dumps(account)
            size = len(packed) + len(mask) + len(text)
            if size > MAX_BYTES:
                return
            row = (site, url, spider, now(), pruning.outcome, badness_of(pruning), size, text, mask, packed)
            execute = self._connection.execute
            execute(
                "INSERT INTO sample (site, url, spider, taken, outcome, badness, size, account, mask, body)"
                f" VALUES ({', '.join('?' * len(row))})",
                row,
            )
            execute(_FORGET_SURPLUS, {"site": site, "most": per_site})
            while execute("SELECT total(size) FROM sample").fetchone()[0] > MAX_BYTES:
                execute("DELETE FROM sample WHERE id = (SELECT min(id) FROM sample)")

    def samples(self, site: str | None = None) -> list[Sample]:
        """Return the samples of a site, or of all sites, worst first."""
        where, values = ("", ()) if site is None else ("WHERE site = ?", (site,))
        with self._errors():
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM sample {where} ORDER BY badness DESC, id DESC", values
            )
            return list(readable(rows, _sample, f"{self.path}: sample", self.unreadable))

    def load(self, number: int) -> tuple[Sample, Pruning]:
        """Return a sample and its account, with its original."""
        with self._errors():
            found = self._connection.execute(
                f"SELECT {_COLUMNS}, account, mask, body FROM sample WHERE id = ?", (number,)
            ).fetchone()
        if found is None:
            raise StoreError(f"{self.path}: no sample {number}")
        *columns, account, mask, body = found
        try:
            data = json.loads(account) | {"mask": zlib.decompress(mask)}
            return _sample(*columns), restore_account(data, source=zlib.decompress(body))
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise StoreError(f"{self.path}: sample {number} can't be read: {error!r}") from error


def _sample(number: int, site: str, url: str, spider: str, taken: str, *rest: Any) -> Sample:
    return Sample(number, site, url, spider, utc(taken), *rest)
