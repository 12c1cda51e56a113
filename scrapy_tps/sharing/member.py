"""A process as a member of a distributed crawl, and its threads that talk to the server: the crawl never waits for
it."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import asdict
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from scrapy_tps.sharing.connection import LIFETIME, Connection, DistributedCrawl, error_line, memory_key
from scrapy_tps.sharing.outbox import FiguresLost, KeptSelectors, Outbox
from scrapy_tps.stats.database import LAST_PATIENCE, StoreError, now, readable
from scrapy_tps.stats.error_isolation import DISTRIBUTED, DISTRIBUTED_LACKS, Guard
from scrapy_tps.stats.figures import SiteBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy_tps.proposals.proposal import Proposals
    from scrapy_tps.sharing.connection import Command
    from scrapy_tps.stats.figures import SiteFigures

#: Seconds between tries at the end of a crawl.
_AGAIN: Final = 0.25


class CrawlMember:
    """Holds figures that the server does not have yet, and sends them in threads of its own, one after the other.

    They end with the process, so an unreachable server does not block the end. Memory holds at most `max_sites` sites
    here, and as many on their way. If the server is unreachable and there are more, the least recently used ones are
    added up under ``(other sites)``.

    :param spider: name of the spider, for the reports.
    :param guard: receives failures.
    """

    def __init__(self, distributed: DistributedCrawl, spider: str, *, max_sites: int, guard: Guard) -> None:
        self.distributed = distributed
        self.process = uuid4().hex
        self.kept = KeptSelectors(distributed)
        """Selectors that this process and the others keep on sites."""
        self.remembered: dict[str, tuple[str, str, str]] = {}
        """What each process of earlier crawls of the spider remembered of a callback, by its field at the server: site,
        callback, and the memory as JSON."""
        self._spider = spider
        self._guard = guard
        self._buffer = SiteBuffer(max_sites)
        self._connection = Connection(distributed.address)
        self._outbox = Outbox(distributed, self.process, self.kept, max_sites=max_sites)
        self._further: list[Command] = []
        self._sender: Thread | None = None  # the last one
        self._errors: SimpleQueue[StoreError] = SimpleQueue()  # since the last check
        self._settled = True  # whether the server had confirmed all at the last try
        self._pages = 0
        self._about = {"spider": spider, "host": socket.gethostname(), "pid": os.getpid(), "started": now()}

    def open(self) -> None:
        """Join the distributed crawl; raise :class:`~scrapy_tps.stats.database.StoreError` on failure: a reachable
        server may not allow this user to write, or may be a replica.
        """
        self._outbox.about = self._entry_of_process()
        try:
            self._outbox.send(self._connection)
            self.remembered = memory_in_store(self._connection, self._spider)
        except StoreError:
            self._connection.close()
            raise

    def of(self, site: str) -> SiteFigures:
        """Return the figures of a site, to be added to immediately."""
        if self._buffer.full and site not in self._buffer:
            self.flush()
        return self._buffer.of(site)

    def flush(self) -> None:
        """Send the figures, unless earlier ones are on their way; report failures."""
        if not self._sends():
            self._hand_over()
        self._tell()

    def finish(self, reason: str) -> Callable[[], bool]:
        """Send the last figures and the end of the crawl.

        Returns a function that waits until the server has confirmed them, ``LAST_PATIENCE`` seconds at most, and
        returns whether it has. It may be called in another thread.
        """
        self._about |= {"finished": now(), "reason": reason}
        self._settled = False
        self._outbox.further = self._further
        thread = self._hand_over(until=time.monotonic() + LAST_PATIENCE)

        def wait() -> bool:
            thread.join(LAST_PATIENCE)
            return self._settled and not thread.is_alive()

        return wait

    def close(self) -> None:
        """Report figures that are finally lost, and close the connection; call :meth:`finish` first."""
        self._tell()
        if not self._settled:
            self._guard.failed(
                DISTRIBUTED_LACKS, StoreError(f"{self._connection.shown}: figures were not sent")
            )
        if not self._sends():
            self._connection.close()

    def _sends(self) -> bool:
        return self._sender is not None and self._sender.is_alive()

    def remember(self, entries: Iterable[tuple[str, str, str]], proposals: Proposals) -> None:
        """Send what the crawl remembers, in place of what it found there, and its proposals, with its end."""
        key = memory_key(self._spider)
        for entry in entries:
            before = [field for field, one in self.remembered.items() if one[:2] == entry[:2]]
            if before:
                self._further.append(("HDEL", key, *before))
            text = json.dumps([*entry, self.process])
            self._further.append(("HSET", key, _entry(text)[0], text))
        for place, one in proposals.items():
            # another process may have seen more pages
            command = "HSET" if one.selector else "HSETNX"
            text = json.dumps([*place, asdict(one)])
            self._further.append((command, self.distributed.key("proposals"), json.dumps(place), text))
        self._further += [("EXPIRE", name, LIFETIME) for name in (key, self.distributed.key("proposals"))]

    def _entry_of_process(self) -> str:
        return json.dumps(self._about | {"written": now(), "pages": self._pages})

    def _hand_over(self, until: float = 0.0) -> Thread:
        """Send the figures in a thread, after those before. The thread ends with the process.

        :param until: the time to give up, for the last ones.
        """
        sites, self._buffer = self._buffer, SiteBuffer(self._buffer.most)
        self._pages += sum(figures["pages"] for figures in sites.values())
        about, before = self._entry_of_process(), self._sender

        def deliver() -> None:
            if before is not None:
                before.join()
            self._outbox.add(sites)
            self._outbox.about = about
            sent = self._send(last=until > 0)
            while not self._settled and time.monotonic() < until:
                if not sent:
                    time.sleep(_AGAIN)
                sent = self._send(last=True)

        self._sender = Thread(target=deliver, name="scrapy-tps sender", daemon=True)
        self._sender.start()
        return self._sender

    def _tell(self) -> None:
        while not self._errors.empty():
            error = self._errors.get()
            self._guard.failed(DISTRIBUTED_LACKS if isinstance(error, FiguresLost) else DISTRIBUTED, error)

    def _send(self, *, last: bool) -> bool:
        try:
            self._outbox.send(self._connection, last=last)
        except Exception as error:  # on any error the crawl goes on and is informed
            text = f"{self._connection.shown}: {type(error).__name__}: {error_line(error)}"
            self._errors.put(error if isinstance(error, StoreError) else StoreError(text))
            return False
        finally:
            self._settled = self._outbox.empty
        return True


def memory_in_store(connection: Connection, spider: str) -> dict[str, tuple[str, str, str]]:
    """Return what the processes of a spider's distributed crawls remember, by the field of each: site, callback, and
    the memory as JSON."""
    (found,) = connection.ask(("HVALS", memory_key(spider)))
    return dict(readable(((one,) for one in found), _entry, "memory", []))


def _entry(text: str) -> tuple[str, tuple[str, str, str]]:
    """Return the field of an entry at the server, and what it says."""
    site, callback, memory, process = json.loads(text)
    return json.dumps([site, callback, process]), (site, callback, memory)
