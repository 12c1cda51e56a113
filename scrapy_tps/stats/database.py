"""An SQLite file of the plugin: opening, tables, and uniform errors.

Nothing imports Scrapy.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_T = TypeVar("_T")

#: Seconds that commands wait for another writer, without blocking anything else.
PATIENCE: Final = 30.0

#: Seconds that a crawl waits for another writer, which blocks it and all others of its process. Writes take
#: milliseconds; if the file is locked for longer, the next write has the figures.
HASTE: Final = 0.5

#: Seconds that the end of a crawl waits for other writers, and for the server of a distributed crawl.
LAST_PATIENCE: Final = 5.0

#: The mark of our files, in ``PRAGMA application_id``: "tps!".
APPLICATION: Final = 0x74707321


class StoreError(Exception):
    """A file of figures or samples cannot be opened, read or written; the message has the file and the reason."""


def readable(
    rows: Iterable[tuple[Any, ...]], make: Callable[..., _T], name: str, unreadable: list[str]
) -> Iterator[_T]:
    """Yield the object that `make` returns for each row, except for rows that another program has damaged.

    :param name: that of the rows; the first value tells them apart.
    :param unreadable: gets the damaged rows, in words.
    """
    for row in rows:
        try:
            found = make(*row)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:  # noqa: PERF203 (each row alone)
            told = f"{name} {row[0]} can't be read: {error!r}"
            if told not in unreadable:
                unreadable.append(told)
        else:
            yield found


def now() -> str:
    """Return the time for a file or server."""
    return datetime.now(timezone.utc).isoformat()


def utc(text: str) -> datetime:
    """Return a time from a file or server; all are UTC, even if another program has written one without its zone."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


class Database:
    """An open SQLite file. Use it from one thread; each crawl opens its own.

    :param path: the file; it and its directory are created when `create` is true.
    :param patience: seconds to wait for others, see :meth:`wait`.
    :raises StoreError: from every method.
    """

    #: Version of the tables, in ``PRAGMA user_version``.
    schema_version: ClassVar[int]
    #: The statements that create the tables.
    schema: ClassVar[Sequence[str]]
    #: Statements for every connection.
    pragmas: ClassVar[Sequence[str]]
    #: The reason for a missing file.
    missing: ClassVar[str]
    #: Whether readers must not block writers (write-ahead log), if the file system allows it.
    write_ahead: ClassVar[bool] = False

    def __init__(self, path: str | Path, *, create: bool = True, patience: float = PATIENCE) -> None:
        self.path = Path(path)
        self.unreadable: list[str] = []
        """Rows that were skipped because they can't be read, in words."""
        with self._errors():
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.is_file():
                raise StoreError(f"{self.path}: no such file; {self.missing}")
            self._connection = self._connected(patience, create=create)
        try:
            with self._errors():
                self._refuse_others(create=create)
                if create and self.write_ahead:
                    # fails at once if another process, which does the same, opens the file at this moment
                    with suppress(sqlite3.OperationalError):
                        self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
                for statement in self.pragmas:
                    self._connection.execute(statement)
                self._create_tables()
        except StoreError:
            self._connection.close()
            raise

    def wait(self, patience: float) -> None:
        """Let the next steps wait for others: at most so many seconds for each."""
        self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * patience)}")

    def _connected(self, patience: float, *, create: bool) -> sqlite3.Connection:
        """Return the opened file.

        Even readers create files next to one with a write-ahead log. If they can't, and nobody writes, the file is read
        as immutable.
        """
        if create:
            return sqlite3.connect(self.path, timeout=patience, isolation_level=None)
        changes = os.access(self.path.parent, os.W_OK) or Path(f"{self.path}-wal").exists()
        address = f"{self.path.absolute().as_uri()}?{'mode=ro' if changes else 'immutable=1'}"
        return sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)

    def _refuse_others(self, *, create: bool) -> None:
        """Raise ``StoreError`` for files that are not ours, and do not touch them."""
        # in this order: another process may create both in between
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (identifier,) = self._connection.execute("PRAGMA application_id").fetchone()
        if identifier != APPLICATION and (tables or not create):
            raise StoreError(f"{self.path}: not a file of this version of scrapy-tps; it was not changed")

    def close(self) -> None:
        """Close the file, without waiting for others. Closing twice does nothing."""
        with self._errors(), suppress(sqlite3.ProgrammingError):  # raised by a closed file
            self.wait(0)
            self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        # numbers of more than 64 bits, text that is not Unicode, and damaged values raise errors that are not SQLite's
        except (sqlite3.Error, OSError, OverflowError, ValueError) as error:
            locked = " (another program uses the file)" if "locked" in str(error) else ""
            raise StoreError(f"{self.path}: {error}{locked}") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _create_tables(self) -> None:
        if self._version() == self.schema_version:
            return
        with self._transaction():
            # another process may have been faster
            version = self._version()
            if version == 0:
                for statement in self.schema:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {self.schema_version}")
            elif version != self.schema_version:
                raise StoreError(
                    f"{self.path}: written by another version of scrapy-tps"
                    f" (tables {version}, not {self.schema_version}); if you move it away, a new one is created"
                )

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])
