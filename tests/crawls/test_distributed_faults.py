"""The store of a distributed crawl is slow, full, restarted or gone: the crawl goes on, and figures arrive later."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request, Spider

from scrapy_tps.extensions import TpsFigures
from scrapy_tps.sharing.connection import DistributedCrawl
from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader
from tests.support.crawling import ROOT, Crawled, crawl, project, scrapy
from tests.support.failing import Shop
from tests.support.fault_proxy import FaultProxy
from tests.support.redis_server import RedisServer, free_port, needs_redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

PAGES = 30
INTERVAL = 0.2


class Steady(Spider):
    """An item per page, the pages one after the other; what is planned happens in between."""

    name = "steady"
    server: Any
    #: What happens before the page of that number.
    plan: ClassVar[dict[int, Callable[[], object]]] = {}
    custom_settings: ClassVar[dict[str, Any]] = {"CONCURRENT_REQUESTS": 1, "LOG_LEVEL": "INFO"}

    async def start(self) -> Any:
        self.longest = 0.0
        watch = asyncio.ensure_future(self._watch())
        for number in range(PAGES):
            if number in self.plan:
                self.plan[number]()
            await asyncio.sleep(0.05)
            yield Request(self.server(f"/shop?page={number}"))
        watch.cancel()

    async def _watch(self) -> None:
        """Notice how long the loop stands still."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            self.longest = max(self.longest, time.monotonic() - before)

    def parse(self, response: Any) -> Any:
        yield {"url": response.url}


def crawled(
    server: MockServer,
    url: str,
    plan: dict[int, Callable[[], object]] | None = None,
    interval: float = INTERVAL,
    **settings: Any,
) -> Crawled:
    spider = type("Planned", (Steady,), {"plan": plan or {}})
    shared = {"TPS_STORE": url, "TPS_DISTRIBUTED_CRAWL": "monday"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TpsFigures, "interval", interval)
        found = crawl(spider, shared | settings, server=server)
    assert len(found.items) == PAGES, "no item is lost"
    assert found.crawler.stats.sites.total["pages"] == PAGES
    return found


def pages(url: str) -> int:
    reader = DistributedCrawlReader(DistributedCrawl(url, "monday"))
    return sum(figures["pages"] for _, figures in reader.sites())


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and record.name == "scrapy_tps.stats.error_isolation"
    ]


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as running:
        yield running


@pytest.mark.parametrize("interval", [0.1, 60.0])
def test_figures_arrive_whatever_the_interval(
    server: MockServer, redis_server: RedisServer, interval: float
) -> None:
    found = crawled(server, redis_server.url, interval=interval)
    assert pages(redis_server.url) == PAGES
    assert found.stats["tps/findings"] == 0
    (process,) = DistributedCrawlReader(DistributedCrawl(redis_server.url, "monday")).processes
    assert (process.spider, process.reason, process.pages) == ("steady", "finished", PAGES)


