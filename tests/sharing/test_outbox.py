"""Counts of processes arrive exactly once, even if a flush or its answer fails; on a real server."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_tps.engine.fallback.usage import OTHER_SELECTORS, SelectorUse
from scrapy_tps.sharing.connection import Connection, DistributedCrawl
from scrapy_tps.sharing.outbox import FiguresLost, KeptSelectors, Outbox
from scrapy_tps.sharing.scripts import SITE, figures_from_json
from scrapy_tps.stats.coverage import MOST_USES, UseKey, selector_use
from scrapy_tps.stats.fields import SKETCH_BITS
from scrapy_tps.stats.figures import MAX_NAMES, OTHER_SITES, SiteFigures
from tests.support.redis_server import RedisServer, needs_redis

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = needs_redis

SITES = [f"{name}.example" for name in "abcdef"]


class Process:
    """One process of the distributed crawl."""

    def __init__(self, distributed: DistributedCrawl, name: str, *, max_sites: int = 100) -> None:
        self.connection = Connection(distributed.address)
        self.close = self.connection.close
        self.outbox = Outbox(distributed, name, KeptSelectors(distributed), max_sites=max_sites)

    def count(self, *sites: str) -> None:
        self.outbox.add({site: SiteFigures({"pages": 1, "outcome/pruned": 1}) for site in sites})

    def send(self, *, answer: bool = True, check: bool = False) -> None:
        answers = self.connection.run(self.outbox.flush(check=check))
        if answer:
            self.outbox.answered(answers)


def found(server: RedisServer, distributed: DistributedCrawl) -> dict[str, int]:
    """Pages by site in the store."""
    with server.client() as client:
        kept = client.hgetall(distributed.key("figures"))
    return {
        name.decode().removeprefix(SITE): figures_from_json(value)["pages"]
        for name, value in kept.items()
        if name.decode().startswith(SITE)
    }


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(["count", "send", "send", "lose the answer"]),
        st.sampled_from(SITES),
    ),
    max_size=40,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_every_page_counts_once_whatever_is_sent_twice(
    server: RedisServer, distributed: DistributedCrawl, steps: list[tuple[int, str, str]]
) -> None:
    with server.client() as client:
        client.flushall()
    counted: dict[str, int] = {}
    with closing(Process(distributed, "a")) as one, closing(Process(distributed, "b")) as two:
        for which, step, site in steps:
            process = (one, two)[which]
            if step == "count":
                process.count(site)
                counted[site] = counted.get(site, 0) + 1
            else:
                process.send(answer=step == "send")
        for process in (one, two):
            process.send()
            process.send()  # what had to wait for an answer
            assert process.outbox.empty
    assert found(server, distributed) == counted


def test_figures_that_the_server_lost_are_counted_and_later_ones_arrive(
    server: RedisServer, distributed: DistributedCrawl
) -> None:
    site, key = "a.example", distributed.key("figures")
    with closing(Process(distributed, "a")) as process, server.client() as client:
        process.count(site)
        process.send()
        saved = client.dump(key)
        for _ in range(3):
            process.count(site)
            process.send()
        assert found(server, distributed) == {site: 4}
        client.restore(key, 0, saved, replace=True)
        process.count(site)
        with pytest.raises(FiguresLost, match="had confirmed"):
            process.outbox.send(process.connection)
        assert found(server, distributed) == {site: 2}
        # a crawl that has nothing left to send asks whether all is still there
        client.delete(key)
        with pytest.raises(FiguresLost, match="had confirmed"):
            process.outbox.send(process.connection, last=True)
        assert process.outbox.empty


def test_a_flush_that_was_sent_does_not_change(distributed: DistributedCrawl) -> None:
    process = Process(distributed, "a")
    process.count("a.example")
    first = process.outbox.flush()
    process.count("a.example")
    assert process.outbox.flush() == first


def test_sites_that_wait_are_bounded_and_no_page_is_lost(distributed: DistributedCrawl) -> None:
    process = Process(distributed, "a", max_sites=5)
    for number in range(100):
        process.count(f"{number}.example")
    (flush,) = process.outbox.flush()
    sites = json.loads(flush[7])
    assert sum(counts["pages"] for counts, _ in sites.values()) == 100
    assert len(sites) <= 5
    assert OTHER_SITES in sites


def test_two_crawls_in_one_store_do_not_meet(server: RedisServer, distributed: DistributedCrawl) -> None:
    other = DistributedCrawl(distributed.address, "other")
    for one, pages in ((distributed, 1), (other, 2)):
        with closing(Process(one, "a")) as process:
            for _ in range(pages):
                process.count("a.example")
            process.send()
    assert found(server, distributed) == {"a.example": 1}
    assert found(server, other) == {"a.example": 2}


def test_ruined_figures_do_not_stop_the_rest(server: RedisServer, distributed: DistributedCrawl) -> None:
    with closing(Process(distributed, "a")) as process, server.client() as client:
        client.hset(distributed.key("figures"), f"{SITE}a.example", "ruined")
        process.count("a.example", "b.example")
        process.send()
        assert process.outbox.empty
    assert found(server, distributed) == {"a.example": 1, "b.example": 1}


def test_parts_hold_sites_of_any_name(server: RedisServer, distributed: DistributedCrawl) -> None:
    names = ["(unknown)", "data:", "ümläut.example", 'quote".example', "tab\t", "flush:a"]
    with closing(Process(distributed, "a")) as process:
        process.count(*names)
        process.send()
        assert process.outbox.empty
    assert sorted(found(server, distributed)) == sorted(names)


def page(*, found: bool) -> SelectorUse:
    return SelectorUse(used=2, found=2) if found else SelectorUse(used=2)


PAGES = st.lists(
    st.tuples(st.sampled_from(["title", "price"]), st.booleans(), st.integers(0, 2**SKETCH_BITS - 1)),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flushes=st.lists(PAGES, max_size=5))
def test_selectors_and_fields_add_up_as_they_do_in_one_process(
    server: RedisServer, distributed: DistributedCrawl, flushes: list[list[tuple[str, bool, int]]]
) -> None:
    with server.client() as client:
        client.flushall()
    alone, now = SiteFigures(pages=1), 0
    with closing(Process(distributed, "a")) as process:
        for pages in flushes:
            figures = SiteFigures(pages=1)
            for name, found, sketch in pages:
                now += 1
                for one in (figures, alone):
                    selector = selector_use(UseKey("parse", "", name), page(found=found))
                    field = UseKey("parse", "Product", name), 2, 2 * found, 0, 0, 0, 9, 4, sketch
                    one.uses.add_page([selector, field], now)
            process.outbox.add({"a.example": figures})
            process.send()
    with server.client() as client:
        kept = client.hget(distributed.key("figures"), f"{SITE}a.example") or b"[{}, {}]"
    assert figures_from_json(kept).uses == alone.uses


def test_selectors_that_are_told_apart_are_bounded(
    server: RedisServer, distributed: DistributedCrawl
) -> None:
    with closing(Process(distributed, "a")) as process:
        for number in range(3):
            figures = SiteFigures()
            for other in range(MOST_USES):
                figures.uses.add_page(
                    [selector_use(UseKey("parse", "", f"#n{number}-{other}"), page(found=True))], 7
                )
            process.outbox.add({"a.example": figures})
            process.send()
    with server.client() as client:
        kept = figures_from_json(client.hget(distributed.key("figures"), f"{SITE}a.example") or b"").uses
    assert len(kept) == MOST_USES + 1
    assert kept[UseKey("", "", OTHER_SELECTORS)].pages == 2 * MOST_USES


def test_names_that_are_told_apart_are_bounded(server: RedisServer, distributed: DistributedCrawl) -> None:
    with closing(Process(distributed, "a")) as process:
        for number in range(3):
            titles = {f"sparse/{number} {other}": 1 for other in range(MAX_NAMES)}
            process.outbox.add({"a.example": SiteFigures({"pages": MAX_NAMES, **titles})})
            process.send()
    with server.client() as client:
        kept = client.hget(distributed.key("figures"), f"{SITE}a.example") or b""
    figures = figures_from_json(kept)
    assert len(figures.group("sparse")) == MAX_NAMES + 1
    assert sum(figures.group("sparse").values()) == figures["pages"] == 3 * MAX_NAMES
