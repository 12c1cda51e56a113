"""Processes that crawl the demo sites together, with scrapy-redis' queue, on a real Redis server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scrapy_tps.sharing.job import Job
from scrapy_tps.sharing.reading import JobReader
from scrapy_tps.stats.figures import SiteFigures, merged
from scrapy_tps.stats.store import FiguresStore
from tests.support.redis_server import RedisServer, needs_redis

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "example_project"
PAGES = 194


def start(project: str, url: str, log: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start a crawl of all demo sites as a user would."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", "crawl", "demo", "-L", "DEBUG", "-s", f"LOG_FILE={log}", *options],
        cwd=PROJECT,
        env=environment | {"PYTHONPATH": path, "SCRAPY_PROJECT": project, "REDIS_URL": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finish(processes: list[subprocess.Popen[bytes]], logs: list[Path]) -> None:
    for process, log in zip(processes, logs, strict=True):
        assert process.wait(300) == 0, log.read_text()
        text = log.read_text()
        assert "Traceback" not in text, text
        assert "ERROR" not in text, text


def without_time(sites: dict[str, SiteFigures]) -> dict[str, SiteFigures]:
    """The figures but for the time that pruning took."""
    for figures in sites.values():
        figures.microseconds = 0
    return sites


def sites_of(url: str, job: str) -> dict[str, SiteFigures]:
    return without_time(dict(JobReader(Job(url, job)).sites()))


def stored(*files: Path) -> dict[str, SiteFigures]:
    """The sites of all crawls of all files."""
    found: dict[str, list[SiteFigures]] = {}
    for file in files:
        with closing(FiguresStore(file, create=False)) as store:
            for site, figures in store.sites(None):
                found.setdefault(site, []).append(figures)
    return without_time({site: merged(figures) for site, figures in found.items()})


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, SiteFigures], list[Any]]:
    """Figures and items of one process, without Redis."""
    directory = tmp_path_factory.mktemp("alone")
    feed, file, log = directory / "items.jsonl", directory / "one.sqlite", directory / "log"
    finish([start("default", "", log, "-O", str(feed), "-s", f"TPS_STATS_FILE={file}")], [log])
    return stored(file), in_order(json.loads(line) for line in feed.read_text().splitlines())


def in_order(items: Any) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def test_four_processes_count_what_one_counts(
    tmp_path: Path, alone: tuple[dict[str, SiteFigures], list[Any]]
) -> None:
    logs = [tmp_path / f"{number}.log" for number in range(4)]
    with RedisServer(tmp_path) as server:
        processes = [
            start("redis", server.url, log, "-s", f"TPS_STATS_FILE={tmp_path / log.stem}.sqlite")
            for log in logs
        ]
        finish(processes, logs)
        with server.client() as client:
            items = [json.loads(item) for item in client.lrange("demo:items", 0, -1)]
        shared = sites_of(server.url, "demo")
        keys = server.keys()
    crawled = Counter(
        url
        for log in logs
        for url in re.findall(r"Crawled \(200\) <GET (\S+)>", log.read_text())
        if not url.endswith("/robots.txt")
    )
    assert set(crawled.values()) == {1}, "every page once"
    assert len(crawled) == PAGES
    assert in_order(items) == alone[1], "every item once"
    assert shared == alone[0]
    assert stored(*tmp_path.glob("*.sqlite")) == alone[0]
    assert all("'tps/pages'" in log.read_text() for log in logs), "each had its share"
    ours = {key: seconds for key, seconds in keys.items() if key.startswith("tps:")}
    assert ours
    assert all(0 < seconds <= 30 * 86_400 for seconds in ours.values())