def test_a_server_that_is_killed_and_started_again_has_everything_at_the_end(
    server: MockServer, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    plan = {8: redis_server.kill, 22: redis_server.start}
    found = crawled(server, redis_server.url, plan)
    assert pages(redis_server.url) == PAGES
    (said,) = warnings(caplog)
    assert "Figures could not be sent" in said
    assert found.stats["tps/failures/distributed"] > 1
    assert "tps/failures/distributed_lacks" not in found.stats
    assert found.stats["tps/findings"] == 0


def test_a_server_that_is_gone_for_good_costs_its_figures_alone(
    server: MockServer, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    found = crawled(server, redis_server.url, {8: redis_server.kill})
    assert [said.partition(":")[0] for said in warnings(caplog)] == [
        "Figures could not be sent to TPS_STORE",
        "TPS_STORE lacks figures of this process",
    ]
    assert found.stats["tps/failures/distributed_lacks"] == 1
    assert found.stats["tps/findings"] == 1
    assert "distributed_lacks (once)" in caplog.text


def test_a_server_that_does_not_answer_stops_no_page(server: MockServer, redis_server: RedisServer) -> None:
    with FaultProxy(redis_server.port) as proxy:

        def silence() -> None:
            proxy.silent = True

        def speak() -> None:
            proxy.silent = False
            proxy.cut()

        found = crawled(server, proxy.url(), {5: silence, 25: speak})
        assert found.spider.longest < 2.0, "the loop never waits for the server"
    assert pages(redis_server.url) == PAGES


def test_a_slow_server_counts_every_page_once(server: MockServer, redis_server: RedisServer) -> None:
    with FaultProxy(redis_server.port) as proxy:
        proxy.delay = 0.3
        crawled(server, proxy.url())
    assert pages(redis_server.url) == PAGES


def test_connections_cut_in_the_middle_of_an_answer_count_every_page_once(
    server: MockServer, redis_server: RedisServer
) -> None:
    with FaultProxy(redis_server.port) as proxy:

        def cutting(after: int | None) -> Callable[[], None]:
            def change() -> None:
                proxy.cut_after = after

            return change

        # what the server has done, and the client has not heard of
        crawled(server, proxy.url(), {3: cutting(5), 10: cutting(None), 14: cutting(2), 26: cutting(None)})
    assert pages(redis_server.url) == PAGES


def test_a_full_server_gets_the_figures_when_it_has_room(
    server: MockServer, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(redis_server.client()) as client:
        plan = {
            4: lambda: client.config_set("maxmemory", "1"),
            20: lambda: client.config_set("maxmemory", "0"),
        }
        crawled(server, redis_server.url, plan)
    assert pages(redis_server.url) == PAGES
    (said,) = warnings(caplog)
    assert "used memory > 'maxmemory'" in said


def test_one_round_trip_for_each_interval(server: MockServer, redis_server: RedisServer) -> None:
    with FaultProxy(redis_server.port) as proxy:
        before: list[int] = []

        def begin() -> None:
            before.append(proxy.round_trips)
            proxy.delay = 0.3

        plan = {10: begin}
        crawled(server, proxy.url(), plan, interval=60.0)
        # from the tenth page on: the last figures
        assert proxy.round_trips - before[0] == 1
    assert pages(redis_server.url) == PAGES


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("redis://user:secret@127.0.0.1:{closed}/0", "refused"),
        ("redis://user:secret@127.0.0.1:{port}/0", "invalid username-password"),
        ("redis://127.0.0.1:{port}/99", "DB index is out of range"),
        ("rediss://user:secret@127.0.0.1:{port}/0?socket_timeout=0.5", "Timeout"),
        ("redis://127.0.0.1:{port}/0?unheard_of=1", "unheard_of"),
    ],
)
def test_a_wrong_address_ends_the_crawl_at_its_start(
    server: MockServer, redis_server: RedisServer, address: str, said: str
) -> None:
    url = address.format(port=redis_server.port, closed=free_port())
    with pytest.raises(ValueError, match=r"^TPS_STORE can't be used: rediss?://.*127") as error:
        crawl(Steady, {"TPS_STORE": url, "TPS_DISTRIBUTED_CRAWL": "monday"}, server=server)
    assert said.lower() in str(error.value).lower()
    assert "secret" not in str(error.value)


def test_a_closed_port_is_the_last_line_of_the_log(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    code = """
class Shop(scrapy.Spider):
    name = "shop"

    async def start(self):
        yield {"name": "never"}
"""
    store = f"TPS_STORE = 'redis://:secret@{address}'\nTPS_DISTRIBUTED_CRAWL = 'monday'\n"
    done = scrapy("crawl", "shop", cwd=project(tmp_path, code, store), check=False)
    assert done.returncode == 1
    assert "Spider opened" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert f"TPS_STORE can't be used: redis://***@{address}: Error 111 connecting to {address}." in last
    assert last.endswith("remove TPS_STORE and TPS_DISTRIBUTED_CRAWL to crawl without it")


def test_a_user_who_may_not_write_ends_the_crawl_at_its_start(
    server: MockServer, redis_server: RedisServer
) -> None:
    with closing(redis_server.client()) as client:
        client.execute_command(
            "ACL SETUSER", "reader", "reset", "on", ">secret", "~*", "+@read", "+@connection"
        )
    url = redis_server.url.replace("redis://", "redis://reader:secret@")
    with pytest.raises(ValueError, match=r"^TPS_STORE can't be used: redis://\*\*\*@.*(?i:no permissions)"):
        crawl(Steady, {"TPS_STORE": url, "TPS_DISTRIBUTED_CRAWL": "monday"}, server=server)


def test_a_user_with_the_documented_rights_is_enough(server: MockServer, redis_server: RedisServer) -> None:
    text = (ROOT / "docs" / "how-to" / "machines.md").read_text(encoding="utf-8")
    keys, commands = re.findall(r"`(~tps:\*|\+hello [^`]*)`", text)
    with closing(redis_server.client()) as client:
        client.execute_command("ACL SETUSER", "crawler", "reset", "on", ">secret", keys, *commands.split())
    url = redis_server.url.replace("redis://", "redis://crawler:secret@")
    settings = {"TPS_STORE": url, "TPS_STATS_FILE": None}
    for name in ("monday", "tuesday"):  # the second one replaces what the first one remembered
        crawled = crawl(Shop, settings | {"TPS_DISTRIBUTED_CRAWL": name}, server=server)
        assert "tps/failures/distributed" not in crawled.stats
    with closing(redis_server.client()) as client:
        assert client.hlen("tps:{shop}:memory") == 1


def test_a_replica_ends_the_crawl_at_its_start(
    server: MockServer, redis_server: RedisServer, tmp_path: Path
) -> None:
    (tmp_path / "replica").mkdir()
    with (
        RedisServer(tmp_path / "replica", replicaof=f"127.0.0.1 {redis_server.port}") as replica,
        pytest.raises(ValueError, match=r"^TPS_STORE can't be used: .*read only replica"),
    ):
        crawl(Steady, {"TPS_STORE": replica.url, "TPS_DISTRIBUTED_CRAWL": "monday"}, server=server)


@pytest.mark.parametrize(
    ("store", "name", "said"),
    [
        ("redis://localhost", None, "TPS_STORE is set and TPS_DISTRIBUTED_CRAWL is not"),
        ("localhost:6379", "monday", r"TPS_STORE is 'localhost:6379'; allowed: a redis://"),
        ("redis://:secret@", "monday", r"TPS_STORE is 'redis://\*\*\*@'; allowed"),
        ("redis://localhost", "a{b}", r"TPS_DISTRIBUTED_CRAWL is 'a\{b\}'; allowed: 1 to 100 letters"),
    ],
)
def test_wrong_settings_are_refused_at_the_start(
    server: MockServer, store: str, name: str | None, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        crawl(Steady, {"TPS_STORE": store, "TPS_DISTRIBUTED_CRAWL": name}, server=server)
