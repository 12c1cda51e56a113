"""Counting, sampling and reports may fail in a crawl over real HTTP: every page and item still arrives."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider, signals
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy.statscollectors import StatsCollector

from scrapy_tps.extensions import TpsFigures
from scrapy_tps.stats.store import FiguresStore
from tests.support.failing import PAGES, Broken, Menus, Shop, problems, run, urls

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer


class BrokenInMidCrawl(Broken):
    sound = 10


class WholeNumbersOnly(StatsCollector):
    """Takes what redis' HINCRBY takes."""

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        if type(count) is not int:
            raise ValueError(f"{key}: value is not an integer: {count!r}")
        super().inc_value(key, count, start)


class Rules(CrawlSpider):
    """Follows the links of the original listing."""

    name = "rules"
    server: Any
    rules = (Rule(LinkExtractor(allow=r"/product/\d+$"), callback="page"),)

    async def start(self) -> Any:
        yield Request(self.server("/shop"))

    def page(self, response: Any) -> Any:
        yield {"url": response.url, "title": response.css("title::text").get()}


@pytest.mark.parametrize("spider", [Shop, Rules])
@pytest.mark.parametrize("collector", [Broken, BrokenInMidCrawl])
def test_a_collector_that_raises_costs_its_stats_and_nothing_else(
    server: MockServer,
    caplog: pytest.LogCaptureFixture,
    collector: type,
    spider: type[Spider],
    tmp_path: Path,
) -> None:
    file = tmp_path / "stats.sqlite"
    sound = run(server, {}, spider)
    assert len(sound.items) >= PAGES
    caplog.clear()
    settings = {
        "STATS_CLASS": collector,
        "TPS_STATS_FILE": str(file),
        "TPS_SHADOW": 0.5,
        "TPS_SAMPLES": 1,
        "TPS_REPORT": str(tmp_path / "report.json"),
    }
    found = run(server, settings, spider)
    assert urls(found) == urls(sound)
    [problem] = problems(caplog)
    assert "Look at this: parts of scrapy-tps failed: stats (" in caplog.text
    assert "The stats collector fails: ConnectionError: the server of the stats is gone" in problem
    assert "STATS_CLASS" in problem
    with closing(FiguresStore(file, create=False)) as store:
        [(_, figures)] = store.sites(store.last_crawl().id)
    assert figures["items"] == len(sound.items)
    assert (tmp_path / "report.json").exists()


def test_a_collector_of_whole_numbers_has_every_figure(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    found = run(server, {"STATS_CLASS": WholeNumbersOnly})
    assert len(found.items) == PAGES
    assert not problems(caplog)
    assert found.stats["tps/pages"] == found.stats["tps/items"] == PAGES
    assert found.stats["tps/microseconds"] > 0
    assert all(type(value) is int for key, value in found.stats.items() if key.startswith("tps/"))


class Saboteur:
    """Ruins the files that the crawl writes, once its first pages are through."""

    def __init__(self, crawler: Any) -> None:
        self._files = crawler.settings.getlist("RUINED")
        self._responses = 0
        crawler.signals.connect(self.response_received, signal=signals.response_received)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Saboteur:
        return cls(crawler)

    def response_received(self) -> None:
        self._responses += 1
        if self._responses == PAGES // 2:
            self._ruin()

    def _ruin(self) -> None:
        for file, table in self._files:
            with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                connection.execute(f"DROP TABLE {table}")


@pytest.fixture
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are written ten times a second."""
    monkeypatch.setattr(TpsFigures, "interval", 0.1)


@pytest.mark.usefixtures("_often")
@pytest.mark.parametrize(
    ("table", "message"),
    [("figure", "Per-site figures could not be written"), ("sample", "Samples could not be kept")],
)
def test_a_file_that_fails_in_mid_crawl_costs_its_figures_and_nothing_else(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path, table: str, message: str
) -> None:
    files = {"figure": str(tmp_path / "stats.sqlite"), "sample": str(tmp_path / "tps-samples.sqlite")}
    found = run(
        server,
        {
            "TPS_STATS_FILE": files["figure"],
            "TPS_SAMPLES": 2,
            "TPS_REPORT": str(tmp_path / "report.json"),
            "EXTENSIONS": {Saboteur: 0},
            "RUINED": [(files[table], table)],
        },
    )
    assert len(found.items) == PAGES
    [problem] = problems(caplog)
    assert message in problem
    assert f"no such table: {table}" in problem
    assert found.stats["tps/pages"] == PAGES


def test_values_that_cannot_be_remembered_cost_no_page(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(result: Any) -> str:
        raise ValueError(f"{result} has no value")

    monkeypatch.setattr("scrapy_tps.proposals.memory.value_of", fail)
    found = run(server, {"TPS_STATS_FILE": str(tmp_path / "stats.sqlite")})
    assert len(found.items) == PAGES
    [problem] = problems(caplog)
    assert "has no value" in problem
    assert found.stats["tps/pages"] == PAGES


def test_a_file_in_a_missing_folder_has_the_figures(server: MockServer, tmp_path: Path) -> None:
    file = tmp_path / "not" / "yet" / "stats.sqlite"
    run(server, {"TPS_STATS_FILE": str(file)})
    with closing(FiguresStore(file, create=False)) as store:
        assert dict(store.sites(store.last_crawl().id))["127.0.0.1"]["pages"] == PAGES


def test_a_folder_that_cannot_be_made_costs_the_file_and_nothing_else(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "taken").touch()
    file = tmp_path / "taken" / "stats.sqlite"
    found = run(server, {"TPS_STATS_FILE": str(file)})
    assert len(found.items) == found.stats["tps/pages"] == PAGES
    [problem] = problems(caplog)
    assert f"{file}: " in problem
    assert "another program uses the file" not in problem


class LateSaboteur(Saboteur):
    """Ruins them when everything is written, before it is read for the summary."""

    def __init__(self, crawler: Any) -> None:
        self._files = crawler.settings.getlist("RUINED")
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_closed(self) -> None:
        self._ruin()


def test_a_file_that_cannot_be_read_for_the_summary_is_a_finding_of_it(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    file = str(tmp_path / "stats.sqlite")
    settings = {"TPS_STATS_FILE": file, "EXTENSIONS": {LateSaboteur: 0}, "RUINED": [(file, "figure")]}
    found = run(server, settings, Menus)
    assert len(found.items) == PAGES
    assert "No findings" not in caplog.text
    assert "figures of this crawl are missing in TPS_STATS_FILE" in caplog.text
    assert found.stats["tps/findings"] == 2  # the other: the field that TPS_FALLBACK would have filled
