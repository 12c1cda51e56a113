"""What one process learns of a site the others have soon, and all of them the same; on a real server."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_tps.sharing.connection import Connection
from scrapy_tps.sharing.job import PARTS, part_of
from scrapy_tps.sharing.knowledge import MOST_BYTES, Errand, Row, Topic, _rows
from scrapy_tps.sharing.member import JobMember
from scrapy_tps.stats.guard import Guard
from tests.support.redis_server import needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.sharing.job import Job
    from tests.support.redis_server import RedisServer

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

SITE = Topic("shop.example", "model")
MOST = {"model": 3, "queries": 50}


def exchange(job: Job, *rows: Row, seen: int = 0) -> tuple[int, dict[bytes, Row]]:
    """Tell rows, and return what the server has: version, and epoch and blob by key."""
    errand = Errand()
    errand.ask(SITE, seen)
    for row in rows:
        errand.tell(row, seen)
    with closing(Connection(job.address)) as connection:
        ((answer,),) = connection.run([command for _, command in errand.commands(job, MOST)])
    return answer[0], {row.key: row for row in _rows(SITE, answer[1:])}


def kept(rows: list[Row]) -> dict[bytes, Row]:
    """What stays of rows, by the definition."""
    best: dict[bytes, Row] = {}
    for row in rows:
        best[row.key] = max(best.get(row.key, row), row, key=lambda one: (one.epoch, one.version, one.blob))
    chosen = sorted(best.values(), key=lambda row: (-row.epoch, row.key))[: MOST["model"]]
    return {row.key: row for row in chosen}


ROWS = st.builds(
    Row,
    st.just(SITE),
    st.sampled_from([b"a", b"b", b"c\x00", b"d\n", b"\xff"]),
    st.sampled_from([b"", b"blob", b"blob!", b"1 2\n3", b"\xff", bytes(range(256))]),
    st.integers(0, 1),
    st.integers(0, 1),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.lists(ROWS, max_size=8), second=st.lists(ROWS, max_size=8))
def test_rows_merge_in_any_order_any_number_of_times(
    server: RedisServer, job: Job, first: list[Row], second: list[Row]
) -> None:
    for order in ((first, second), (second, first), (first, second, first)):
        with server.client() as client:
            client.flushall()
        for rows in order:
            for row in rows:
                exchange(job, row)
        assert exchange(job)[1] == kept([*first, *second])


def members(job: Job) -> Iterator[JobMember]:
    for _ in range(2):
        member = JobMember(job, "shop", max_sites=10, guard=Guard())
        for kind, most in MOST.items():
            member.knowledge.keep(kind, most)
        member.open()
        yield member


def flush(member: JobMember) -> None:
    """Flush, and wait for the answer."""
    member.flush()
    assert member.finish("finished")()


def test_what_one_process_learns_another_has_within_two_flushes(job: Job) -> None:
    one, two = members(job)
    row = Row(SITE, b"key", b"blob \x00 of bytes", 7, 9)
    one.knowledge.tell(row)
    two.knowledge.watch(*SITE)
    flush(one)
    flush(two)
    assert two.knowledge.news("model") == [row]
    two.knowledge.watch(*SITE)
    two.knowledge.watch(SITE.site, "queries")
    flush(two)
    assert two.knowledge.news("model") == [], "once is enough"
    assert one.knowledge.news("model") == [], "nobody is told what he told"
    for member in (one, two):
        member.close()


def test_sites_that_nobody_watches_are_not_asked_for(job: Job) -> None:
    one, two = members(job)
    one.knowledge.tell(Row(SITE, b"key", b"blob"))
    flush(one)
    two.knowledge.watch("other.example", "model")
    flush(two)
    assert two.knowledge.news("model") == []
    for member in (one, two):
        member.close()


def test_a_flush_asks_for_any_number_of_sites_with_a_command_for_each_part(
    server: RedisServer, job: Job
) -> None:
    one, two = members(job)
    rows = [Row(Topic(f"{number}.example", "model"), b"key", bytes([number])) for number in range(200)]
    for row in rows:
        one.knowledge.tell(row)
        two.knowledge.watch(*row.topic)
    flush(one)
    with server.client() as client:
        client.config_resetstat()
        flush(two)
        commands = client.info("commandstats")
    asked = sum(commands[name]["calls"] for name in ("cmdstat_eval", "cmdstat_evalsha") if name in commands)
    assert sorted(two.knowledge.news("model")) == sorted(rows)
    assert asked <= PARTS + 2, "those of the parts, and what enters the job"
    for member in (one, two):
        member.close()


def test_what_another_program_has_ruined_of_one_site_does_not_stop_the_others(
    server: RedisServer, job: Job
) -> None:
    one, two = members(job)
    ruined = Topic("ruined.example", "model")
    others = [Topic(f"{number}.example", "model") for number in range(PARTS * 4)]
    assert part_of(ruined.site) in {part_of(other.site) for other in others}
    with server.client() as client:
        client.set(job.rows(*ruined), "no hash")
    for topic in (ruined, *others):
        one.knowledge.tell(Row(topic, b"key", b"blob"))
        two.knowledge.watch(*topic)
    flush(one)
    flush(two)
    for member in (one, two):
        member.close()
    assert {row.topic for row in two.knowledge.news("model")} == set(others)


def test_rows_wait_for_a_server_that_is_away(server: RedisServer, job: Job) -> None:
    one, two = members(job)
    server.kill()
    one.knowledge.tell(Row(SITE, b"key", b"blob"))
    one.flush()
    one.flush()
    server.start()
    flush(one)
    deadline = time.monotonic() + 10
    found: list[Row] = []
    while not found and time.monotonic() < deadline:
        two.knowledge.watch(*SITE)
        flush(two)
        found = two.knowledge.news("model")
    assert found == [Row(SITE, b"key", b"blob")]
    for member in (one, two):
        member.close()


def test_a_server_that_lost_all_gives_all_it_has_again(server: RedisServer, job: Job) -> None:
    rows = [Row(SITE, key, b"blob") for key in (b"a", b"b")]
    assert exchange(job, *rows)[0] == 1
    assert exchange(job, Row(SITE, b"c", b"blob"), seen=1) == (2, {})
    with server.client() as client:
        client.flushall()
    exchange(job, *rows)
    assert set(exchange(job, seen=2)[1]) == {b"a", b"b"}


def test_rows_that_wait_are_bounded() -> None:
    errand = Errand()
    for number in range(40):
        errand.tell(Row(Topic(f"{number}.example", "model"), b"key", bytes(MOST_BYTES // 16)), 0)
    later = Errand()
    later.add(errand)
    assert 15 <= len(later._told) <= 16
