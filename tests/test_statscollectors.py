from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Spider, signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.settings import Settings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.spider import DefaultSpider
from scrapy.utils.test import get_crawler

from scrapy_tps.extensions import TpsFigures
from scrapy_tps.settings.crawl import check_settings
from scrapy_tps.statscollectors import TpsStatsCollector
from tests.support.crawling import crawl

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer


class Unusable(FileFeedStorage):
    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        raise NotConfigured("missing some library")


def extension(**settings: Any) -> TpsFigures:
    return TpsFigures.from_crawler(get_crawler(Spider, settings))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TPS_STATS_SITE": "page"}, "TPS_STATS_SITE is 'page'; allowed: host or registered_domain"),
        ({"TPS_REPORT": "report.pdf"}, "TPS_REPORT is 'report.pdf'; allowed: a path or feed URI"),
        ({"TPS_REPORT": ["a.csv", "report"]}, "allowed: a path or feed URI, or a list of them, ending in"),
        ({"TPS_REPORT": "gopher://a/report.csv"}, "FEED_STORAGES has no 'gopher'"),
        ({"TPS_STATS_FILE": 7}, "TPS_STATS_FILE is 7; allowed"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="TPS_") as error:
        extension(**settings)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("report", "targets"),
    [
        ("report.csv", ["report.csv"]),
        (Path("report.JSON"), ["report.JSON"]),
        ('["a.csv", "b.txt"]', ["a.csv", "b.txt"]),
        (["a.csv", Path("b.txt")], ["a.csv", "b.txt"]),
        ("", []),
        (None, []),
    ],
)
def test_reports_may_be_written_in_several_ways(report: Any, targets: list[str]) -> None:
    assert [
        str(target) for target in check_settings(Settings({"TPS_REPORT": report}))["TPS_REPORT"]
    ] == targets
    extension(TPS_REPORT=report)


def test_storage_that_cannot_be_used_ends_the_crawl_with_one_error(caplog: pytest.LogCaptureFixture) -> None:
    class Shop(Spider):
        name = "shop"

    settings = {"TPS_REPORT": "own://host/report.csv", "FEED_STORAGES": {"own": Unusable}}
    with pytest.raises(ValueError, match="which cannot be used: missing some library"):
        crawl(Shop, settings)
    assert "could not be written" not in caplog.text


class Own(StatsCollector):
    """A user's collector."""


def test_the_default_collector_has_the_figures_and_any_other_gets_them(server: MockServer) -> None:
    class Shop(Spider):
        name = "shop"
        start_urls: ClassVar = [server("/shop")]

        def parse(self, response: Any) -> Any:
            yield {"title": response.css("title::text").get()}

    ours, own = crawl(Shop), crawl(Shop, {"STATS_CLASS": Own})
    assert (type(ours.crawler.stats), type(own.crawler.stats)) == (TpsStatsCollector, Own)
    assert ours.stats["tps/pages"] == own.stats["tps/pages"] == 1
    assert own.crawler.stats.sites.total["pages"] == 1
    assert set(own.stats) == set(ours.stats)


@pytest.mark.parametrize(
    ("settings", "told"), [({}, True), ({"TPS_STATS_FILE": None}, False), ({"TPS_ENABLED": False}, False)]
)
def test_the_path_of_the_file_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, settings: dict[str, Any], told: bool
) -> None:
    class Nothing(Spider):
        name = "nothing"
        start_urls: ClassVar[list[str]] = []

    caplog.set_level("INFO")
    path = tmp_path / "stats.sqlite"
    for _ in range(2):
        crawl(Nothing, {"TPS_STATS_FILE": str(path), **settings})
    assert caplog.text.count(f"Figures of each site are kept in {path}") == told
    assert ("TPS_STATS_FILE names" in caplog.text) == told


def test_registered_domains_are_sites_when_asked_for() -> None:
    assert extension().sites.site_of("http://a.shop.example.co.uk/") == "a.shop.example.co.uk"
    by_domain = extension(TPS_STATS_SITE="registered_domain").sites
    assert by_domain.site_of("http://a.shop.example.co.uk/") == "example.co.uk"


@pytest.mark.parametrize(
    ("spider", "check", "kept"), [(Spider, "", True), (Spider, "true", False), (DefaultSpider, "", False)]
)
def test_pages_of_the_shell_and_of_check_are_no_crawl(
    spider: type[Spider], check: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_CHECK", check)

    async def open_and_close() -> None:
        crawler = get_crawler(spider, {"EXTENSIONS_BASE": {}})
        crawler.spider = spider("name")
        crawler.crawling = True
        _held = TpsFigures.from_crawler(crawler)
        for signal in (signals.spider_opened, signals.spider_closed, signals.engine_stopped):
            await crawler.signals.send_catch_log_async(signal, reason="finished")

    asyncio.run(open_and_close())
    assert (tmp_path / ".scrapy" / "tps-stats.sqlite").exists() == kept
