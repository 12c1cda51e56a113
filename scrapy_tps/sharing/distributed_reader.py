"""Distributed crawls in the store, for reports."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_tps.sharing.connection import Connection
from scrapy_tps.sharing.scripts import SITE, counts_from_json, uses_from_json
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_tps.sharing.connection import DistributedCrawl
    from scrapy_tps.stats.coverage import UseRow
    from scrapy_tps.stats.figures import SiteFigures

_T = TypeVar("_T")

#: The number of fields of a hash per request, during which the server does nothing else.
_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a distributed crawl, from its last message; the times are UTC."""

    id: str
    spider: str
    host: str
    pid: int
    started: datetime
    written: datetime
    """The time of its last message."""
    pages: int
    finished: datetime | None = None
    """None while it runs, and permanently if it was killed."""
    reason: str | None = None


class DistributedCrawlReader:
    """The current state of a distributed crawl in the store. Everything is read once, so totals and sites are
    consistent.

    :param distributed: the distributed crawl, with the address of its store.
    :raises StoreError: if the store can't be reached, or does not have it.
    """

    def __init__(self, distributed: DistributedCrawl) -> None:
        self.distributed = distributed
        self.unreadable: list[str] = []
        """Entries that were skipped because they can't be read, in words."""
        connection = Connection(distributed.address)
        try:
            self.processes: list[Process] = sorted(
                self._processes(connection), key=lambda one: (one.started, one.id)
            )
            """The processes, in the order of their start."""
            if not self.processes:
                raise StoreError(
                    f"{connection.shown}: no distributed crawl {distributed.name!r}; scrapy tps-report --list shows all"
                )
            self._sites = {
                name.removeprefix(SITE): value
                for name, value in _hash(connection, distributed.figures)
                if name.startswith(SITE)
            }
        finally:
            connection.close()

    def sites(self) -> Iterator[tuple[str, SiteFigures]]:
        """Sites with their figures, by name."""
        return ((site, figures) for site, figures in self._read(counts_from_json) if figures)

    def uses(self) -> Iterator[UseRow]:
        """The selectors and fields of the sites."""
        for site, found in self._read(uses_from_json):
            yield from found.rows(site)

    def _read(self, read: Callable[[str], _T]) -> Iterator[tuple[str, _T]]:
        for site in sorted(self._sites):
            with self._skipping(f"site {site}"):
                yield site, read(self._sites[site])

    def _processes(self, connection: Connection) -> Iterator[Process]:
        for name, said in _hash(connection, self.distributed.processes):
            with self._skipping(f"process {name}"):
                yield _process(name, said)

    @contextmanager
    def _skipping(self, whose: str) -> Iterator[None]:
        """Name the entry that can't be read, because another program has written it."""
        try:
            yield
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            told = f"distributed crawl {self.distributed.name}, {whose} can't be read: {error!r}"
            if told not in self.unreadable:
                self.unreadable.append(told)


def distributed_crawls(distributed: DistributedCrawl) -> list[str]:
    """Return the names of the distributed crawls in the store of `distributed`; its own name does not matter."""
    connection = Connection(distributed.address)
    try:
        (found,) = connection.ask(("SMEMBERS", distributed.crawls))
        names = sorted(found)
        there = connection.ask(*(("EXISTS", replace(distributed, name=name).processes) for name in names))
    finally:
        connection.close()
    return [name for name, number in zip(names, there, strict=True) if number]


def _hash(connection: Connection, key: str) -> Iterator[tuple[str, str]]:
    cursor: Any = 0
    while True:
        ((cursor, found),) = connection.ask(("HSCAN", key, cursor, "COUNT", _AT_ONCE))
        pairs = found.items() if isinstance(found, dict) else zip(found[::2], found[1::2], strict=True)
        yield from pairs
        if int(cursor) == 0:
            return


def _process(name: str, said: str) -> Process:
    """Return the entry of a process."""
    values: dict[str, Any] = json.loads(said)
    for key in values.keys() & {"started", "written", "finished"}:
        values[key] = datetime.fromisoformat(values[key])
    return Process(name, **values)
