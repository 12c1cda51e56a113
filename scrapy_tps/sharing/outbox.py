"""Figures of a process that the server has not confirmed: numbered, so that they count once.

Each part of the job has flushes of its own, numbered from 1. A flush that was sent is never changed: until the server
confirms it, it is sent again as it is, and new figures wait for the next. Confirmed flushes are kept for
a while: a server that was restarted, or that took over from another, may have lost its last seconds, says so by the
number it knows, and is sent them again.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sharing.job import LIFETIME, PARTS, part_of
from scrapy_tps.sharing.wire import to_json
from scrapy_tps.stats.buffer import SiteBuffer
from scrapy_tps.stats.figures import MAX_NAMES
from scrapy_tps.stats.queries import MOST_QUERIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy_tps.stats.figures import SiteFigures

#: Seconds that confirmed flushes are kept. With ``appendfsync everysec``, a server loses up to two when it is killed.
KEPT_SECONDS: Final = 10.0

#: Bytes of confirmed flushes that each part keeps at most.
KEPT_BYTES: Final = 256 * 1024


@dataclass(slots=True)
class _Flush:
    number: int
    before: int
    """Number of the flush before it: the server must know that one."""
    figures: str
    pages: int
    confirmed: float = 0.0
    """When the server said that it has it, by the clock."""


@dataclass(slots=True)
class _Part:
    number: int = 0
    """The last flush that was made."""
    sent: list[_Flush] = field(default_factory=list)
    """Not confirmed, oldest first: one, or several once the server has lost some."""
    kept: deque[_Flush] = field(default_factory=deque)
    """Confirmed lately, oldest first."""


class Outbox:
    """The flushes of one process. Use it from one thread.

    :param process: what the server knows the process by: as no other one of the job, ever.
    :param max_sites: sites that wait for the next flush at most; further ones are added up as ``(other sites)``.
    """

    def __init__(self, process: str, *, max_sites: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._process = process
        self._clock = clock
        self._waiting = SiteBuffer(max_sites)
        self._parts = [_Part() for _ in range(PARTS)]
        self.lost = 0
        """Flushes that the server confirmed, lost, and could not be sent again."""

    def add(self, sites: Mapping[str, SiteFigures]) -> None:
        """Take figures for the next flush; they are the outbox's own from then on."""
        for site, figures in sites.items():
            self._waiting.take(site, figures)

    @property
    def unconfirmed_pages(self) -> int:
        """Pages that the server has not confirmed."""
        waiting = sum(figures["pages"] for figures in self._waiting.values())
        return waiting + sum(flush.pages for part in self._parts for flush in part.sent)

    @property
    def confirmed(self) -> bool:
        """Whether the server has confirmed all flushes that were made."""
        return not any(part.sent for part in self._parts)

    @property
    def empty(self) -> bool:
        """Whether the server has confirmed everything."""
        return self.confirmed and not self._waiting

    def flushes(self, *, check: bool = False) -> list[tuple[int, tuple[Any, ...]]]:
        """Return what is to be sent now: the part, and the arguments of the script.

        :param check: whether parts with nothing to send ask the server if it still has what it confirmed.
        """
        sites: list[dict[str, SiteFigures]] = [{} for _ in range(PARTS)]
        for site in list(self._waiting):
            number = part_of(site)
            if not self._parts[number].sent:
                sites[number][site] = self._waiting.pop(site)
        for part, figures in zip(self._parts, sites, strict=True):
            if figures or (check and part.kept and not part.sent):
                self._make(part, figures)
        return [
            (
                number,
                (
                    *(self._process, flush.number, flush.before, LIFETIME, flush.figures),
                    *(MOST_QUERIES, MAX_NAMES),
                ),
            )
            for number, part in enumerate(self._parts)
            for flush in part.sent
        ]

    def answered(self, answers: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> None:
        """Take the server's answers: the part, and the number of the last flush that it knows."""
        known: dict[int, int] = {}
        for number, last in answers:
            known[number] = max(last, known.get(number, 0))
        for number, last in known.items():
            self._confirmed(self._parts[number], last)

    def _make(self, part: _Part, sites: dict[str, SiteFigures]) -> None:
        before, part.number = part.number, part.number + 1
        pages = sum(figures["pages"] for figures in sites.values())
        part.sent.append(_Flush(part.number, before, to_json(sites), pages))

    def _confirmed(self, part: _Part, known: int) -> None:
        now = self._clock()
        while part.sent and part.sent[0].number <= known:
            flush = part.sent.pop(0)
            flush.confirmed = now
            part.kept.append(flush)
        if part.sent and part.sent[0].before > known:
            self._send_again(part, known)
        size = sum(len(flush.figures) for flush in part.kept)
        while part.kept and (now - part.kept[0].confirmed > KEPT_SECONDS or size > KEPT_BYTES):
            size -= len(part.kept.popleft().figures)

    def _send_again(self, part: _Part, known: int) -> None:
        again = [flush for flush in part.kept if flush.number > known]
        part.kept.clear()
        part.sent = again + part.sent
        first = part.sent[0]
        self.lost += first.number - known - 1
        first.before = known
