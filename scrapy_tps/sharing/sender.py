"""The thread that talks to the server, so that nobody else waits for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from scrapy_tps.sharing.connection import Connection, told
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.sharing.exchange import Exchange, Parcel

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
