"""The thread that talks to the server, so that nobody else waits for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from scrapy_tps.sharing.connection import Connection, told
from scrapy_tps.sharing.job import PARTS
from scrapy_tps.sharing.knowledge import Errand
from scrapy_tps.sharing.outbox import Outbox
from scrapy_tps.sharing.scripts import ADD_FIGURES, REGISTER
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_tps.sharing.connection import Command
    from scrapy_tps.sharing.job import Job
    from scrapy_tps.sharing.knowledge import Knowledge, Topic
    from scrapy_tps.stats.figures import SiteFigures

#: Flushes that may wait for the thread, which stands still for up to some seconds where the server does.
MOST_WAITING: Final = 2

#: Seconds between tries at the end of a crawl.
_AGAIN: Final = 0.25

#: Seconds after which the keys that a flush does not touch are given a new life.
_REFRESH: Final = 3600.0


class FiguresLost(StoreError):
    """The server has lost figures for good."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a flush hands over; nobody else may change it from then on."""

    sites: Mapping[str, SiteFigures]
    errand: Errand
    about: str
    """What the process says of itself, as JSON."""


@dataclass(slots=True)
class _Message:
    parcel: Parcel | None
    """None: there is nothing more to come."""
    until: float | None = None
    """When to give up, for the last one."""
    done: Event = field(default_factory=Event)


class Sender:
    """Sends what one process has counted and learnt, and fetches what others have, in one round trip a flush.

    :param process: see :class:`~scrapy_tps.sharing.outbox.Outbox`.
    :param knowledge: gets what others have learnt.
    """

    def __init__(
        self, job: Job, connection: Connection, process: str, knowledge: Knowledge, *, max_sites: int
    ) -> None:
        self.errors: SimpleQueue[StoreError] = SimpleQueue()
        """What failed since somebody looked."""
        self.unsent_pages = 0
        """Pages that the server has not confirmed, as of the last try."""
        self.settled = True
        """Whether the server has confirmed all that it was sent, as of the last try."""
        self._job = job
        self._connection = connection
        self._process = process
        self._outbox = Outbox(job, process, max_sites=max_sites)
        self._knowledge = knowledge
        self._errand = Errand()
        self._inbox: SimpleQueue[_Message] = SimpleQueue()
        self._refreshed = float("-inf")
        self._lost = 0
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread. It ends with the process: a server that does not answer holds nobody up."""
        self._thread = Thread(target=self._run, name="scrapy-tps sender", daemon=True)
        self._thread.start()

    @property
    def behind(self) -> bool:
        """Whether the thread has not got round to what it was given before."""
        return self._inbox.qsize() >= MOST_WAITING

    def send(self, parcel: Parcel) -> None:
        """Hand over what there is."""
        self._inbox.put(_Message(parcel))

    def finish(self, parcel: Parcel, seconds: float) -> Callable[[float], bool]:
        """Hand over what is last, to be tried for so many seconds.

        Returns what waits for that, for the seconds it is given, and tells whether the server has confirmed all.
        """
        self.settled = False
        message = _Message(parcel, until=time.monotonic() + seconds)
        self._inbox.put(message)
        return lambda patience: message.done.wait(patience) and self.settled

    def stop(self) -> None:
        """Let the thread end when it has done what it was given."""
        self._inbox.put(_Message(None))

    def _run(self) -> None:
        while True:
            messages = [self._inbox.get()]
            # a flush that comes late takes those behind it along
            while not self._inbox.empty():
                messages.append(self._inbox.get())
            try:
                self._handle(messages)
            except Exception as error:  # whatever it is, the crawl goes on, and hears of it
                self.errors.put(
                    StoreError(f"{self._connection.shown}: {type(error).__name__}: {told(error)}")
                )
            for message in messages:
                message.done.set()
            if messages[-1].parcel is None:
                self._connection.close()
                return

    def _handle(self, messages: list[_Message]) -> None:
        parcels = [message.parcel for message in messages if message.parcel is not None]
        if not parcels:
            return
        for parcel in parcels:
            self._outbox.add(parcel.sites)
            self._errand.add(parcel.errand)
        about = parcels[-1].about
        until = max((message.until for message in messages if message.until), default=None)
        sent = self._try(about, last=until is not None)
        while until is not None and not self._outbox.empty and time.monotonic() < until:
            if not sent:
                time.sleep(_AGAIN)
            sent = self._try(about, last=True)

    def _try(self, about: str, *, last: bool) -> bool:
        try:
            self._exchange(about, check=last)
        except StoreError as error:
            self.errors.put(error)
            return False
        finally:
            self.unsent_pages, self.settled = self._outbox.unconfirmed_pages, self._outbox.empty
        return True

    def _exchange(self, about: str, *, check: bool) -> None:
        """Send what there is; once more where the server asks for what it has lost."""
        due = time.monotonic() - self._refreshed > min(_REFRESH, self._job.seconds / 4)
        topics = self._errand.commands(self._job, self._knowledge.most)
        self._flush(topics, self._about(about, refresh=due or check), check=check)
        if not self._outbox.confirmed:
            self._flush([], [], check=False)
        self._refreshed = time.monotonic() if due else self._refreshed
        if self._outbox.lost > self._lost:
            self._lost = self._outbox.lost
            raise FiguresLost(
                f"{self._connection.shown}: the server has lost {self._lost} flushes of this process that it had "
                "confirmed"
            )

    def _flush(self, topics: list[tuple[Topic, Command]], further: list[Command], *, check: bool) -> None:
        """One round trip; raise the first error that the server answers with, when all answers are taken."""
        flushes = self._outbox.flushes(check=check)
        commands = [("EVAL", ADD_FIGURES, 1, self._job.figures(part), *rest) for part, rest in flushes]
        answers = self._connection.run([*commands, *(command for _, command in topics), *further])
        sent = answers[: len(flushes)]
        known = ((part, answer) for (part, _), answer in zip(flushes, sent, strict=True))
        self._outbox.answered([(part, answer) for part, answer in known if isinstance(answer, int)])
        for (topic, _), answer in zip(topics, answers[len(flushes) :], strict=False):
            if isinstance(answer, list):
                self._errand.done(topic)
                self._knowledge.bring(topic, answer)
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreError(f"{self._connection.shown}: {told(answer)}")

    def _about(self, about: str, *, refresh: bool) -> list[Command]:
        job, now = self._job, int(time.time())
        commands: list[Command] = [
            ("HSET", job.processes, self._process, about),
            ("EXPIRE", job.processes, job.seconds),
        ]
        if refresh:
            commands.append(("EVAL", REGISTER, 1, job.jobs, job.name, now + job.seconds, now))
            commands.extend(("EXPIRE", job.figures(part), job.seconds) for part in range(PARTS))
        return commands
