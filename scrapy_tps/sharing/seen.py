"""Which records the processes of a job have seen: asked of the server in batches, for items that may wait a moment."""

from __future__ import annotations

import time
from hashlib import blake2b
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.sharing.connection import LIFETIME, Connection, Job
from scrapy_tps.sharing.scripts import SEE_RECORDS
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Seconds between two batches: how long an item waits at most, where the server answers at once.
PAUSE: Final = 0.1

#: Seconds that the server may take. Items wait meanwhile; then they are judged by what this process has seen.
TIMEOUT: Final = 1.0

#: Seconds after which a server that failed is asked again.
AGAIN: Final = 5.0


def exact_fingerprint(values: Iterable[str]) -> bytes:
    """Return 16 bytes that are equal for records with equal values (white space and case do not count)."""
    digest = blake2b(digest_size=16)
    for value in values:
        digest.update(" ".join(value.lower().split()).encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.digest()


class Record(NamedTuple):
    """A record as the server knows it.

    :ivar fingerprint: of its values, 16 bytes.
    :ivar page: hash of the page's address, 64 bits.
    """

    site: str
    fingerprint: bytes
    page: int


class SeenRecords:
    """The records that all processes of a job have seen.

    The server forgets those that were not met for longest; it keeps between one and two times `most` halves, over all
    sites, 50 bytes each.

    :param most: records to remember.
    """

    def __init__(self, job: Job, most: int) -> None:
        self._job = job
        self._connection = Connection(job.address, timeout=TIMEOUT)
        self._room = max(most // 2, 1)  # records in half the memory
        self._waiting: SimpleQueue[tuple[int, Record]] = SimpleQueue()
        self._next = 0.0
        self._away_until = float("-inf")

    @property
    def away(self) -> bool:
        """Whether the server failed a moment ago, and is left alone."""
        return time.monotonic() < self._away_until

    @property
    def empty(self) -> bool:
        """Whether no record waits."""
        return self._waiting.empty()

    def put(self, ticket: int, record: Record) -> None:
        """Ask for a record with the next batch, under a number by which the answer is known."""
        self._waiting.put((ticket, record))

    def ask(self) -> dict[int, bool]:
        """Ask for all that wait, in one round trip; return by ticket whether a record was seen. Blocks: for a thread.

        :raises StoreError: where the server fails; all that waited are without an answer then.
        """
        time.sleep(max(self._next - time.monotonic(), 0.0))
        batch = []
        while not self._waiting.empty():
            batch.append(self._waiting.get())
        try:
            return self._asked(batch)
        except StoreError:
            self._away_until = time.monotonic() + AGAIN
            raise
        finally:
            self._next = time.monotonic() + PAUSE

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _asked(self, batch: Sequence[tuple[int, Record]]) -> dict[int, bool]:
        arguments = (argument for _, record in batch for argument in _arguments(record))
        script = ("EVAL", SEE_RECORDS, 2, self._job.seen(0), self._job.seen(1))
        (answers,) = self._connection.ask((*script, LIFETIME, self._room, *arguments))
        return {ticket: bool(answer) for (ticket, _), answer in zip(batch, answers, strict=True)}


def _arguments(record: Record) -> tuple[bytes, bytes]:
    """Field of the record, and hash of its page."""
    field = b"r" + exact_fingerprint([record.site, record.fingerprint.hex()])
    return field, record.page.to_bytes(8, "big")
