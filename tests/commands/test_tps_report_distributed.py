"""``scrapy tps-report`` on distributed crawls."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_tps.sharing.connection import DistributedCrawl
from scrapy_tps.stats.error_isolation import Guard
from tests.support.figures import MadeUpPruning, figures_of
from tests.support.redis_server import RedisServer, free_port, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy_tps.stats.figures import SiteFigures

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(report: Callable[[None], Run]) -> Run:
    """Run the command with settings as keywords."""
    command = report(None)

    def run_command(*arguments: str, **settings: object) -> tuple[int, str, str]:
        return command(*arguments, settings=settings)

    return run_command


def sites(items: int) -> dict[str, SiteFigures]:
    return {
        "shop.example": figures_of(MadeUpPruning(), items=items),
        f"{items}.example": figures_of(MadeUpPruning("error", kept_nodes=100)),
    }


def pages(output: str) -> dict[str, int]:
    return {site["site"]: site["pages"] for site in json.loads(output)["sites"]}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store with `monday`, of two processes, one of them still running, and with `tuesday`, of one."""
    pytest.importorskip("redis", reason="redis-py is not installed")
    from scrapy_tps.sharing.member import CrawlMember

    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        for name, items, ends in (("monday", 1, True), ("monday", 2, False), ("tuesday", 0, True)):
            shared = CrawlMember(DistributedCrawl(server.url, name), "shop", max_sites=10, guard=Guard())
            shared.open()
            for site, figures in sites(items).items():
                shared.of(site).merge(figures)
            assert shared.finish("finished")()
            if not ends:  # as a killed process leaves it
                with server.client() as client:
                    key = shared.distributed.key("processes")
                    said: dict[str, Any] = json.loads(client.hget(key, shared.process) or b"")
                    del said["finished"], said["reason"]
                    client.hset(key, shared.process, json.dumps(said))
        yield server.url


@needs_redis
def test_a_distributed_crawl_in_a_store(run: Run, store: str) -> None:
    code, output, errors = run("--distributed", "monday", TPS_STORE=store)
    assert (code, errors) == (0, "")
    assert "distributed crawl monday of shop, 2 processes, started" in output
    assert "1 running or killed" in output
    found = run("--distributed", "--format", "json", TPS_STORE=store, TPS_DISTRIBUTED_CRAWL="monday")[1]
    assert pages(found) == {"shop.example": 2, "1.example": 1, "2.example": 1}
    assert [process["reason"] for process in json.loads(found)["processes"]] == ["finished", None]
    assert "1.example" in run("--distributed", "monday", "--format", "csv", "--wrong", TPS_STORE=store)[1]


@needs_redis
def test_distributed_crawls_of_a_store_are_listed(run: Run, store: str) -> None:
    listed = run("--distributed", "--list", TPS_STORE=store)[1].splitlines()
    assert sorted(line.split(" of ")[0] for line in listed) == [
        "distributed crawl monday",
        "distributed crawl tuesday",
    ]


@needs_redis
def test_a_distributed_crawl_of_a_store_becomes_one_html_file(run: Run, store: str, tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    page = tmp_path / "report.html"
    code, _, errors = run("--distributed", "monday", "--html", str(page), "--no-browser", TPS_STORE=store)
    assert (code, errors) == (0, "")
    assert "distributed crawl monday of shop" in page.read_text(encoding="utf-8")


@needs_redis
def test_wrong_use_of_stores_is_refused(run: Run, store: str) -> None:
    assert "no distributed crawl 'friday'" in run("--distributed", "friday", TPS_STORE=store)[2]
    code, _, errors = run("--distributed", TPS_STORE=store)
    assert (code, "name a crawl: --distributed NAME" in errors) == (2, True)
    code, _, errors = run("--distributed", "--list", TPS_STORE="http://u:secret@example")
    assert (code, "TPS_STORE is 'http://***@example'; allowed: a redis://" in errors) == (2, True)
    code, _, errors = run("--distributed", "monday")
    assert (code, "TPS_STORE is not set" in errors) == (2, True)
    code, _, errors = run("--distributed", "monday", TPS_STORE=f"redis://u:secret@127.0.0.1:{free_port()}")
    assert (code, "refused" in errors, "secret" in errors) == (1, True, False)


@needs_redis
def test_what_another_program_has_ruined_costs_itself_alone(run: Run, tmp_path: Path) -> None:
    from scrapy_tps.sharing.member import CrawlMember

    with RedisServer(tmp_path) as server:
        member = CrawlMember(DistributedCrawl(server.url, "monday"), "shop", max_sites=10, guard=Guard())
        member.open()
        for site in ("a.example", "b.example", "c.example"):
            member.of(site).merge(figures_of(MadeUpPruning()))
        assert member.finish("finished")()
        with server.client() as client:
            client.hset(member.distributed.key("figures"), "site:a.example", '[{"pages": "many"}, {}]')
            client.hset(member.distributed.key("figures"), "site:c.example", '[{"pages": 1e999}, {}]')
            process = json.loads(client.hget(member.distributed.key("processes"), member.process) or b"")
            client.hset(
                member.distributed.key("processes"), "other", json.dumps({**process, "started": "2026-01-01"})
            )
            client.hset(member.distributed.key("processes"), "intruder", "pickled")
            for name, wrong in (("stranger", {"pages": "many"}), ("visitor", {"spider": None})):
                client.hset(member.distributed.key("processes"), name, json.dumps({**process, **wrong}))
        code, output, errors = run("--distributed", "monday", TPS_STORE=server.url)
        assert (code, "b.example" in output) == (1, True)
        assert sorted(line.partition(" can't")[0] for line in errors.splitlines()) == [
            "distributed crawl monday, process intruder",
            "distributed crawl monday, process stranger",
            "distributed crawl monday, process visitor",
            "distributed crawl monday, site a.example",
            "distributed crawl monday, site c.example",
        ]
