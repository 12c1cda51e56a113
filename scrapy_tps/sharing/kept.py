"""Selectors that the processes of a job keep on sites: a set in Redis, the same in every process sooner or later."""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sharing.connection import Connection, told
from scrapy_tps.sharing.job import LIFETIME
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.sharing.connection import Command
    from scrapy_tps.sharing.job import Job

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
        (members,) = self._run(connection, ("SMEMBERS", self._key))
        theirs = {one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in members}
        for one in theirs - self._known:
            self._found.put(one)
        if lacking := self._known - theirs:
            self._run(connection, ("SADD", self._key, *lacking), ("EXPIRE", self._key, LIFETIME))
        self._known |= theirs
        self._behind = False

    def _run(self, connection: Connection, *commands: Command) -> list[Any]:
        answers = connection.run(commands)
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreError(f"{connection.shown}: {told(answer)}")
        return answers
