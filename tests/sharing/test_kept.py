"""Processes keep the selectors of each other on a site, whatever the server loses; on a real server."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_tps.sharing.connection import Connection
from scrapy_tps.sharing.member import CrawlMember
from scrapy_tps.sharing.outbox import KeptSelectors
from scrapy_tps.stats.error_isolation import Guard
from tests.support.redis_server import needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.sharing.connection import DistributedCrawl
    from tests.support.redis_server import RedisServer

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

SITE = "shop.example"

STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["add", "exchange", "lose"]), st.sampled_from("abcd")),
    max_size=20,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_all_processes_have_the_same_in_the_end_whatever_the_server_loses(
    server: RedisServer, distributed: DistributedCrawl, steps: list[tuple[int, str, str]]
) -> None:
    with closing(Connection(distributed.address)) as connection, server.client() as client:
        client.flushall()
        processes = [KeptSelectors(distributed) for _ in range(3)]
        found: list[set[str]] = [set() for _ in processes]
        added = set()

        def exchange(which: int) -> None:
            processes[which].take(connection.run(processes[which].commands())[-1])
            found[which] |= {selector for _, selector in processes[which].news()}

        for which, step, selector in steps:
            if step == "add":
                processes[which].add(SITE, selector)
                found[which].add(selector)
                added.add(selector)
            elif step == "exchange":
                exchange(which)
            else:
                client.flushall()
        for which in (0, 1, 2, 0, 1, 2):
            exchange(which)
    assert found == [added] * 3


def members(distributed: DistributedCrawl) -> Iterator[CrawlMember]:
    for _ in range(2):
        member = CrawlMember(distributed, "shop", max_sites=10, guard=Guard())
        member.open()
        yield member


def flush(member: CrawlMember) -> None:
    """Flush, and wait for the answer."""
    member.flush()
    assert member.finish("finished")()


def test_what_one_process_keeps_another_has_with_the_next_flush_once(distributed: DistributedCrawl) -> None:
    one, two = members(distributed)
    one.kept.add(SITE, "nav > .price")
    flush(one)
    flush(two)
    assert list(two.kept.news()) == [(SITE, "nav > .price")]
    flush(two)
    assert list(two.kept.news()) == []
    assert list(one.kept.news()) == [], "nobody is told what he told"
    for member in (one, two):
        member.close()


def test_selectors_wait_for_a_server_that_is_away(server: RedisServer, distributed: DistributedCrawl) -> None:
    one, two = members(distributed)
    server.kill()
    one.kept.add(SITE, "#facts")
    one.flush()
    one.flush()
    server.start()
    flush(one)
    deadline = time.monotonic() + 10
    found: list[tuple[str, str]] = []
    while not found and time.monotonic() < deadline:
        flush(two)
        found = list(two.kept.news())
    assert found == [(SITE, "#facts")]
    for member in (one, two):
        member.close()


def test_ruined_selectors_do_not_stop_the_figures(server: RedisServer, distributed: DistributedCrawl) -> None:
    one, _ = members(distributed)
    with server.client() as client:
        client.set(distributed.key("kept"), "no set")
    one.kept.add(SITE, "#facts")
    one.of(SITE).add({"pages": 1})
    assert one.finish("finished")(), "the figures arrived"
    one.close()
