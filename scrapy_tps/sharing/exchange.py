"""The exchange of a process with the server: mostly in one round trip."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sharing.connection import Connection, told
from scrapy_tps.sharing.job import LIFETIME, PARTS
from scrapy_tps.sharing.outbox import Outbox
from scrapy_tps.sharing.scripts import ADD_FIGURES, REGISTER
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.sharing.connection import Command
    from scrapy_tps.sharing.job import Job
    from scrapy_tps.sharing.kept import KeptSelectors
    from scrapy_tps.stats.figures import SiteFigures

#: Seconds after which the keys that a flush does not touch are given a new life.
_REFRESH: Final = 3600.0


class FiguresLost(StoreError):
    """The server has lost figures for good."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """The contents of a flush; nobody else may change them from then on."""

    sites: Mapping[str, SiteFigures]
    about: str
    """What the process says of itself, as JSON."""


class Exchange:
    """Sends what one process has counted, and exchanges selectors. Use it from one thread.

    :param process: see :class:`~scrapy_tps.sharing.outbox.Outbox`.
    :param kept: the selectors that the processes keep on sites.
    """

    def __init__(
        self, job: Job, connection: Connection, process: str, kept: KeptSelectors, *, max_sites: int
    ) -> None:
        self.outbox = Outbox(process, max_sites=max_sites)
        """What the server has not confirmed."""
        self._job = job
        self._connection = connection
        self._process = process
        self._kept = kept
        self._about = "{}"
        self._refreshed = float("-inf")
        self._lost = 0

    def add(self, parcel: Parcel) -> None:
        """Take a parcel for the next round trip."""
        self.outbox.add(parcel.sites)
        self._about = parcel.about

    def run(self, *, last: bool = False) -> None:
        """Send what there is; once more where the server asks for what it has lost.

        :param last: whether to ask the server if it still has what it confirmed.
        :raises StoreError: what was not confirmed is kept, for the next call.
        """
        due = time.monotonic() - self._refreshed > _REFRESH
        size, *_ = self._flush([self._kept.size(), *self._registration(refresh=due or last)], check=last)
        if not self.outbox.confirmed:
            self._flush([], check=False)
        self._kept.exchange(size, self._connection)
        self._refreshed = time.monotonic() if due else self._refreshed
        if self.outbox.lost > self._lost:
            self._lost = self.outbox.lost
            raise FiguresLost(
                f"{self._connection.shown}: the server lost {self._lost} confirmed flushes of this process"
            )

    def _flush(self, further: list[Command], *, check: bool) -> list[Any]:
        """One round trip; return the answers to further commands. Raise the first error that the server answers with,
        when all answers are taken.
        """
        flushes = self.outbox.flushes(check=check)
        commands = [("EVAL", ADD_FIGURES, 1, self._job.figures(part), *rest) for part, rest in flushes]
        answers = self._connection.run([*commands, *further])
        known = ((part, answer) for (part, _), answer in zip(flushes, answers, strict=False))
        self.outbox.answered([(part, answer) for part, answer in known if isinstance(answer, int)])
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreError(f"{self._connection.shown}: {told(answer)}")
        return answers[len(flushes) :]

    def _registration(self, *, refresh: bool) -> list[Command]:
        job = self._job
        commands: list[Command] = [
            ("HSET", job.processes, self._process, self._about),
            ("EXPIRE", job.processes, LIFETIME),
        ]
        if refresh:
            commands.append(("EVAL", REGISTER, 1, job.jobs, job.name, LIFETIME))
            commands.append(("EXPIRE", job.kept, LIFETIME))
            commands.extend(("EXPIRE", job.figures(part), LIFETIME) for part in range(PARTS))
        return commands
