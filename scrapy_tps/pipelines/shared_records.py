"""Asks the job whether records were seen, while the crawl goes on: many items in one round trip."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_tps.stats.error_isolation import JOB_RECORDS

if TYPE_CHECKING:
    from scrapy_tps.sharing.seen import Record, SeenRecords
    from scrapy_tps.stats.error_isolation import Guard


class SharedRecords:
    """Answers for items that wait, with any reactor and without one.

    :param guard: owns what fails: the record is new to the job then, as far as anybody knows.
    """

    def __init__(self, seen: SeenRecords, guard: Guard) -> None:
        self._seen = seen
        self._guard = guard
        self._tickets = count()
        self._waiting: dict[int, Deferred[bool]] = {}
        self._serving: Deferred[None] | None = None

    async def seen(self, record: Record) -> bool:
        """Whether the job knows a record from another page."""
        if self._seen.away:
            return False
        ticket = next(self._tickets)
        answer = self._waiting[ticket] = Deferred()
        self._seen.put(ticket, record)
        if self._serving is None:
            self._serving = Deferred()  # the coroutine may begin at once
            self._serving = deferred_from_coro(self._serve())
        return await maybe_deferred_to_future(answer)

    def close(self) -> None:
        """Let go of the server."""
        with self._guard(JOB_RECORDS):
            self._seen.close()

    async def _serve(self) -> None:
        """Ask for all that wait, until nobody does."""
        try:
            while self._waiting:
                try:
                    answers = await run_in_thread(self._seen.ask)
                except Exception as error:  # no item waits for ever, whatever it is
                    self._guard.failed(JOB_RECORDS, error)
                    answers = dict.fromkeys(self._waiting, False)
                self._answer(answers)
        finally:
            self._serving = None
            self._answer(dict.fromkeys(self._waiting, False))

    def _answer(self, answers: dict[int, bool]) -> None:
        for ticket, answer in answers.items():
            waiting = self._waiting.pop(ticket, None)
            if waiting is not None:
                waiting.callback(answer)
