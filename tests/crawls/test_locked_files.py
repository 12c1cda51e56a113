"""Files of figures and samples that something else has locked hardly keep a crawl over real HTTP."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import signals

from scrapy_tps.extensions import TpsFigures
from scrapy_tps.stats.store import FiguresStore
from tests.support.failing import PAGES, problems, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are written ten times a second."""
    monkeypatch.setattr(TpsFigures, "interval", 0.1)


@pytest.fixture
def locked(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file that another connection has locked, for reading and writing."""
    path = tmp_path / getattr(request, "param", "tps-stats.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE other (a)")
        other.execute("BEGIN EXCLUSIVE")
        yield path


class Pace:
    """Notes for how long the event loop stood still, from the first page to the last."""

    longest = 0.0
    total = 0.0

    def __init__(self, crawler: Any) -> None:
        from scrapy.utils.asyncio import create_looping_call

        type(self).longest = type(self).total = 0.0
        self._last: float | None = None
        self._task = create_looping_call(self._tick)
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._idle, signal=signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Pace:
        return cls(crawler)

    def _opened(self) -> None:
        self._task.start(0.02, now=False)

    def _idle(self) -> None:
        self._task.stop()

    def _tick(self) -> None:
        now = time.monotonic()
        if self._last is not None:
            type(self).longest = max(self.longest, now - self._last)
            type(self).total += max(now - self._last - 0.3, 0.0)
        self._last = now


@pytest.mark.parametrize("locked", ["tps-stats.sqlite", "tps-samples.sqlite"], indirect=True)
def test_a_file_that_stays_locked_from_the_start_hardly_keeps_a_crawl(
    server: MockServer, caplog: pytest.LogCaptureFixture, locked: Path
) -> None:
    settings = {
        "TPS_STATS_FILE": str(locked.with_name("tps-stats.sqlite")),
        "TPS_SAMPLES": int(locked.name == "tps-samples.sqlite"),
        "DOWNLOAD_DELAY": 0.1,
        "EXTENSIONS": {Pace: 0},
    }
    started = time.monotonic()
    found = run(server, settings)
    assert time.monotonic() - started < 25
    assert len(found.items) == PAGES
    assert Pace.longest < 5
    [problem] = problems(caplog)
    assert "database is locked" in problem


class Locker:
    """Locks the crawl's own file in mid-crawl and, where asked to, lets it go before the end."""

    def __init__(self, crawler: Any) -> None:
        self._file, self._held = crawler.settings["LOCKED"], crawler.settings.getint("LOCKED_FOR")
        self._items = 0
        self.connection: sqlite3.Connection | None = None
        crawler.signals.connect(self.item_scraped, signal=signals.item_scraped)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Locker:
        return cls(crawler)

    def item_scraped(self) -> None:
        self._items += 1
        if self._items == 2:
            self.connection = sqlite3.connect(self._file, isolation_level=None)
            self.connection.execute("BEGIN EXCLUSIVE")
        elif self._items == 2 + self._held and self.connection is not None:
            self.connection.close()


@pytest.mark.parametrize("held", [5, 100])
def test_a_file_that_is_locked_in_mid_crawl_is_waited_for_once(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path, held: int
) -> None:
    file = tmp_path / "stats.sqlite"
    settings = {
        "TPS_STATS_FILE": str(file),
        "TPS_REPORT": [str(tmp_path / name) for name in ("a.json", "b.txt", "c.csv")],
        "EXTENSIONS": {Pace: 0, Locker: 1},
        "LOCKED": str(file),
        "LOCKED_FOR": held,
        "DOWNLOAD_DELAY": 0.15,
    }
    started = time.monotonic()
    found = run(server, settings)
    assert time.monotonic() - started < 25
    assert len(found.items) == PAGES
    assert Pace.total < 2.5
    [problem] = problems(caplog)
    assert "database is locked" in problem
    locker = next(one for one in found.crawler.extensions.middlewares if isinstance(one, Locker))
    locker.connection.close()
    with closing(FiguresStore(file, create=False)) as store:
        crawls = store.crawls()
        if held < PAGES:
            [(_, figures)] = store.sites(crawls[-1].id)
            assert (crawls[-1].reason, figures["pages"]) == ("finished", PAGES)
    assert (tmp_path / "a.json").exists()


def test_a_file_that_is_free_again_gets_the_crawl_from_its_start(
    server: MockServer, locked: Path, tmp_path: Path
) -> None:
    file = tmp_path / "stats.sqlite"
    holder = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(1.5, holder.close)
    timer.start()
    try:
        run(server, {"TPS_STATS_FILE": str(file), "DOWNLOAD_DELAY": 0.2})
    finally:
        timer.join()
    with closing(FiguresStore(file, create=False)) as store:
        [(_, figures)] = store.sites(store.last_crawl("shop").id)
    assert (figures["pages"], figures["items"]) == (PAGES, PAGES)
