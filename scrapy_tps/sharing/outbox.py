"""Figures of a process that the server has not confirmed: numbered, so that they count once.

Each part of the job has flushes of its own, numbered from 1. A flush that was sent is never changed: until the server
confirms it, it is sent again as it is, and new figures wait for the next. Confirmed flushes are kept for
a while: a server that was restarted, or that took over from another, may have lost its last seconds, says so by the
number it knows, and is sent them again.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sharing.connection import LIFETIME, PARTS, Connection, part_of, text_of, told
from scrapy_tps.sharing.scripts import ADD_FIGURES, REGISTER, to_json
from scrapy_tps.stats.coverage import MOST_QUERIES
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import MAX_NAMES, SiteBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy_tps.sharing.connection import Command, Job
    from scrapy_tps.stats.figures import SiteFigures

#: Seconds that confirmed flushes are kept. With ``appendfsync everysec``, a server loses up to two when it is killed.
KEPT_SECONDS: Final = 10.0

#: Bytes of confirmed flushes that each part keeps at most.
KEPT_BYTES: Final = 256 * 1024


@dataclass(slots=True)
class _Flush:
    number: int
    before: int
    """Number of the flush before it: the server must know that one."""
    figures: str
    pages: int
    confirmed: float = 0.0
    """When the server said that it has it, by the clock."""


@dataclass(slots=True)
class _Part:
    number: int = 0
    """The last flush that was made."""
    sent: list[_Flush] = field(default_factory=list)
    """Not confirmed, oldest first: one, or several once the server has lost some."""
    kept: deque[_Flush] = field(default_factory=deque)
    """Confirmed lately, oldest first."""


class Outbox:
    """The flushes of one process. Use it from one thread.

    :param process: what the server knows the process by: as no other one of the job, ever.
    :param max_sites: sites that wait for the next flush at most; further ones are added up as ``(other sites)``.
    """

    def __init__(self, process: str, *, max_sites: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._process = process
        self._clock = clock
        self._waiting = SiteBuffer(max_sites)
        self._parts = [_Part() for _ in range(PARTS)]
        self.lost = 0
        """Flushes that the server confirmed, lost, and could not be sent again."""

    def add(self, sites: Mapping[str, SiteFigures]) -> None:
        """Take figures for the next flush; they are the outbox's own from then on."""
        for site, figures in sites.items():
            self._waiting.take(site, figures)

    @property
    def unconfirmed_pages(self) -> int:
        """Pages that the server has not confirmed."""
        waiting = sum(figures["pages"] for figures in self._waiting.values())
        return waiting + sum(flush.pages for part in self._parts for flush in part.sent)

    @property
    def confirmed(self) -> bool:
        """Whether the server has confirmed all flushes that were made."""
        return not any(part.sent for part in self._parts)

    @property
    def empty(self) -> bool:
        """Whether the server has confirmed everything."""
        return self.confirmed and not self._waiting

    def flushes(self, *, check: bool = False) -> list[tuple[int, tuple[Any, ...]]]:
        """Return what is to be sent now: the part, and the arguments of the script.

        :param check: whether parts with nothing to send ask the server if it still has what it confirmed.
        """
        sites: list[dict[str, SiteFigures]] = [{} for _ in range(PARTS)]
        for site in list(self._waiting):
            number = part_of(site)
            if not self._parts[number].sent:
                sites[number][site] = self._waiting.pop(site)
        for part, figures in zip(self._parts, sites, strict=True):
            if figures or (check and part.kept and not part.sent):
                self._make(part, figures)
        return [
            (
                number,
                (
                    *(self._process, flush.number, flush.before, LIFETIME, flush.figures),
                    *(MOST_QUERIES, MAX_NAMES),
                ),
            )
            for number, part in enumerate(self._parts)
            for flush in part.sent
        ]

    def answered(self, answers: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> None:
        """Take the server's answers: the part, and the number of the last flush that it knows."""
        known: dict[int, int] = {}
        for number, last in answers:
            known[number] = max(last, known.get(number, 0))
        for number, last in known.items():
            self._confirmed(self._parts[number], last)

    def _make(self, part: _Part, sites: dict[str, SiteFigures]) -> None:
        before, part.number = part.number, part.number + 1
        pages = sum(figures["pages"] for figures in sites.values())
        part.sent.append(_Flush(part.number, before, to_json(sites), pages))

    def _confirmed(self, part: _Part, known: int) -> None:
        now = self._clock()
        while part.sent and part.sent[0].number <= known:
            flush = part.sent.pop(0)
            flush.confirmed = now
            part.kept.append(flush)
        if part.sent and part.sent[0].before > known:
            self._send_again(part, known)
        size = sum(len(flush.figures) for flush in part.kept)
        while part.kept and (now - part.kept[0].confirmed > KEPT_SECONDS or size > KEPT_BYTES):
            size -= len(part.kept.popleft().figures)

    def _send_again(self, part: _Part, known: int) -> None:
        again = [flush for flush in part.kept if flush.number > known]
        part.kept.clear()
        part.sent = again + part.sent
        first = part.sent[0]
        self.lost += first.number - known - 1
        first.before = known


#: Selectors of a job that are shared; processes keep further ones to themselves.
MOST_KEPT: Final = 10_000


class KeptSelectors:
    """Selectors that one process adds reach the others within two intervals.

    A process reads the set where it has another size than the one it knows, and adds what the set lacks: its own
    selectors, and all that it knows if a server has lost them. The crawl never waits here.
    """

    def __init__(self, job: Job) -> None:
        self._key = job.kept
        self._added: SimpleQueue[str] = SimpleQueue()
        self._found: SimpleQueue[str] = SimpleQueue()
        self._known: set[str] = set()
        self._behind = False

    def add(self, site: str, selector: str) -> None:
        """Share a selector with the next flush."""
        self._added.put(f"{site}\n{selector}")

    def news(self) -> Iterator[tuple[str, str]]:
        """Sites and selectors of other processes since the last call."""
        while not self._found.empty():
            site, _, selector = self._found.get().partition("\n")
            yield site, selector

    def size(self) -> Command:
        """The command whose answer :meth:`exchange` takes."""
        return ("SCARD", self._key)

    def exchange(self, size: int, connection: Connection) -> None:
        """Read the set and add to it, where that is due; for the thread that sends.

        :param size: of the set.
        :raises StoreError: the next call tries again.
        """
        while not self._added.empty():
            self._known.add(self._added.get())
            self._behind = True
        if size > MOST_KEPT or (size == len(self._known) and not self._behind):
            return
        (members,) = connection.ask(("SMEMBERS", self._key))
        theirs = {text_of(one) for one in members}
        for one in theirs - self._known:
            self._found.put(one)
        if lacking := self._known - theirs:
            connection.ask(("SADD", self._key, *lacking), ("EXPIRE", self._key, LIFETIME))
        self._known |= theirs
        self._behind = False


#: Seconds after which the keys that a flush does not touch are given a new life.
_REFRESH: Final = 3600.0


class FiguresLost(StoreError):
    """The server has lost figures for good."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """The contents of a flush; nobody else may change them from then on."""

    sites: Mapping[str, SiteFigures]
    about: str
    """What the process says of itself, as JSON."""


class Exchange:
    """Sends what one process has counted, and exchanges selectors. Use it from one thread.

    :param process: see :class:`~scrapy_tps.sharing.outbox.Outbox`.
    :param kept: the selectors that the processes keep on sites.
    """

    def __init__(
        self, job: Job, connection: Connection, process: str, kept: KeptSelectors, *, max_sites: int
    ) -> None:
        self.outbox = Outbox(process, max_sites=max_sites)
        """What the server has not confirmed."""
        self._job = job
        self._connection = connection
        self._process = process
        self._kept = kept
        self._about = "{}"
        self._refreshed = float("-inf")
        self._lost = 0

    def add(self, parcel: Parcel) -> None:
        """Take a parcel for the next round trip."""
        self.outbox.add(parcel.sites)
        self._about = parcel.about

    def run(self, *, last: bool = False) -> None:
        """Send what there is; once more where the server asks for what it has lost.

        :param last: whether to ask the server if it still has what it confirmed.
        :raises StoreError: what was not confirmed is kept, for the next call.
        """
        due = time.monotonic() - self._refreshed > _REFRESH
        size, *_ = self._flush([self._kept.size(), *self._registration(refresh=due or last)], check=last)
        if not self.outbox.confirmed:
            self._flush([], check=False)
        self._kept.exchange(size, self._connection)
        self._refreshed = time.monotonic() if due else self._refreshed
        if self.outbox.lost > self._lost:
            self._lost = self.outbox.lost
            raise FiguresLost(
                f"{self._connection.shown}: the server lost {self._lost} confirmed flushes of this process"
            )

    def _flush(self, further: list[Command], *, check: bool) -> list[Any]:
        """One round trip; return the answers to further commands. Raise the first error that the server answers with,
        when all answers are taken.
        """
        flushes = self.outbox.flushes(check=check)
        commands = [("EVAL", ADD_FIGURES, 1, self._job.figures(part), *rest) for part, rest in flushes]
        answers = self._connection.run([*commands, *further])
        known = ((part, answer) for (part, _), answer in zip(flushes, answers, strict=False))
        self.outbox.answered([(part, answer) for part, answer in known if isinstance(answer, int)])
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreError(f"{self._connection.shown}: {told(answer)}")
        return answers[len(flushes) :]

    def _registration(self, *, refresh: bool) -> list[Command]:
        job = self._job
        commands: list[Command] = [
            ("HSET", job.processes, self._process, self._about),
            ("EXPIRE", job.processes, LIFETIME),
        ]
        if refresh:
            commands.append(("EVAL", REGISTER, 1, job.jobs, job.name, LIFETIME))
            commands.append(("EXPIRE", job.kept, LIFETIME))
            commands.extend(("EXPIRE", job.figures(part), LIFETIME) for part in range(PARTS))
        return commands
