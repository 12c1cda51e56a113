"""Models that the processes of a job learn become one model; on a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_tps.sharing.job import Job
from scrapy_tps.sharing.member import JobMember
from scrapy_tps.sites.model import SiteModel
from scrapy_tps.sites.shared import SharedModels
from scrapy_tps.stats.guard import Guard
from tests.sites.test_model import merged, models
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

SITE = "shop.example"
PAGES = 3


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis"), appendonly="no") as running:
        yield running


@pytest.fixture
def server(running: RedisServer) -> RedisServer:
    """A server that knows nothing, whatever ran before."""
    with running.client() as client:
        client.flushall()
    return running


class Process:
    """A process of the job that crawls one site."""

    def __init__(self, url: str, model: SiteModel) -> None:
        self.guard = Guard()
        self.member = JobMember(Job(url, "job"), "shop", max_sites=10, guard=self.guard)
        self.member.open()
        self.shared = SharedModels(self.member.knowledge, PAGES)
        self.model = merged(model)

    def interval(self) -> None:
        """What happens in one interval: a page, what it taught, a flush and its answer."""
        self.shared.watch(SITE)
        self.shared.tell(SITE, self.model)
        assert self.member.finish("")()
        for site, model in self.shared.news():
            assert site == SITE
            self.model.merge(model)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(learnt=st.lists(models, min_size=2, max_size=3))
def test_what_processes_learn_becomes_one_model_within_two_intervals(
    server: RedisServer, learnt: list[SiteModel]
) -> None:
    with server.client() as client:
        client.flushall()
    processes = [Process(server.url, model) for model in learnt]
    for _ in range(2):
        for process in processes:
            process.interval()
    for process in processes:
        assert process.guard.failures == {}
        assert process.model == merged(*learnt)
        process.member.close()


def test_what_was_told_is_not_told_again(server: RedisServer) -> None:
    process = Process(server.url, SiteModel(PAGES))
    process.model.start_anew()
    told = []
    process.member.knowledge.tell = told.append  # type: ignore[method-assign]
    for _ in range(3):
        process.interval()
    assert [row.epoch for row in told] == [1]
    process.member.close()


def test_a_server_that_lost_all_is_told_again(server: RedisServer) -> None:
    learnt = SiteModel(PAGES)
    learnt.start_anew()
    process = Process(server.url, learnt)
    for _ in range(2):
        process.interval()
    with server.client() as client:
        client.flushall()
    for _ in range(2):
        process.interval()
    other = Process(server.url, SiteModel(PAGES))
    other.interval()
    assert other.model == learnt
    for one in (process, other):
        one.member.close()
