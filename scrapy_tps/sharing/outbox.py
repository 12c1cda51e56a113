"""Figures of a process in transit to the server, in numbered flushes, so that each counts once.

A sent flush is never changed: until the server confirms it, it is sent again unchanged, and new figures wait for the
next one. Confirmed flushes are kept for a while: a server that was restarted or took over may have lost its last
seconds. The number that it knows shows this, and they are sent again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sharing.connection import LIFETIME, Connection
from scrapy_tps.sharing.scripts import ADD_FIGURES, figures_json
from scrapy_tps.stats.coverage import MOST_USES
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import MAX_NAMES, SiteBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.sharing.connection import Command, DistributedCrawl
    from scrapy_tps.stats.figures import SiteFigures

#: Seconds that confirmed flushes are kept. With ``appendfsync everysec``, a server loses up to two when it is killed.
KEPT_SECONDS: Final = 10.0

#: The most characters of confirmed flushes that are kept.
KEPT_SIZE: Final = 4 * 1024 * 1024

#: The most shared selectors of a distributed crawl; processes do not share further ones.
MOST_KEPT: Final = 10_000


class FiguresLost(StoreError):
    """The server has finally lost figures."""


@dataclass(slots=True)
class _Flush:
    number: int
    figures: str
    pages: int
    confirmed: float = 0.0
    """The time of the server's confirmation, by the clock."""


class KeptSelectors:
    """Shares the selectors that one process keeps on sites; the others have them within two intervals.

    With each flush a process adds all that it knows, in case the server has lost some, and reads all others. The crawl
    never waits here.
    """

    def __init__(self, distributed: DistributedCrawl) -> None:
        self._key = distributed.kept
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
        for one in set(members) - self._known:
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
        self,
        distributed: DistributedCrawl,
        process: str,
        kept: KeptSelectors,
        *,
        max_sites: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.about = "{}"
        """The entry of the process, as JSON."""
        self.further: Sequence[Command] = ()
        """Further commands, which may be repeated."""
        self.lost = 0
        """The number of flushes that the server confirmed and lost, and that could not be sent again."""
        self._distributed = distributed
        self._process = process
        self._shared_selectors = kept
        self._clock = clock
        self._waiting = SiteBuffer(max_sites)
        self._number = 0  # of the last flush that was made
        self._known = 0  # of the last one that the server has confirmed
        self._flushes: list[_Flush] = []  # those not confirmed, and recently confirmed ones; the oldest first

    def add(self, sites: Mapping[str, SiteFigures]) -> None:
        """Add figures to those of the next flush."""
        for site, figures in sites.items():
            self._waiting.of(site).merge(figures)

    @property
    def _unconfirmed(self) -> list[_Flush]:
        return [flush for flush in self._flushes if flush.number > self._known]

    @property
    def unconfirmed_pages(self) -> int:
        """The number of pages that the server has not confirmed."""
        waiting = sum(figures["pages"] for figures in self._waiting.values())
        return waiting + sum(flush.pages for flush in self._unconfirmed)

    @property
    def empty(self) -> bool:
        """Whether the server has confirmed everything."""
        return not self._unconfirmed and not self._waiting

    def send(self, connection: Connection, *, last: bool = False) -> None:
        """Send all figures in one round trip, and those that the server has lost in a second one.

        :param last: whether to ask the server if it still has the confirmed flushes.
        :raises StoreError: unconfirmed flushes are kept for the next call.
        """
        distributed, lost = self._distributed, self.lost
        keys = distributed.crawls, distributed.processes, distributed.figures, distributed.kept
        about: list[Command] = [
            ("HSET", distributed.processes, self._process, self.about),
            ("SADD", distributed.crawls, distributed.name),
            *(("EXPIRE", key, LIFETIME) for key in keys),
            *self.further,
        ]
        members = self._round_trip(connection, [*about, *self._shared_selectors.commands()], check=last)[-1]
        self._shared_selectors.take(members)
        if self._unconfirmed:
            self._round_trip(connection, [], check=False)
        if self.lost > lost:
            raise FiguresLost(
                f"{connection.shown}: the server lost {self.lost} confirmed flushes of this process"
            )

    def _round_trip(self, connection: Connection, further: list[Command], *, check: bool) -> Any:
        flushes = self.flushes(check=check)
        answers = connection.run([*flushes, *further])
        self.answered(answers[: len(flushes)])
        return connection.checked(answers)

    def flushes(self, *, check: bool = False) -> list[Command]:
        """Return the flushes to send now.

        :param check: whether to ask the server if it still has the confirmed flushes even if there is nothing to send.
        """
        if not self._unconfirmed and (self._waiting or (check and self._flushes)):
            pages = sum(figures["pages"] for figures in self._waiting.values())
            self._number += 1
            self._flushes.append(_Flush(self._number, figures_json(self._waiting), pages))
            self._waiting.clear()
        script = ("EVAL", ADD_FIGURES, 1, self._distributed.figures, self._process)
        before, found = self._known, []
        for flush in self._unconfirmed:
            found.append((*script, flush.number, before, flush.figures, MOST_USES, MAX_NAMES))
            before = flush.number
        return found

    def answered(self, answers: Iterable[Any]) -> None:
        """Take the server's answers: the number of the last flush that it knows; errors are ignored."""
        numbers = [answer for answer in answers if isinstance(answer, int)]
        if not numbers:
            return
        before, self._known, now = self._known, max(numbers), self._clock()
        unconfirmed = self._unconfirmed
        if self._known < before:  # the server has lost some: those after its last one are sent again
            first = unconfirmed[0].number if unconfirmed else self._number + 1
            self.lost += first - self._known - 1
            for flush in unconfirmed:
                flush.confirmed = 0.0
        confirmed = [flush for flush in self._flushes if flush.number <= self._known]
        for flush in confirmed:
            flush.confirmed = flush.confirmed or now
        size = sum(len(flush.figures) for flush in confirmed)
        while confirmed and (now - confirmed[0].confirmed > KEPT_SECONDS or size > KEPT_SIZE):
            size -= len(confirmed.pop(0).figures)
        self._flushes = confirmed + unconfirmed
