"""All processes of a distributed crawl keep the parts that one process keeps on a site; on a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_tps.downloadermiddlewares.pruning import AutoKeeps
from scrapy_tps.sharing.connection import DistributedCrawl
from scrapy_tps.sharing.member import CrawlMember
from scrapy_tps.stats.error_isolation import Guard
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

SITE = "shop.example"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path, appendonly="no") as running:
        yield running


class Process:
    """A process of the distributed crawl that crawls one site."""

    def __init__(self, server: RedisServer) -> None:
        self.member = CrawlMember(DistributedCrawl(server.url, "monday"), "shop", max_sites=10, guard=Guard())
        self.auto_keeps = AutoKeeps(self.member.kept)
        self.member.open()

    def intervals(self, count: int = 2) -> tuple[str, ...]:
        """Crawl a page in each interval, with a flush and its answer; return what the last page keeps."""
        for _ in range(count):
            self.auto_keeps.of(SITE)
            assert self.member.finish("")()
        return self.auto_keeps.of(SITE)


def test_selectors_are_told_again_to_a_server_that_lost_them(server: RedisServer) -> None:
    first, second = Process(server), Process(server)
    first.auto_keeps.keep(SITE, ["nav > .price", "#facts"])
    first.intervals()
    assert set(second.intervals()) == {"nav > .price", "#facts"}
    first.member.close()
    with server.client() as client:
        client.flushall()
    # the one that added it has gone: whoever knows it tells it
    second.intervals(3)
    third = Process(server)
    assert set(third.intervals()) == {"nav > .price", "#facts"}
    for one in (second, third):
        one.member.close()


def test_a_selector_that_is_none_is_left_out(server: RedisServer) -> None:
    first, second = Process(server), Process(server)
    first.member.kept.add(SITE, "#[")
    first.auto_keeps.keep(SITE, ["#facts"])
    first.intervals()
    assert second.intervals() == ("#facts",)
    for one in (first, second):
        one.member.close()
