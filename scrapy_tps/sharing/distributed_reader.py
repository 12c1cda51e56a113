"""Distributed crawls in the store, for reports."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_tps.proposals.proposal import Proposal, Proposals
from scrapy_tps.sharing.connection import CRAWLS, Connection
from scrapy_tps.sharing.scripts import SITE, figures_from_json
from scrapy_tps.stats.database import StoreError, readable, utc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

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
        with closing(Connection(distributed.address)) as connection:
            entries = _hash(connection, distributed.key("processes"))
            self.processes: list[Process] = sorted(
                self._readable(entries, _process, "process"), key=lambda one: (one.started, one.id)
            )
            """The processes, in the order of their start."""
            if not self.processes:
                raise StoreError(
                    f"{connection.shown}: no distributed crawl {distributed.name!r}; scrapy tps-report --list shows all"
                )
            (self._proposals,) = connection.ask(("HVALS", distributed.key("proposals")))
            figures = dict(_hash(connection, distributed.key("figures")))  # a scan may return a field twice
            self._sites = sorted(
                (name.removeprefix(SITE), text) for name, text in figures.items() if name.startswith(SITE)
            )

    def sites(self) -> Iterator[tuple[str, SiteFigures]]:
        """Sites with their figures, by name."""
        found = self._readable(self._sites, lambda site, text: (site, figures_from_json(text)), "site")
        return ((site, figures) for site, figures in found if figures)

    def uses(self) -> Iterator[UseRow]:
        """The selectors and fields of the sites."""
        return chain.from_iterable(figures.uses.rows(site) for site, figures in self.sites())

    def proposals(self) -> Proposals:
        """The proposals for selectors that find nothing any more."""
        return dict(self._readable([(text,) for text in self._proposals], _proposal, "proposal"))

    def _readable(
        self, entries: Iterable[tuple[Any, ...]], make: Callable[..., _T], kind: str
    ) -> Iterator[_T]:
        name = f"distributed crawl {self.distributed.name}, {kind}"
        return readable(entries, make, name, self.unreadable)


def distributed_crawls(distributed: DistributedCrawl) -> list[str]:
    """Return the names of the distributed crawls in the store of `distributed`; its own name does not matter."""
    with closing(Connection(distributed.address)) as connection:
        (found,) = connection.ask(("SMEMBERS", CRAWLS))
        names = sorted(found)
        keys = (replace(distributed, name=name).key("processes") for name in names)
        there = connection.ask(*(("EXISTS", key) for key in keys))
    return [name for name, number in zip(names, there, strict=True) if number]


def _hash(connection: Connection, key: str) -> Iterator[tuple[str, str]]:
    cursor: Any = 0
    while True:
        ((cursor, found),) = connection.ask(("HSCAN", key, cursor, "COUNT", _AT_ONCE))
        yield from found.items()
        if not cursor:
            return


def _proposal(text: str) -> tuple[tuple[str, str, str], Proposal]:
    site, callback, selector, values = json.loads(text)
    return (site, callback, selector), Proposal(**values)


def _process(name: str, said: str) -> Process:
    values: dict[str, Any] = json.loads(said)
    for key in values.keys() & {"started", "written", "finished"}:
        values[key] = utc(values[key])
    for key, kind in (("spider", str), ("host", str), ("pid", int), ("pages", int)):
        if type(values[key]) is not kind:
            raise TypeError(f"{key} is {values[key]!r}")
    return Process(name, **values)
