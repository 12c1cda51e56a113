"""An SQLite file of the plugin: opened, given its tables, and its errors told in one way.

Nothing imports Scrapy.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Seconds to wait for another writer, unless a method says otherwise.
PATIENCE: Final = 30.0

#: Seconds a write in the middle of a crawl waits for another writer: the crawl stands still meanwhile. Writes
#: take milliseconds; one that finds the file locked for longer is made up for with the next.
HASTE: Final = 0.5


class StoreError(Exception):
    """A file of figures or samples cannot be opened, read or written; the message says which and why."""


class Database:
    """An open SQLite file. Use it from one thread; each crawl opens its own.

    :param path: the file; it and its directory are created when `create` is true.
    :raises StoreError: from every method.
    """

    #: Version of the tables, in ``PRAGMA user_version``.
    schema_version: ClassVar[int]
    #: The statements that make the tables.
    schema: ClassVar[Sequence[str]]
    #: Statements for every connection.
    pragmas: ClassVar[Sequence[str]]
    #: Why there may be no file.
    missing: ClassVar[str]
    #: Whether readers shall not block writers (write-ahead log), where the file system allows it.
    write_ahead: ClassVar[bool] = False

    def __init__(self, path: str | Path, *, create: bool) -> None:
        self.path = Path(path)
        with self._errors():
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.is_file():
                raise StoreError(f"{self.path}: no such file; {self.missing}")
            self._connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._errors():
                if create and self.write_ahead:
                    self._use_write_ahead_log()
                for statement in self.pragmas:
                    self._connection.execute(statement)
                self._create_tables()
        except StoreError:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        with self._errors():
            self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self.path}: {error}") from error

    @contextmanager
    def _transaction(self, patience: float = PATIENCE) -> Iterator[None]:
        with self._errors():
            self._connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _use_write_ahead_log(self) -> None:
        # SQLite does not wait for other processes while it changes the journal mode, whatever the timeout.
        deadline = time.monotonic() + PATIENCE
        while not self._switched_to_write_ahead_log(give_up=time.monotonic() > deadline):
            time.sleep(0.01)

    def _switched_to_write_ahead_log(self, *, give_up: bool) -> bool:
        try:
            self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or give_up:
                raise
            return False
        return True

    def _create_tables(self) -> None:
        if self._version() == self.schema_version:
            return
        with self._transaction():
            # another process may have been faster
            version = self._version()
            if version == 0:
                for statement in self.schema:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {self.schema_version}")
            elif version != self.schema_version:
                raise StoreError(
                    f"{self.path}: written by another version of scrapy-tps"
                    f" (tables {version}, not {self.schema_version}); move it away, and a new one is made"
                )

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])
