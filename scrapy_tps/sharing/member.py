"""A process as a member of its job, and its thread that talks to the server: the crawl itself never waits for it."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from scrapy_tps.sharing.connection import Connection, told
from scrapy_tps.sharing.outbox import Exchange, FiguresLost, KeptSelectors, Parcel
from scrapy_tps.stats.database import Patience, StoreError
from scrapy_tps.stats.error_isolation import JOB, JOB_LACKS, Guard
from scrapy_tps.stats.figures import SiteBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.sharing.connection import Job
    from scrapy_tps.stats.figures import SiteFigures

#: Flushes that may wait for the thread, which stands still for up to some seconds where the server does.
MOST_WAITING: Final = 2

#: Seconds between tries at the end of a crawl.
_AGAIN: Final = 0.25


@dataclass(slots=True)
class _Message:
    parcel: Parcel | None
    """None: there is nothing more to come."""
    until: float | None = None
    """When to give up, for the last one."""
    done: Event = field(default_factory=Event)


class Sender:
    """Runs the exchange in a thread of its own, which ends with the process: a server that is away holds nobody up.

    :param connection: of the exchange, to be closed at the end.
    """

    def __init__(self, exchange: Exchange, connection: Connection) -> None:
        self.errors: SimpleQueue[StoreError] = SimpleQueue()
        """What failed since somebody looked."""
        self.unsent_pages = 0
        """Pages that the server has not confirmed, as of the last try."""
        self.settled = True
        """Whether the server has confirmed all that it was sent, as of the last try."""
        self._exchange = exchange
        self._connection = connection
        self._inbox: SimpleQueue[_Message] = SimpleQueue()
        self._thread = Thread(target=self._run, name="scrapy-tps sender", daemon=True)

    def start(self) -> None:
        """Start the thread."""
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
            self._exchange.add(parcel)
        until = max((message.until for message in messages if message.until), default=None)
        sent = self._try(last=until is not None)
        while until is not None and not self._exchange.outbox.empty and time.monotonic() < until:
            if not sent:
                time.sleep(_AGAIN)
            sent = self._try(last=True)

    def _try(self, *, last: bool) -> bool:
        outbox = self._exchange.outbox
        try:
            self._exchange.run(last=last)
        except StoreError as error:
            self.errors.put(error)
            return False
        finally:
            self.unsent_pages, self.settled = outbox.unconfirmed_pages, outbox.empty
        return True


#: Seconds that the end of a crawl waits for the server.
LAST_PATIENCE = 5.0


class JobMember:
    """Holds figures that the job has not got yet, and hands them to the thread that sends them.

    Memory holds at most `max_sites` sites here, as many that wait for the thread, and as many on their way. If the
    server is away and more come, the least recently used ones are added up under ``(other sites)``.

    :param spider: name of the spider, for the reports.
    :param guard: owns what fails.
    """

    def __init__(self, job: Job, spider: str, *, max_sites: int, guard: Guard) -> None:
        self.job = job
        self.process = uuid4().hex
        self.kept = KeptSelectors(job)
        """Selectors that this process and the others keep on sites."""
        self._guard = guard
        self._buffer = SiteBuffer(max_sites)
        self._connection = Connection(job.address)
        self._exchange = Exchange(job, self._connection, self.process, self.kept, max_sites=max_sites)
        self._sender = Sender(self._exchange, self._connection)
        self._patience = Patience(LAST_PATIENCE)
        self._pages = 0
        self._about = {
            "spider": spider,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "started": _now(),
        }

    def open(self) -> None:
        """Enter the job, and start to send; raises :class:`~scrapy_tps.stats.database.StoreError` when that fails: a
        server that can be reached may not let this user write, or may be a replica.
        """
        self._exchange.add(self._parcel())
        try:
            self._exchange.run()
        except StoreError:
            self._connection.close()
            raise
        self._sender.start()

    def of(self, site: str) -> SiteFigures:
        """The figures of a site to add to, now."""
        if self._buffer.full and site not in self._buffer:
            self.flush()
        return self._buffer.of(site)

    def flush(self) -> None:
        """Hand over what there is, unless the thread is behind; tell what failed."""
        if not self._sender.behind:
            self._sender.send(self._parcel())
        self._tell()

    def finish(self, reason: str) -> Callable[[], bool]:
        """Hand over the last figures, and that the crawl ends now.

        Returns what waits until the server has confirmed them, for :data:`LAST_PATIENCE` seconds at most, all calls
        together, and tells whether it has. It may be called in another thread.
        """
        self._about |= {"finished": _now(), "reason": reason}
        handed = self._sender.finish(self._parcel(), LAST_PATIENCE)

        def wait() -> bool:
            with self._patience.spent() as seconds:
                return handed(seconds)

        return wait

    def close(self) -> None:
        """Say what the job lacks for good, and end the thread; :meth:`finish` first."""
        self._tell()
        if not self._sender.settled:
            pages = self._sender.unsent_pages
            self._guard.failed(
                JOB_LACKS, StoreError(f"{self._connection.shown}: {pages} pages were not sent")
            )
        self._sender.stop()

    def _parcel(self) -> Parcel:
        taken, self._buffer = self._buffer, SiteBuffer(self._buffer.most)
        self._pages += sum(figures["pages"] for figures in taken.values())
        about = json.dumps(self._about | {"written": _now(), "pages": self._pages})
        return Parcel(taken, about)

    def _tell(self) -> None:
        while not self._sender.errors.empty():
            error = self._sender.errors.get()
            self._guard.failed(JOB_LACKS if isinstance(error, FiguresLost) else JOB, error)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()
