from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.settings import Settings
from scrapy.utils.spider import DefaultSpider

from scrapy_tps.settings.crawl import check_settings
from scrapy_tps.statscollectors import TpsStatsCollector
from tests.support.crawling import crawl


class Unusable(FileFeedStorage):
    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        raise NotConfigured("missing some library")


def collector(**settings: Any) -> TpsStatsCollector:
    return TpsStatsCollector(Crawler(Spider, settings))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TPS_STATS_SITE": "page"}, "TPS_STATS_SITE is 'page'; allowed: host or registered_domain"),
        ({"TPS_REPORT": "report.pdf"}, "TPS_REPORT is 'report.pdf'; allowed: a path or feed URI"),
        ({"TPS_REPORT": ["a.csv", "report"]}, "allowed: a path or feed URI, or a list of them, ending in"),
        ({"TPS_REPORT": "gopher://a/report.csv"}, "FEED_STORAGES has no 'gopher'"),
        ({"TPS_STATS_FILE": 7}, "TPS_STATS_FILE is 7; allowed"),
        ({"TPS_STATS_CLASS": 7}, "TPS_STATS_CLASS is 7; allowed"),
        ({"TPS_STATS_CLASS": "nowhere.Collector"}, "TPS_STATS_CLASS is 'nowhere.Collector', which cannot"),
        (
            {"TPS_STATS_CLASS": "scrapy_tps.statscollectors.TpsStatsCollector"},
            "allowed: a stats collector to wrap, not this one",
        ),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="TPS_") as error:
        collector(**settings)
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
    collector(TPS_REPORT=report)


def test_storage_that_cannot_be_used_ends_the_crawl_with_one_error(caplog: pytest.LogCaptureFixture) -> None:
    class Shop(Spider):
        name = "shop"

    settings = {"TPS_REPORT": "own://host/report.csv", "FEED_STORAGES": {"own": Unusable}}
    with pytest.raises(ValueError, match="which cannot be used: missing some library"):
        crawl(Shop, settings)
    assert "could not be written" not in caplog.text


def test_stats_go_to_the_wrapped_collector() -> None:
    stats = collector()
    stats.set_value("a", 1)
    stats.inc_value("a", 2)
    stats.max_value("b", 5)
    stats.min_value("b", 3)
    assert stats.get_value("a") == 3
    assert stats.get_value("c", "none") == "none"
    assert stats.get_stats() == {"a": 3, "b": 3}
    assert str(stats) == str(stats._wrapped)
    # an attribute of MemoryStatsCollector, which is wrapped by default
    assert stats.spider_stats == {}
    with pytest.raises(AttributeError, match="no_such_thing"):
        stats.no_such_thing  # noqa: B018
    stats.set_stats({"d": 1})
    assert stats.get_stats() == {"d": 1}
    stats.clear_stats()
    assert stats.get_stats() == {}


def test_registered_domains_are_sites_when_asked_for() -> None:
    assert collector().sites.site_of("http://a.shop.example.co.uk/") == "a.shop.example.co.uk"
    by_domain = collector(TPS_STATS_SITE="registered_domain").sites
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
        crawler = Crawler(spider)
        crawler.spider = spider("name")
        crawler.crawling = True
        stats = TpsStatsCollector(crawler)
        stats.open_spider()
        stats.close_spider(reason="finished")

    asyncio.run(open_and_close())
    assert (tmp_path / ".scrapy" / "tps-stats.sqlite").exists() == kept
