"""The processes of a distributed crawl give each record once, with every kind of reactor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.crawling import handler_of_scrapy_is_there, project, scrapy
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

SPIDER = """
class Shop(scrapy.Spider):
    name = "shop"

    async def start(self):
        for number in range(3):
            yield scrapy.Request(f"{self.server}?page={number}&crawl={self.crawl}")

    def parse(self, response):
        for position in range(5):
            yield {
                "name": f"Product {response.url[-9]} {position}",
                "page_url": response.url, "position": position, "confidence": 0.9,
            }
"""
REACTORS = {
    "asyncio reactor": (),
    "no reactor": ("-s", "TWISTED_REACTOR_ENABLED=False"),
    "another reactor": ("-s", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"),
}


@pytest.mark.parametrize("reactor", REACTORS)
def test_a_record_that_one_crawl_gave_the_next_one_does_not(
    tmp_path: Path, server: MockServer, reactor: str
) -> None:
    if reactor == "no reactor" and not handler_of_scrapy_is_there():
        pytest.skip("the package that Scrapy downloads with is not installed")
    with RedisServer(tmp_path) as store:
        settings = f"""
ITEM_PIPELINES = {{"scrapy_tps.pipelines.records.RecordDeduplicationPipeline": 100}}
TPS_STORE = {store.url!r}
TPS_DISTRIBUTED_CRAWL = "monday"
"""
        directory = project(tmp_path, SPIDER, settings)
        given = []
        for crawl in "ab":
            feed = tmp_path / f"{crawl}.jsonl"
            arguments = ("-a", f"server={server('/shop')}", "-a", f"crawl={crawl}", "-O", str(feed))
            done = scrapy("crawl", "shop", *arguments, *REACTORS[reactor], cwd=directory)
            assert "Traceback" not in done.stderr, done.stderr
            given.append([json.loads(line)["name"] for line in feed.read_text().splitlines()])
    assert sorted(given[0]) == sorted(
        f"Product {page} {position}" for page in range(3) for position in range(5)
    )
    assert given[1] == []
    assert "'tps/records/dropped/duplicate': 15" in done.stderr
