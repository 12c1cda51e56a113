from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_tps.sharing.connection import DistributedCrawl
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server for the tests of a module."""
    with RedisServer(tmp_path_factory.mktemp("redis"), appendonly="no") as running:
        yield running


@pytest.fixture
def distributed(server: RedisServer) -> DistributedCrawl:
    """A distributed crawl in an empty store."""
    with server.client() as client:
        client.flushall()
    return DistributedCrawl(server.url, "monday")
