"""The stats collector in real crawls, each in a process of its own."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_tps.stats.store import FiguresStore
from tests.support.crawling import ROOT, program

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "tests.support.stats_program"

MODES = {
    "asyncio reactor": {},
    "no reactor": {"TWISTED_REACTOR_ENABLED": False},
    "another reactor": {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor", "PAGE_SECONDS": 0},
}


def start(directory: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a crawl that others run beside, or that is to be killed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", PROGRAM, json.dumps(options)],
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(directory: Path, *, warnings: str = "error", **options: Any) -> tuple[list[dict[str, Any]], str]:
    """Run a crawl to its end; return all lines it printed, and its log."""
    done = program(PROGRAM, json.dumps(options), cwd=directory, warnings=warnings)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def crawl(directory: Path, **options: Any) -> tuple[list[dict[str, Any]], str]:
    """Run a crawl to its end; return the last lines it printed, one per spider, and its log."""
    printed, log = run(directory, **options)
    assert "Traceback" not in log, log
    return [line for line in printed if "stats" in line], log


def stored(directory: Path, name: str = ".scrapy/tps-stats.sqlite") -> FiguresStore:
    return FiguresStore(directory / name, create=False)


@pytest.mark.parametrize("mode", MODES)
def test_crawl_is_kept_reported_and_mirrored(tmp_path: Path, mode: str) -> None:
    reports = ["report.csv", "sub/%(name)s.json", (tmp_path / "report.txt").as_uri()]
    (end,), log = crawl(tmp_path, settings={"TPS_REPORT": reports, **MODES[mode]})
    with closing(stored(tmp_path)) as store:
        last = store.last_crawl()
        found = dict(store.sites(last.id))
    assert (last.spider, last.reason) == ("pages", "finished")
    assert {site: one["pages"] for site, one in found.items()} == {
        "a.example": 4,
        "b.example": 3,
        "whole.example": 3,
    }
    assert found["a.example"]["items"] == 8
    stats = end["stats"]
    assert stats["tps/pages"] == 10
    assert stats["tps/outcome/pruned"] == 7
    assert stats["tps/outcome/no_region"] == 3
    assert stats["tps/pages_without_items"] == 3
    assert stats["tps/report/written"] == 3
    assert log.index("DOM reduction per site") > log.index("Dumping Scrapy stats")
    assert log.index("Look at this: alarms of extensions") > log.index("Dumping Scrapy stats")
    assert "a.example  1 alarm: fewer_items" in log
    assert (stats["tps/findings"], stats["tps/alarms/fewer_items"]) == (1, 1)
    with (tmp_path / "report.csv").open() as file:
        assert [row["site"] for row in csv.DictReader(file)] == ["a.example", "b.example", "whole.example"]
    report = json.loads((tmp_path / "sub" / "pages.json").read_text())
    assert (report["crawl"], report["total"]["pages"], len(report["sites"])) == (last.id, 10, 3)
    assert (tmp_path / "report.txt").read_text().startswith("Look at this: alarms of extensions")


@pytest.mark.parametrize("mode", MODES)
def test_the_add_on_counts_every_page_and_item(tmp_path: Path, mode: str) -> None:
    (*pages, end), log = run(tmp_path, real=True, settings={"TPS_STRATEGY": "paper", **MODES[mode]})
    assert "Traceback" not in log
    with closing(stored(tmp_path)) as store:
        found = dict(store.sites(store.last_crawl("real").id))
    assert set(found) == {"a.example", "b.example"}
    for site, figures in found.items():
        nodes = [page["nodes"] for page in pages if page["site"] == site]
        assert [figures["nodes/before"], figures["nodes/after"]] == [
            sum(one) for one in zip(*nodes, strict=True)
        ]
        assert (figures["pages"], figures.pruned, figures["items"], figures["pages_without_items"]) == (
            3,
            3,
            180,
            0,
        )
        assert figures.group("strategy") == {"paper": 3}
        assert figures.seconds > 0
    assert end["stats"]["tps/items"] == 360


@pytest.mark.parametrize(
    ("name", "warnings"),
    # Scrapy warns of collectors that want the spider, and passes it on.
    [("OwnCollector", "error"), ("OldCollector", "default")],
)
def test_own_collector_gets_every_stat_and_can_be_reached(tmp_path: Path, name: str, warnings: str) -> None:
    (end,), _ = crawl(tmp_path, settings={"STATS_CLASS": f"{PROGRAM}.{name}"}, warnings=warnings)
    assert end["opened"] == 1
    assert end["stats"]["own/tps/pages"] == 10
    assert end["stats"]["own/response_received_count"] == 10


def test_spiders_of_one_process_are_crawls_of_their_own(tmp_path: Path) -> None:
    ends, _ = crawl(tmp_path, spiders=["one", "two"], pages=30, interval=0.1)
    assert [end["stats"]["tps/pages"] for end in ends] == [30, 30]
    with closing(stored(tmp_path)) as store:
        assert {one.spider: one.reason for one in store.crawls()} == {"one": "finished", "two": "finished"}
        assert [sum(one["pages"] for _, one in store.sites(crawl.id)) for crawl in store.crawls()] == [30, 30]


@pytest.mark.slow
def test_processes_write_to_one_file_at_once(tmp_path: Path) -> None:
    settings = {"PAGE_SECONDS": 0.02}
    processes = [
        start(tmp_path, spiders=["one", "two"], pages=100, settings=settings, interval=0.1) for _ in range(3)
    ]
    for process in processes:
        with process:
            _, log = process.communicate()
        assert process.returncode == 0, log
        assert "could not be written" not in log
    with closing(stored(tmp_path)) as store:
        crawls = store.crawls()
        assert len(crawls) == 6
        for one in crawls:
            assert one.reason == "finished"
            assert sum(figures["pages"] for _, figures in store.sites(one.id)) == 100


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_kill_9_loses_nothing_that_an_interval_wrote(tmp_path: Path) -> None:
    def pages_kept() -> int:
        with closing(stored(tmp_path)) as store:
            return sum(figures["pages"] for _, figures in store.sites(store.last_crawl().id))

    settings = {"PAGE_SECONDS": 0.05, "LOG_ENABLED": False}
    with start(tmp_path, pages=2_000, settings=settings, interval=0.3) as process:
        assert process.stdout is not None
        written: set[int] = set()
        crawled = 0
        while len(written) < 4:
            assert process.stdout.readline()
            crawled += 1
            written.add(pages_kept())
        process.send_signal(signal.SIGKILL)
        # the last line may be cut short by the kill
        crawled += process.stdout.read().count("\n")
    assert process.returncode == -signal.SIGKILL
    assert max(written) <= pages_kept() <= crawled + 1
    with closing(stored(tmp_path)) as store:
        assert store.last_crawl().finished is None
    with closing(sqlite3.connect(tmp_path / ".scrapy" / "tps-stats.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    # and the next crawl goes on in the same file
    crawl(tmp_path)
    with closing(stored(tmp_path)) as store:
        assert [one.reason for one in store.crawls()] == [None, "finished"]


def test_what_to_look_at_is_a_warning(tmp_path: Path) -> None:
    _, log = crawl(tmp_path)
    assert "[scrapy_tps.extensions] WARNING: Look at this: alarms of extensions" in log
    _, log = run(tmp_path, real=True, settings={"TPS_STRATEGY": "paper"})
    assert "[scrapy_tps.extensions] INFO: No findings on 6 pages." in log


def test_a_crawl_without_html_pages_says_that_there_is_nothing_to_judge(tmp_path: Path) -> None:
    _, log = crawl(tmp_path, pages=0)
    assert "[scrapy_tps.extensions] INFO: Nothing to judge: no HTML page was fetched.\n" in log
    assert "DOM reduction per site" not in log
    _, log = crawl(tmp_path, pages=0, settings={"TPS_ENABLED": False})
    assert "Nothing to judge" not in log


def test_nothing_is_kept_when_switched_off(tmp_path: Path) -> None:
    (end,), log = crawl(tmp_path, settings={"TPS_STATS_FILE": None})
    assert end["stats"]["tps/pages"] == 10
    assert "DOM reduction per site" in log
    assert "Look at this: alarms of extensions" in log
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_used_does_not_stop_the_crawl(tmp_path: Path) -> None:
    (tmp_path / ".scrapy").write_text("in the way")
    (end,), log = crawl(tmp_path)
    assert end["stats"]["tps/pages"] == 10
    assert end["stats"]["tps/failures/store"] > 1
    assert log.count("Per-site figures could not be written") == 1
    assert "figures of this crawl are missing in TPS_STATS_FILE, which failed" in log
    assert "whole.example      3 " in log


def test_a_report_that_cannot_be_written_is_logged_and_counted(tmp_path: Path) -> None:
    (tmp_path / "report.csv").mkdir()
    (*_, end), log = run(tmp_path, settings={"TPS_REPORT": "report.csv"})
    assert end["stats"]["tps/failures/report"] == 1
    assert "TPS_REPORT names report.csv, which can't be written: IsADirectoryError" in log
    assert "Traceback" not in log
    assert "parts of scrapy-tps failed: report (once)" in log
    assert "Spider closed (finished)" in log


def test_the_password_of_a_report_is_not_logged(tmp_path: Path) -> None:
    uri = "ftp://me:secret@127.0.0.1:9/report.csv"
    (*_, end), log = run(tmp_path, settings={"TPS_REPORT": uri})
    assert end["stats"]["tps/failures/report"] == 1
    [line] = [line for line in log.splitlines() if "TPS_REPORT names" in line]
    assert "ftp://***@127.0.0.1:9/report.csv" in line
    assert "secret" not in line
