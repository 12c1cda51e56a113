"""Processes that crawl the demo sites together, with scrapy-redis' queue, on a real Redis server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from scrapy_tps.sharing.connection import DistributedCrawl
from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import SiteFigures, merged
from scrapy_tps.stats.store import FiguresStore
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.stats.coverage import UseRow

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = [needs_redis, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "example_project"
PAGES = 194


class Alone(NamedTuple):
    """Return the figures of one process that crawls alone."""

    figures: dict[str, SiteFigures]
    items: list[Any]
    uses: dict[tuple[str, ...], tuple[int, ...]]


def start(project: str, url: str, log: Path, *options: str, spider: str = "demo") -> subprocess.Popen[bytes]:
    """Start a crawl of demo sites as a user would."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", "crawl", spider, "-L", "DEBUG", "-s", f"LOG_FILE={log}", *options],
        cwd=PROJECT,
        env=environment | {"PYTHONPATH": path, "SCRAPY_PROJECT": project, "REDIS_URL": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def ended_with_the_test(processes: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Processes that outlive a test that failed would be the failure of another one."""
    try:
        yield
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait(10)


def finish(processes: list[subprocess.Popen[bytes]], logs: list[Path]) -> None:
    for process, log in zip(processes, logs, strict=True):
        assert process.wait(300) == 0, log.read_text()
        text = log.read_text()
        assert "Traceback" not in text, text
        assert "ERROR" not in text, text


def without_time(sites: dict[str, SiteFigures]) -> dict[str, SiteFigures]:
    """The figures but for the time that pruning took."""
    for figures in sites.values():
        figures["microseconds"] = 0
    return sites


def sums(rows: Iterable[UseRow]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Return the figures of selectors that add up, without the time of the last match."""
    return {
        row.key: (one.asked, one.found, one.original, one.partly, one.pages, one.found_pages)
        for row in rows
        if (one := row.figures)
    }


def stored(*files: Path) -> dict[str, SiteFigures]:
    """The sites of all crawls of all files."""
    found: dict[str, list[SiteFigures]] = {}
    for file in files:
        with closing(FiguresStore(file, create=False)) as store:
            for crawl in store.crawls():
                for site, figures in store.sites(crawl.id):
                    found.setdefault(site, []).append(figures)
    return without_time({site: merged(figures) for site, figures in found.items()})


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """One process, without Redis."""
    directory = tmp_path_factory.mktemp("alone")
    feed, file, log = directory / "items.jsonl", directory / "one.sqlite", directory / "log"
    finish([start("default", "", log, "-O", str(feed), "-s", f"TPS_STATS_FILE={file}")], [log])
    with closing(FiguresStore(file, create=False)) as store:
        uses = sums(store.uses(store.last_crawl().id))
    items = in_order(json.loads(line) for line in feed.read_text().splitlines())
    return Alone(stored(file), items, uses)


def in_order(items: Any) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def test_four_processes_count_what_one_counts(tmp_path: Path, alone: Alone) -> None:
    logs = [tmp_path / f"{number}.log" for number in range(4)]
    with RedisServer(tmp_path) as server:
        # with the delay nobody is through before another one has begun
        options = ["-s", "DOWNLOAD_DELAY=0.25"]
        processes = [
            start("redis", server.url, log, "-s", f"TPS_STATS_FILE={tmp_path / log.stem}.sqlite", *options)
            for log in logs
        ]
        finish(processes, logs)
        with server.client() as client:
            items = [json.loads(item) for item in client.lrange("demo:items", 0, -1)]
        reader = DistributedCrawlReader(DistributedCrawl(server.url, "demo"))
        shared, uses = without_time(dict(reader.sites())), sums(reader.uses())
        keys = server.keys()
    crawled = Counter(
        url
        for log in logs
        for url in re.findall(r"Crawled \(200\) <GET (\S+)>", log.read_text())
        if not url.endswith("/robots.txt")
    )
    assert set(crawled.values()) == {1}, "every page once"
    assert len(crawled) == PAGES
    assert in_order(items) == alone.items, "every item once"
    assert shared == alone.figures
    assert uses == alone.uses
    assert stored(*tmp_path.glob("*.sqlite")) == alone.figures
    assert sum("'tps/pages'" in log.read_text() for log in logs) > 1, "they share the work"
    ours = {key: seconds for key, seconds in keys.items() if key.startswith("tps:")}
    assert ours
    assert all(0 < seconds <= 30 * 86_400 for seconds in ours.values())


def test_two_of_four_processes_are_killed_and_the_others_lose_nothing(tmp_path: Path) -> None:
    logs = [tmp_path / f"{number}.log" for number in range(4)]
    files = [log.with_suffix(".sqlite") for log in logs]
    with RedisServer(tmp_path) as server:
        # with the delay nobody is through before all have begun
        options = ["-s", "DOWNLOAD_DELAY=0.5"]
        processes = [
            start("redis", server.url, log, "-s", f"TPS_STATS_FILE={file}", *options)
            for log, file in zip(logs, files, strict=True)
        ]
        with ended_with_the_test(processes):
            doomed, survivors = processes[:2], processes[2:]
            deadline = time.monotonic() + 120
            while not all(_by_process(server.url).get(process.pid) for process in doomed):
                assert time.monotonic() < deadline, "no page came"
                time.sleep(0.1)
            for process in doomed:
                process.kill()
            for process in doomed:
                process.wait(10)
            flushed = _by_process(server.url)
            finish(survivors, logs[2:])
            found = _by_process(server.url)
            reader = DistributedCrawlReader(DistributedCrawl(server.url, "demo"))
            shared = without_time(dict(reader.sites()))
            ended = {process.pid: process.finished for process in reader.processes}
    for process in doomed:
        assert ended[process.pid] is None, "it shows as running or killed"
        assert 0 < found[process.pid] == flushed[process.pid], "what it had flushed stays"
    assert [found[process.pid] for process in survivors] == [
        sum(one["pages"] for one in stored(file).values()) for file in files[2:]
    ]
    assert sum(one["pages"] for one in shared.values()) == sum(found.values())


def _by_process(url: str) -> dict[int, int]:
    """Pages that the processes of the distributed crawl have flushed, by process number."""
    try:
        return {
            process.pid: process.pages
            for process in DistributedCrawlReader(DistributedCrawl(url, "demo")).processes
        }
    except StoreError:  # nobody has joined the distributed crawl yet
        return {}
