"""What a spider asked for in one process, the other processes of the job leave in their pages."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request, Spider

from tests.support.crawling import crawl
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis


class Asking(Spider):
    """Asks for the menu, which is not in the pages."""

    name = "asking"
    server: Any
    custom_settings: ClassVar[dict[str, Any]] = {"CONCURRENT_REQUESTS": 1}

    async def start(self) -> Any:
        for number in range(12):
            await asyncio.sleep(0.1)
            yield Request(self.server(f"/shop?page={number}"))

    def parse(self, response: Any) -> Any:
        yield {"menu": len(self.asked(response))}

    def asked(self, response: Any) -> Any:
        return response.css("nav a").getall()


class Silent(Asking):
    """Asks for nothing that pruning takes, but sees what its pages hold."""

    name = "silent"

    def asked(self, response: Any) -> Any:
        return response.text.split("<nav")[1:]


def test_what_one_process_learnt_another_uses(tmp_path: Path, server: MockServer) -> None:
    with RedisServer(tmp_path) as store:
        settings = {"TPS_STORE": store.url, "TPS_JOB": "job", "TPS_STATS_INTERVAL": 0.2, "TPS_DROP": ["nav"]}
        first = crawl(Asking, settings, server=server)
        second = crawl(Silent, settings, server=server)
        other = crawl(Silent, settings | {"TPS_JOB": "other"}, server=server)
    learnt = first.crawler.stats.sites.learnt.sites()
    assert learnt, "the first has learnt something"
    assert second.crawler.stats.sites.learnt.sites() == learnt
    menus = [item["menu"] for item in second.items]
    assert menus[0] == 0
    assert menus[-1] > 0, "some intervals later it is there"
    assert not other.crawler.stats.sites.learnt.sites(), "another job learns for itself"
