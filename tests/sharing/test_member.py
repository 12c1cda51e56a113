"""A process whose server is away holds figures within bounds, and loses no page."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader, distributed_crawls
from scrapy_tps.sharing.member import CrawlMember
from scrapy_tps.stats.error_isolation import Guard
from scrapy_tps.stats.figures import OTHER_SITES
from tests.support.redis_server import needs_redis

if TYPE_CHECKING:
    from scrapy_tps.sharing.connection import DistributedCrawl
    from tests.support.redis_server import RedisServer

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

MOST = 20


def pages(distributed: DistributedCrawl) -> dict[str, int]:
    return {site: figures["pages"] for site, figures in DistributedCrawlReader(distributed).sites()}


def test_more_sites_than_fit_while_the_server_is_away(
    server: RedisServer, distributed: DistributedCrawl
) -> None:
    member = CrawlMember(distributed, "shop", max_sites=MOST, guard=Guard())
    member.open()
    assert member.finish("")()
    server.kill()
    for number in range(1000):
        member.of(f"{number}.example").add({"pages": 1})
        if number % 50 == 0:
            member.flush()
            time.sleep(0.01)
    server.start()
    assert member.finish("finished")()
    member.close()
    found = pages(distributed)
    assert sum(found.values()) == 1000
    assert found[OTHER_SITES] > 800
    # those that wait here, at the thread, and on their way
    assert len(found) <= 4 * MOST + 1


def test_many_sites_are_sent_as_they_come_while_the_server_is_there(distributed: DistributedCrawl) -> None:
    member = CrawlMember(distributed, "shop", max_sites=MOST, guard=Guard())
    member.open()
    for number in range(200):
        member.of(f"{number}.example").add({"pages": 1})
        # what waits is bounded: a machine under load may send late, and pages that come faster share their figures
        deadline = time.monotonic() + 60
        while number % MOST == 0 and sum(pages(distributed).values()) < number:
            assert time.monotonic() < deadline, "nothing is sent before the end"
            time.sleep(0.01)
    assert member.finish("finished")()
    member.close()
    found = pages(distributed)
    assert sum(found.values()) == 200
    assert len(found) == 200, "each keeps figures of its own"


def test_no_thread_outlives_the_crawl(distributed: DistributedCrawl) -> None:
    member = CrawlMember(distributed, "shop", max_sites=MOST, guard=Guard())
    before = set(threading.enumerate())
    member.open()
    member.flush()
    confirmed = member.finish("finished")
    own = set(threading.enumerate()) - before
    assert confirmed()
    member.close()
    for thread in own:
        thread.join(30)
        assert not thread.is_alive()


def test_crawls_are_listed_until_they_expire(server: RedisServer, distributed: DistributedCrawl) -> None:
    for name in ("one", "two"):
        member = CrawlMember(replace(distributed, name=name), "shop", max_sites=MOST, guard=Guard())
        member.open()
        assert member.finish("finished")()
        member.close()
    assert distributed_crawls(distributed) == ["one", "two"]
    with server.client() as client:
        assert all(client.ttl(key) > 0 for key in client.scan_iter())
        client.delete(replace(distributed, name="one").key("processes"))
    assert distributed_crawls(distributed) == ["two"]


def remembering(distributed: DistributedCrawl, *entries: tuple[str, str, str]) -> CrawlMember:
    """A process that will remember this at its end."""
    member = CrawlMember(distributed, "shop", max_sites=MOST, guard=Guard())
    member.open()
    member.remember(entries, {})
    return member


def remembered(distributed: DistributedCrawl) -> set[tuple[str, str, str]]:
    member = CrawlMember(distributed, "shop", max_sites=MOST, guard=Guard())
    member.open()
    member.finish("finished")()
    member.close()
    return set(member.remembered.values())


def test_processes_of_a_crawl_keep_the_memory_of_each_other(distributed: DistributedCrawl) -> None:
    one, other = ("a.example", "parse", "one"), ("a.example", "parse", "other")
    for member in [remembering(distributed, one), remembering(distributed, other)]:
        assert member.finish("finished")()
        member.close()
    assert remembered(distributed) == {one, other}
    later = remembering(distributed, ("a.example", "parse", "later"))
    assert later.finish("finished")()
    later.close()
    assert remembered(distributed) == {("a.example", "parse", "later")}, "it has read what it replaces"
