"""What one process finds out about a site, the other processes of the job use."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request, Spider

from tests.spidermiddlewares.test_shadow import crawl as crawl_changing_site
from tests.support.crawling import crawl
from tests.support.redis_server import RedisServer, needs_redis
from tests.support.shadow_site import PAGES, everything

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


def test_a_site_that_one_process_has_healed_loses_nothing_in_another(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as store:
        settings = {
            "TPS_SHADOW": 0.2,
            "TPS_STORE": store.url,
            "TPS_STATS_INTERVAL": 0.1,
            "DOWNLOAD_DELAY": 0.2,  # some intervals go by before the template changes
        }
        first, second, other = (
            crawl_changing_site("generator", TPS_JOB=job, **settings)[0]["generator"]
            for job in ("job", "job", "other")
        )
    for crawled in (first, second, other):
        assert crawled.records == everything()
        assert crawled.stats["tps/outcome/pruned"] == PAGES
    assert (first.count("healed"), first.count("originals_used")) == (1, 1)
    assert (second.count("healed"), second.count("originals_used")) == (0, 0)
    assert other.count("healed") == 1, "another job heals for itself"
