"""Figures of a process in transit to the server, in numbered flushes, so that each counts once.

A sent flush is never changed: until the server confirms it, it is sent again unchanged, and new figures wait for the
next one. A server that was restarted or took over may have lost its last seconds. The number that it knows shows this,
and the summary names it.
"""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy_tps.sharing.connection import CRAWLS, LIFETIME, Connection
from scrapy_tps.sharing.scripts import ADD_FIGURES, figures_json
from scrapy_tps.stats.coverage import MOST_USES
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import MAX_NAMES, SiteBuffer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.sharing.connection import Command, DistributedCrawl
    from scrapy_tps.stats.figures import SiteFigures

#: The most shared selectors of a distributed crawl; processes do not share further ones.
MOST_KEPT: Final = 10_000


class FiguresLost(StoreError):
    """The server has finally lost figures."""


class _Flush(NamedTuple):
    number: int
    figures: str


class KeptSelectors:
    """Shares the selectors that one process keeps on sites; the others have them within two intervals.

    With each flush a process adds all that it knows, in case the server has lost some, and reads all others. The crawl
    never waits here.
    """

    def __init__(self, distributed: DistributedCrawl) -> None:
        self._key = distributed.key("kept")
        self._found: SimpleQueue[str] = SimpleQueue()
        self._known: set[str] = set()  # of both threads: each operation on a set of texts is atomic

    def add(self, site: str, selector: str) -> None:
        """Share a selector with the next flush."""
        if len(self._known) < MOST_KEPT:
            self._known.add(f"{site}\n{selector}")

    def news(self) -> Iterator[tuple[str, str]]:
        """Return the sites and selectors of other processes since the last call."""
        while not self._found.empty():
            site, _, selector = self._found.get().partition("\n")
            yield site, selector

    def commands(self) -> list[Command]:
        """Return the commands for the sending thread; :meth:`take` gets the answer to the last of them."""
        adding: list[Command] = [("SADD", self._key, *self._known)] if self._known else []
        return [*adding, ("SMEMBERS", self._key)]

    def take(self, members: Iterable[str]) -> None:
        """Take the server's answer."""
        for one in sorted(set(members) - self._known):
            if len(self._known) < MOST_KEPT:
                self._known.add(one)
            self._found.put(one)


class Outbox:
    """Figures of one process that the server has not confirmed. Use it from one thread.

    :param process: the identifier of the process at the server, unique in the distributed crawl.
    :param kept: the selectors that the processes keep on sites.
    :param max_sites: the most sites that wait for the next flush; further ones are added up as ``(other sites)``.
    """

    def __init__(
        self, distributed: DistributedCrawl, process: str, kept: KeptSelectors, *, max_sites: int
    ) -> None:
        self.about = "{}"
        """The entry of the process, as JSON."""
        self.further: Sequence[Command] = ()
        """Further commands, which may be repeated."""
        self.lost = False
        """Whether the server has lost a flush that it had confirmed, at the last try."""
        self._distributed = distributed
        self._process = process
        self._shared_selectors = kept
        self._waiting = SiteBuffer(max_sites)
        self._known = 0  # the number of the last flush that the server has confirmed
        self._flush: _Flush | None = None  # one that it has not

    def add(self, sites: Mapping[str, SiteFigures]) -> None:
        """Add figures to those of the next flush."""
        for site, figures in sites.items():
            self._waiting.of(site).merge(figures)

    @property
    def empty(self) -> bool:
        """Whether the server has confirmed everything."""
        return self._flush is None and not self._waiting

    def send(self, connection: Connection, *, last: bool = False) -> None:
        """Send all figures in one round trip; in a second one, if the server has lost earlier ones.

        :param last: whether to ask the server if it still has the confirmed flushes.
        :raises StoreError: an unconfirmed flush is kept for the next call.
        """
        distributed = self._distributed
        processes = distributed.key("processes")
        keys = CRAWLS, processes, distributed.key("figures"), distributed.key("kept")
        about: list[Command] = [
            ("HSET", processes, self._process, self.about),
            ("SADD", CRAWLS, distributed.name),
            *(("EXPIRE", key, LIFETIME) for key in keys),
            *self.further,
        ]
        members = self._round_trip(connection, [*about, *self._shared_selectors.commands()], check=last)[-1]
        self._shared_selectors.take(members)
        if self.lost:
            self._round_trip(connection, [], check=False)
            raise FiguresLost(
                f"{connection.shown}: the server lost figures of this process that it had confirmed"
            )

    def _round_trip(self, connection: Connection, further: list[Command], *, check: bool) -> Any:
        flush = self.flush(check=check)
        answers = connection.run([*flush, *further])
        self.answered(answers[: len(flush)])
        return connection.checked(answers)

    def flush(self, *, check: bool = False) -> list[Command]:
        """Return the flush to send now, if there is one.

        :param check: whether to ask the server if it still has the confirmed flushes even if there is nothing to send.
        """
        if self._flush is None and (self._waiting or check):
            self._flush = _Flush(self._known + 1, figures_json(self._waiting))
            self._waiting.clear()
        if self._flush is None:
            return []
        script = ("EVAL", ADD_FIGURES, 1, self._distributed.key("figures"), self._process)
        return [(*script, self._flush.number, self._known, self._flush.figures, MOST_USES, MAX_NAMES)]

    def answered(self, answers: Iterable[Any]) -> None:
        """Take the server's answer: the number of the last flush that it knows; an error is ignored."""
        for known in answers:
            if isinstance(known, int):
                self.lost, self._known = known < self._known, known
                if self._flush is not None and self._flush.number <= known:
                    self._flush = None
