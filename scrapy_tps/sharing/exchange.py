"""The exchange of a process with the server: all of it in one round trip."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sharing.connection import Connection, told
from scrapy_tps.sharing.job import LIFETIME, PARTS
from scrapy_tps.sharing.knowledge import Errand
from scrapy_tps.sharing.outbox import Outbox
from scrapy_tps.sharing.scripts import ADD_FIGURES, REGISTER
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy_tps.sharing.connection import Command
    from scrapy_tps.sharing.job import Job
    from scrapy_tps.sharing.knowledge import Knowledge, Topic
    from scrapy_tps.stats.figures import SiteFigures

#: Seconds after which the keys that a flush does not touch are given a new life.
_REFRESH: Final = 3600.0


class FiguresLost(StoreError):
    """The server has lost figures for good."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """The contents of a flush; nobody else may change them from then on."""

    sites: Mapping[str, SiteFigures]
    errand: Errand
    about: str
    """What the process says of itself, as JSON."""


class Exchange:
    """Sends what one process has counted and learnt, and fetches what others have. Use it from one thread.

    :param process: see :class:`~scrapy_tps.sharing.outbox.Outbox`.
    :param knowledge: gets what others have learnt.
    """

    def __init__(
        self, job: Job, connection: Connection, process: str, knowledge: Knowledge, *, max_sites: int
    ) -> None:
        self.outbox = Outbox(process, max_sites=max_sites)
        """What the server has not confirmed."""
        self._job = job
        self._connection = connection
        self._process = process
        self._knowledge = knowledge
        self._errand = Errand()
        self._about = "{}"
        self._refreshed = float("-inf")
        self._lost = 0

    def add(self, parcel: Parcel) -> None:
        """Take a parcel for the next round trip."""
        self.outbox.add(parcel.sites)
        self._errand.add(parcel.errand)
        self._about = parcel.about

    def run(self, *, last: bool = False) -> None:
        """Send what there is; once more where the server asks for what it has lost.

        :param last: whether to ask the server if it still has what it confirmed.
        :raises StoreError: what was not confirmed is kept, for the next call.
        """
        due = time.monotonic() - self._refreshed > _REFRESH
        topics = self._errand.commands(self._job, self._knowledge.most)
        self._flush(topics, self._registration(refresh=due or last), check=last)
        if not self.outbox.confirmed:
            self._flush([], [], check=False)
        self._refreshed = time.monotonic() if due else self._refreshed
        if self.outbox.lost > self._lost:
            self._lost = self.outbox.lost
            raise FiguresLost(
                f"{self._connection.shown}: the server lost {self._lost} confirmed flushes of this process"
            )

    def _flush(
        self, topics: list[tuple[list[Topic], Command]], further: list[Command], *, check: bool
    ) -> None:
        """One round trip; raise the first error that the server answers with, when all answers are taken."""
        flushes = self.outbox.flushes(check=check)
        commands = [("EVAL", ADD_FIGURES, 1, self._job.figures(part), *rest) for part, rest in flushes]
        answers = self._connection.run([*commands, *(command for _, command in topics), *further])
        sent = answers[: len(flushes)]
        known = ((part, answer) for (part, _), answer in zip(flushes, sent, strict=True))
        self.outbox.answered([(part, answer) for part, answer in known if isinstance(answer, int)])
        errors = [told(answer) for answer in answers if isinstance(answer, Exception)]
        for (asked, _), answer in zip(topics, answers[len(flushes) :], strict=False):
            if isinstance(answer, list):
                errors += self._take(asked, answer)
        if errors:
            raise StoreError(f"{self._connection.shown}: {errors[0]}")

    def _take(self, topics: list[Topic], answers: list[Any]) -> Iterator[str]:
        """Take what the server answered to topics; yield its errors."""
        for topic, answer in zip(topics, answers, strict=True):
            if isinstance(answer, list):
                self._errand.done(topic)
                self._knowledge.bring(topic, answer)
            else:
                yield answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer)

    def _registration(self, *, refresh: bool) -> list[Command]:
        job = self._job
        commands: list[Command] = [
            ("HSET", job.processes, self._process, self._about),
            ("EXPIRE", job.processes, LIFETIME),
        ]
        if refresh:
            commands.append(("EVAL", REGISTER, 1, job.jobs, job.name, LIFETIME))
            commands.extend(("EXPIRE", job.figures(part), LIFETIME) for part in range(PARTS))
        return commands
