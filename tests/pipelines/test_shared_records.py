"""Processes of a distributed crawl drop what another of them has already given; on a real server."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.exceptions import DropItem
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from scrapy_tps.pipelines.records import RecordDeduplicationPipeline
from scrapy_tps.sharing.connection import DistributedCrawl
from tests.support.fault_proxy import FaultProxy
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis"), appendonly="no") as running:
        yield running


class Forgetful(RecordDeduplicationPipeline):
    most_records = 160


def pipeline(
    url: str | None,
    name: str = "monday",
    cls: type[RecordDeduplicationPipeline] = RecordDeduplicationPipeline,
) -> Any:
    shared = {"TPS_STORE": url, "TPS_DISTRIBUTED_CRAWL": name} if url else {}
    crawler = get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False} | shared)
    return build_from_crawler(cls, crawler)


def patient(server: RedisServer) -> str:
    """Its address, with more time for an answer: a busy machine must not let a record pass."""
    return f"{server.url}?socket_timeout=60&socket_connect_timeout=60"


def record(page: int, name: str, site: str = "a.example") -> dict[str, Any]:
    return {"name": name, "page_url": f"https://{site}/{page}", "position": 0, "confidence": 0.9}


async def passed(one: Any, *items: dict[str, Any]) -> list[bool]:
    """Whether the items pass, given to the pipeline together."""

    async def passes(item: dict[str, Any]) -> bool:
        try:
            found = one.process_item(item)
            assert (found if isinstance(found, dict) else await found) is item
        except DropItem:
            return False
        return True

    return list(await asyncio.gather(*(passes(item) for item in items)))


def test_a_record_that_another_process_has_given_is_dropped(server: RedisServer) -> None:
    async def crawl() -> None:
        with server.client() as client:
            client.flushall()
        url = patient(server)
        first, second, other = pipeline(url), pipeline(url), pipeline(url, "other")
        assert await passed(first, record(1, "A"), record(1, "B")) == [True, True]
        assert await passed(second, record(2, "a"), record(2, "C"), record(1, "B")) == [False, True, True]
        assert await passed(second, record(1, "A", site="b.example")) == [True], "another site"
        assert await passed(other, record(2, "A")) == [True], "another distributed crawl"
        assert second.crawler.stats.get_stats() == {"tps/records/dropped/duplicate": 1}
        for one in (first, second, other):
            one.close_spider()

    asyncio.run(crawl())


RECORDS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["A", "a", "B", "C"])), max_size=10)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=RECORDS)
def test_several_processes_drop_what_one_would_drop(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch, records: list[tuple[int, str]]
) -> None:
    monkeypatch.setattr("scrapy_tps.sharing.seen.PAUSE", 0.0)

    async def crawl(count: int) -> list[bool]:
        pipelines = [pipeline(patient(server) if count > 1 else None) for _ in range(count)]
        found = []
        for number, (page, name) in enumerate(records):
            found += await passed(pipelines[number % count], record(page, name))
        for one in pipelines:
            one.close_spider()
        return found

    with server.client() as client:
        client.flushall()
    assert asyncio.run(crawl(2)) == asyncio.run(crawl(1))


def test_many_items_are_asked_for_in_few_round_trips(server: RedisServer) -> None:
    async def crawl() -> None:
        with FaultProxy(server.port) as proxy:
            one = pipeline(proxy.url())
            await passed(one, record(1, "first"))
            before = proxy.round_trips
            assert all(await passed(one, *(record(1, f"record {number}") for number in range(200))))
            assert proxy.round_trips - before <= 10
            one.close_spider()

    asyncio.run(crawl())


def test_what_is_remembered_is_bounded_and_expires(server: RedisServer) -> None:
    async def crawl() -> None:
        with server.client() as client:
            client.flushall()
        one = pipeline(patient(server), cls=Forgetful)
        await passed(one, *(record(number, f"record {number}") for number in range(300)))
        distributed = DistributedCrawl(server.url, "monday")
        with server.client() as client:
            kept = [client.hlen(distributed.key(which)) for which in ("seen:0", "seen:1")]
            assert 0 < sum(kept) <= 160
            assert all(client.ttl(key) > 0 for key in client.scan_iter())
        # the last one is remembered
        assert await passed(pipeline(patient(server)), record(1, "record 299")) == [False]
        one.close_spider()

    asyncio.run(crawl())


def test_no_item_is_lost_or_waits_long_where_the_server_does_not_answer(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def crawl() -> None:
        with FaultProxy(server.port) as proxy:
            one = pipeline(proxy.url())
            assert await passed(one, record(1, "before")) == [True]
            proxy.silent = True
            started = time.monotonic()
            for number in range(20):
                assert await passed(one, record(number, f"silence {number}")) == [True]
            assert time.monotonic() - started < 5, "one waited, the others did not"
            assert await passed(one, record(9, "before")) == [False], "this process knows"
            assert one.crawler.stats.get_stats()["tps/records/dropped/duplicate"] == 1
            one.close_spider()

    asyncio.run(crawl())
    assert caplog.text.count("could not tell whether records are duplicates") == 1


def test_a_server_that_was_restarted_is_asked_again(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrapy_tps.sharing.seen.AGAIN", 0.0)

    async def crawl() -> None:
        with RedisServer(tmp_path_factory.mktemp("restarted")) as own:
            first, second = pipeline(patient(own)), pipeline(patient(own))
            assert await passed(first, record(1, "A")) == [True]
            own.kill()
            assert await passed(first, record(1, "B")) == [True]
            own.start()
            assert await passed(second, record(2, "A")) == [False]
            assert await passed(first, record(1, "C")) == [True]
            assert await passed(second, record(2, "C")) == [False]
            for one in (first, second):
                one.close_spider()

    asyncio.run(crawl())
