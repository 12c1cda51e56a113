"""A process as a member of its job: what the crawl itself touches, and never waits for."""

from __future__ import annotations

import json
import os
import socket
from datetime import datetime, timezone
from typing import TYPE_CHECKING
from uuid import uuid4

from scrapy_tps.sharing.connection import Connection
from scrapy_tps.sharing.exchange import Exchange, FiguresLost, Parcel
from scrapy_tps.sharing.kept import KeptSelectors
from scrapy_tps.sharing.sender import Sender
from scrapy_tps.stats.buffer import SiteBuffer
from scrapy_tps.stats.database import Patience, StoreError
from scrapy_tps.stats.guard import JOB, JOB_LACKS, Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.sharing.job import Job
    from scrapy_tps.stats.figures import SiteFigures

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
