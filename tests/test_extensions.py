"""The line in the log while a crawl runs."""

from __future__ import annotations

import logging
from unittest.mock import MagicMock

import pytest
from scrapy import Spider
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.extensions import TpsLogStats
from scrapy_tps.stats.figures import page_counts
from tests.stats.test_crawl import crawl
from tests.support.figures import MadeUpPruning


@pytest.fixture
def crawler():
    class Shop(Spider):
        name = "shop"

    found = get_crawler(Shop, {"LOGSTATS_INTERVAL": 30})
    found.spider, found.crawling = Shop(), True
    return found


def lines(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "scrapy_tps.extensions"]


def test_the_line_has_pages_reduction_and_sites_with_alarms(crawler, caplog, monkeypatch):
    middleware = TpsMiddleware(crawler)
    figures = middleware.figures
    monkeypatch.setattr(crawler, "get_downloader_middleware", lambda _: middleware)
    monkeypatch.setattr("scrapy_tps.extensions.create_looping_call", MagicMock())
    extension = TpsLogStats.from_crawler(crawler)
    extension.spider_opened()
    with caplog.at_level(logging.INFO):
        extension.log()
        for pruning in (
            MadeUpPruning(),
            MadeUpPruning(kept_nodes=10),
            MadeUpPruning("ambiguous", kept_nodes=100),
        ):
            figures.add("a.example", page_counts(pruning, 100_000))
        figures.record_alarm("a.example", "fewer_items")
        figures.record_alarm("a.example", "smaller")
        figures.record_alarm("b.example", "smaller")
        extension.log()
        extension.log()
    assert lines(caplog) == [
        "Pruned 0 of 0 pages (at 0 pages/min), removed nothing of the nodes; sites with alarms: 0",
        "Pruned 2 of 3 pages (at 6 pages/min), removed 50.0% of the nodes; sites with alarms: 2",
        "Pruned 2 of 3 pages (at 0 pages/min), removed 50.0% of the nodes; sites with alarms: 2",
    ]


def test_without_an_interval_there_is_no_line():
    with pytest.raises(NotConfigured):
        TpsLogStats.from_crawler(get_crawler(settings_dict={"LOGSTATS_INTERVAL": 0}))


def test_the_add_on_logs_it_during_a_crawl(tmp_path):
    _, log = crawl(tmp_path, real=True, settings={"LOGSTATS_INTERVAL": 0.01})
    assert "] INFO: Pruned " in log
