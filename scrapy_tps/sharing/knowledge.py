"""Knowledge of sites that the processes of a job share: rows of bytes that merge in any order, any number of times.

A row has a site, a kind (``"page"``, ``"queries"`` …), a key, an epoch, a version and a blob. If two rows have one
key, that of the later epoch stays, then of the later version, then the one with the larger bytes. A certain number of
rows of one kind stays on a site: those of the last epochs with the smallest keys. A row of one process reaches another
that watches the site within two intervals.
"""

from __future__ import annotations

from collections import OrderedDict
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy_tps.sharing.job import LIFETIME, part_of
from scrapy_tps.sharing.scripts import EXCHANGE_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy_tps.sharing.connection import Command
    from scrapy_tps.sharing.job import Job

#: Sites and kinds of which a process remembers what it has seen, and for which it asks at once. Of those forgotten it
#: gets all rows again.
MOST_TOPICS: Final = 10_000

#: Bytes of rows that wait for the server. What was learnt first goes first: it can be learnt again.
MOST_BYTES: Final = 16 * 1024 * 1024


class Topic(NamedTuple):
    """The subject of rows."""

    site: str
    kind: str


class Row(NamedTuple):
    """One thing that is known of a site."""

    topic: Topic
    key: bytes
    blob: bytes
    epoch: int = 0
    version: int = 0


class Errand:
    """Rows to tell, and topics to ask for, in bounded memory. Use it from one thread at a time."""

    def __init__(self) -> None:
        self._asked: OrderedDict[Topic, int] = OrderedDict()
        self._told: dict[Topic, dict[bytes, Row]] = {}
        self._size = 0

    def ask(self, topic: Topic, seen: int) -> None:
        """Ask for the rows that came after that change."""
        self._asked[topic] = seen
        self._asked.move_to_end(topic)
        while len(self._asked) > MOST_TOPICS or (self._size > MOST_BYTES and len(self._asked) > 1):
            self.done(next(iter(self._asked)))

    def tell(self, row: Row, seen: int) -> None:
        """Tell a row, and ask for those that came after that change."""
        rows = self._told.setdefault(row.topic, {})
        before = rows.get(row.key)
        self._size += len(row.blob) - (len(before.blob) if before else 0)
        rows[row.key] = row
        self.ask(row.topic, seen)

    def add(self, later: Errand) -> None:
        """Take a later errand along."""
        for topic, seen in later._asked.items():
            self.ask(topic, seen)
            for row in later._told.get(topic, {}).values():
                self.tell(row, seen)

    def done(self, topic: Topic) -> None:
        """Forget what was to be told of a topic, and asked."""
        self._asked.pop(topic, None)
        self._size -= sum(len(row.blob) for row in self._told.pop(topic, {}).values())

    def commands(self, job: Job, most: Mapping[str, int]) -> list[tuple[list[Topic], Command]]:
        """One command for the topics of each part of the job: what costs most of a topic is a command of its own."""
        parts: dict[int, list[Topic]] = {}
        for topic in self._asked:
            parts.setdefault(part_of(topic.site), []).append(topic)
        return [
            (
                topics,
                (
                    *("EVAL", EXCHANGE_ROWS, 2 * len(topics)),
                    *(key for topic in topics for key in (job.rows(*topic), job.row_order(*topic))),
                    LIFETIME,
                    *(argument for topic in topics for argument in self._arguments(topic, most)),
                ),
            )
            for topics in parts.values()
        ]

    def _arguments(self, topic: Topic, most: Mapping[str, int]) -> Iterator[Any]:
        rows = self._told.get(topic, {}).values()
        yield from (self._asked[topic], most[topic.kind], len(rows))
        for row in rows:
            yield from (row.key, row.epoch, row.version, row.blob)


class Knowledge:
    """The rows of this process and of others: for the thread of the crawl, which never waits here."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        """Rows of a site that are kept, by kind."""
        self.losses = 0
        """How often a server was found to have lost rows: those who told them may tell them again."""
        self._errand = Errand()
        self._seen: OrderedDict[Topic, int] = OrderedDict()
        self._brought: dict[str, SimpleQueue[tuple[Topic, Any]]] = {}

    def keep(self, kind: str, most: int) -> None:
        """Say how many rows of a kind are kept of a site; every process of a job must say the same."""
        self.most[kind] = most
        self._brought[kind] = SimpleQueue()

    def tell(self, row: Row) -> None:
        """Share a row with the next flush, and ask for the others of its site and kind."""
        self._errand.tell(row, self._seen.get(row.topic, 0))

    def watch(self, site: str, kind: str) -> None:
        """Ask for what is known of a site with the next flush: call it with each page, say."""
        topic = Topic(site, kind)
        self._errand.ask(topic, self._seen.get(topic, 0))

    def news(self, kind: str) -> list[Row]:
        """Rows of others of that kind, of watched sites, since the last call."""
        brought = self._brought[kind]
        found: list[Row] = []
        while not brought.empty():
            topic, answer = brought.get()
            change, rows = _read(topic, answer)
            self.losses += change < self._seen.get(topic, 0)
            self._seen[topic] = change
            self._seen.move_to_end(topic)
            found += rows
            if len(self._seen) > MOST_TOPICS:
                self._seen.popitem(last=False)
        return found

    def take(self) -> Errand:
        """Rows to send and sites to ask for now."""
        errand, self._errand = self._errand, Errand()
        return errand

    def bring(self, topic: Topic, answer: Any) -> None:
        """Take what the server has answered; for the thread that sends."""
        self._brought[topic.kind].put((topic, answer))


def _read(topic: Topic, answer: Any) -> tuple[int, list[Row]]:
    """Number of the last change and rows of an answer; rows that can't be read are left out."""
    return int(answer[0]), list(_rows(topic, answer[1:]))


def _rows(topic: Topic, parts: list[bytes]) -> Iterator[Row]:
    for key, value in zip(parts[::2], parts[1::2], strict=True):
        numbers, line, blob = value.partition(b"\n")
        epoch, _, version = numbers.partition(b" ")
        if line and all(one.isdigit() and len(one) < 16 for one in (epoch, version)):
            yield Row(topic, key, blob, int(epoch), int(version))
