"""The records seen by the processes of a distributed crawl: requested from the server in batches, while items wait."""

from __future__ import annotations

import time
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.sharing.connection import LIFETIME, Connection, DistributedCrawl
from scrapy_tps.sharing.scripts import SEE_RECORDS
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Seconds between two batches: the longest wait of an item if the server answers at once.
PAUSE: Final = 0.1

#: Time limit of the server in seconds, while items wait; then they are compared with the records of this process.
TIMEOUT: Final = 1.0

#: Seconds after which a failed server is tried again.
AGAIN: Final = 5.0


def fingerprint(values: Iterable[str]) -> bytes:
    """Return 16 bytes that are equal for equal values (white space and case do not count)."""
    digest = blake2b(digest_size=16)
    for value in values:
        digest.update(" ".join(value.lower().split()).encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.digest()


class Record(NamedTuple):
    """A record in the form that is remembered.

    :ivar key: fingerprint of its site and its values.
    :ivar page: fingerprint of the page's address, its first 8 bytes.
    """

    key: bytes
    page: bytes


class SeenRecords:
    """The records that all processes of a distributed crawl have seen.

    The server forgets the least recently seen ones; it keeps between one and two times half of `most`, over all sites,
    50 bytes each.

    :param most: records to remember.
    """

    def __init__(self, distributed: DistributedCrawl, most: int) -> None:
        self._connection = Connection(distributed.address, timeout=TIMEOUT)
        keys = distributed.key("seen:0"), distributed.key("seen:1")
        self._script = ("EVAL", SEE_RECORDS, 2, *keys, LIFETIME, max(most // 2, 1))
        self._next = 0.0
        self._away_until = float("-inf")

    @property
    def away(self) -> bool:
        """Whether the server failed a moment ago, and is not tried now."""
        return time.monotonic() < self._away_until

    def ask(self, records: Sequence[Record]) -> list[bool]:
        """Return whether each was seen, after one round trip. It blocks, so call it in a thread.

        :raises StoreError: if the server fails.
        """
        time.sleep(max(self._next - time.monotonic(), 0.0))
        try:
            (answers,) = self._connection.ask(
                (*self._script, *chain.from_iterable((b"r" + one.key, one.page) for one in records))
            )
        except StoreError:
            self._away_until = time.monotonic() + AGAIN
            raise
        finally:
            self._next = time.monotonic() + PAUSE
        return [bool(answer) for answer in answers]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
