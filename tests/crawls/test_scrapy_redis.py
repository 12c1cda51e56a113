"""A crawl that scrapy-redis schedules, against a real Redis server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawling import project, scrapy
from tests.support.redis_server import RedisServer, needs_redis
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
redis = pytest.importorskip("redis")
pytestmark = needs_redis

PAGES = 3
SPIDER = """
from scrapy_redis.spiders import RedisSpider

class Shop(RedisSpider):
    name = "shop"
    redis_key = "shop:start_urls"
    max_idle_time = 2

    def parse(self, response):
        for product in response.css("div.product"):
            yield {"name": product.css("a::text").get(), "outcome": response.tps.outcome,
                   "original": len(response.original.css("nav"))}
        yield from response.follow_all(css="a.next", callback=self.parse)
        yield response.follow(response.url, self.parse)  # seen before, all but the first page
"""
SETTINGS = """
REDIS_URL = {url!r}
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
ITEM_PIPELINES = {{"scrapy_redis.pipelines.RedisPipeline": 300}}
SCHEDULER_PERSIST = True
TPS_STRATEGY = "auto"
"""


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """A server that holds nothing of the tests before."""
    with redis_server.client() as client:
        client.flushall()
    return redis_server.url


class Crawled:
    """A crawl of the shop from the URLs in Redis: what it left there, and its log."""

    def __init__(self, tmp_path: Path, url: str, start: str, settings: str = "") -> None:
        with redis.Redis.from_url(url) as client:
            client.lpush("shop:start_urls", json.dumps({"url": start}))
            directory = project(tmp_path, SPIDER, SETTINGS.format(url=url) + settings)
            self.log = scrapy("crawl", "shop", cwd=directory).stderr
            self.items: list[dict[str, Any]] = [
                json.loads(item) for item in client.lrange("shop:items", 0, -1)
            ]
            self.seen = client.scard("shop:dupefilter")
            self.stats = {key.decode(): value.decode() for key, value in client.hgetall("shop:stats").items()}
        self.table = scrapy("tps-report", cwd=directory).stdout


def names() -> list[str]:
    return [f"Product {number}" for number in range(1, PAGES * PRODUCTS + 1)]


def test_scheduler_dupefilter_and_pipeline(tmp_path: Path, server: MockServer, redis_url: str) -> None:
    crawled = Crawled(tmp_path, redis_url, server("/shop"))
    # the first page comes twice: scrapy-redis hands out start URLs unfiltered
    assert sorted({item["name"] for item in crawled.items}) == sorted(names())
    assert {(item["outcome"], item["original"]) for item in crawled.items} == {("pruned", 2)}
    assert crawled.seen == PAGES
    assert f"'tps/outcome/pruned': {PAGES + 1}" in crawled.log
    assert "'scheduler/dequeued/redis'" in crawled.log
    assert "Traceback" not in crawled.log


def test_stats_in_redis(tmp_path: Path, server: MockServer, redis_url: str) -> None:
    settings = 'STATS_CLASS = "scrapy_redis.stats.RedisStatsCollector"\n'
    crawled = Crawled(tmp_path, redis_url, server("/shop"), settings)
    assert sorted({item["name"] for item in crawled.items}) == sorted(names())
    assert crawled.stats["tps/outcome/pruned"] == str(PAGES + 1)
    assert int(crawled.stats["tps/nodes/after"]) < int(crawled.stats["tps/nodes/before"])
    assert int(crawled.stats["tps/pages"]) == PAGES + 1
    assert int(crawled.stats["tps/items"]) == len(crawled.items)
    assert int(crawled.stats["tps/microseconds"]) > 0
    assert "127.0.0.1" in crawled.table
