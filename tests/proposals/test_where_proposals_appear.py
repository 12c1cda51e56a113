"""Where proposals come from and appear: files, distributed crawls, reports, ``tps-check``."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_tps.proposals.proposal import Proposal
from scrapy_tps.sharing.connection import DistributedCrawl
from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader
from scrapy_tps.stats.store import FiguresStore
from tests.commands.conftest import Report, report
from tests.support import redesigns
from tests.support.crawling import crawl, scrapy
from tests.support.demo_sites import PROJECT, ToDemoSites, demo_sites
from tests.support.figures import MadeUpPruning, figures_of
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["report"]

SETTINGS = """
SPIDER_MODULES = ["demo.spiders"]
COMMANDS_MODULE = "scrapy_tps.commands"
ADDONS = {"scrapy_tps.Addon": 500}
DOWNLOADER_MIDDLEWARES = {"tests.support.demo_sites.ToDemoSites": 740}
"""
LOST = ("shop.example", "parse_grid", ".price::text")


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Callable[[], None]]]:
    """The demo shop: the address of its server, and a function that renames a class of all pages."""
    with demo_sites() as address:
        sites: dict[str, Any] = import_module("demo.sites").SITES

        def redesign() -> None:
            new = redesigns.RedesignedSite(sites["shop.example"], redesigns.class_renamed)
            monkeypatch.setitem(sites, "shop.example", new)

        yield address, redesign


def crawl_shop(address: str, **settings: Any) -> None:
    spider = import_module("demo.spiders.shop").ShopSpider
    common = {"DOWNLOADER_MIDDLEWARES": {ToDemoSites: 740}, "DEMO_SITES": address, "TPS_STRATEGY": "auto"}
    crawl(spider, common | settings)


@needs_redis
def test_processes_of_a_distributed_crawl_share_memory_and_proposals(
    shop: tuple[str, Callable[[], None]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    address, redesign = shop
    with RedisServer(tmp_path, appendonly="no") as server:
        crawl_shop(address, TPS_STORE=server.url, TPS_DISTRIBUTED_CRAWL="monday")
        redesign()
        crawl_shop(address, TPS_STORE=server.url, TPS_DISTRIBUTED_CRAWL="tuesday")
        found = DistributedCrawlReader(DistributedCrawl(server.url, "tuesday")).proposals()
        assert found[LOST].selector == "span.product-amount::text"
        assert "Try `span.product-amount::text`" in caplog.text
        with server.client() as client:
            assert all(client.ttl(key) > 0 for key in client.keys("tps:*") if key != b"tps:crawls")
            client.hset("tps:{shop}:memory", "damaged", "[1")
        crawl_shop(address, TPS_STORE=server.url, TPS_DISTRIBUTED_CRAWL="wednesday")
        found = DistributedCrawlReader(DistributedCrawl(server.url, "wednesday")).proposals()
        assert found[LOST].selector == "span.product-amount::text", "the memory stays while something is lost"


def test_a_check_of_pages_proposes_with_the_memory_of_the_last_crawl(
    shop: tuple[str, Callable[[], None]], tmp_path: Path
) -> None:
    address, redesign = shop
    shutil.copytree(PROJECT / "demo", tmp_path / "demo")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = checked_settings\n")
    (tmp_path / "checked_settings.py").write_text(SETTINGS)
    file = tmp_path / "figures.sqlite"
    crawl_shop(address, TPS_STATS_FILE=str(file))
    redesign()
    urls = ["http://shop.example/c/headphones", "http://shop.example/c/headphones?page=2"]
    options = ["-c", "parse_grid", "-s", f"TPS_STATS_FILE={file}", "-s", f"DEMO_SITES={address}"]
    data = json.loads(
        scrapy("tps_check", "shop", *urls, *options, "--format", "json", cwd=tmp_path, check=False).stdout
    )
    assert {
        "site": "shop.example",
        "callback": "parse_grid",
        "selector": ".price::text",
        "proposal": {
            "selector": "span.product-amount::text",
            "kind": "css",
            "pages": 2,
            "found": 2,
            "equal_values": 20,
        },
    } in data["proposals"]
    off = scrapy(
        "tps_check", "shop", *urls, *options, "-s", "TPS_REMEMBER_VALUES=0", cwd=tmp_path, check=False
    )
    assert "Try" not in off.stdout


@pytest.fixture
def two_crawls(tmp_path: Path) -> Path:
    """A file with two crawls, and what the last one remembers and proposes."""
    file = tmp_path / "figures.sqlite"
    with closing(FiguresStore(file)) as store:
        for _ in range(2):
            figures = figures_of(MadeUpPruning())
            number = store.begin_crawl("shop")
            store.add(number, {"shop.example": figures}, "finished")
        store.remember(number, [("shop.example", "parse", "{}")])
        proposal = Proposal("p.price_colour::text", "css", 240, 240, 31, 31, 240)
        store.propose(number, {("shop.example", "parse", "p.price_color::text"): proposal})
    return file


@pytest.mark.parametrize("arguments", [("--delete", "2"), ("--keep-last", "0")])
def test_what_a_crawl_remembers_is_deleted_with_it(
    report: Callable[[Path], Report], two_crawls: Path, arguments: tuple[str, str]
) -> None:
    assert report(two_crawls)(*arguments)[0] == 0
    with closing(FiguresStore(two_crawls)) as store:
        assert store.remembered("shop") == []
        assert store.proposals(2) == {}


def test_the_memory_of_the_last_crawl_stays_when_others_are_deleted(
    report: Callable[[Path], Report], two_crawls: Path
) -> None:
    report(two_crawls)("--keep-last", "1")
    with closing(FiguresStore(two_crawls)) as store:
        assert store.remembered("shop") == [("shop.example", "parse", "{}")]


def test_a_proposal_says_what_was_tried() -> None:
    lost = "p.price_color::text"
    tried = Proposal("p.price_colour::text", "css", 240, 240, 31, 31, lost_pages=240)
    assert tried.note(lost) == (
        "`p.price_color::text` found nothing on 240 pages. Try `p.price_colour::text`: found on 240 of 240 pages, "
        "31 of 31 values seen before equal."
    )
    some = Proposal("p.cost::text", "css", 6, 6, lost_pages=240)
    assert some.note(lost).endswith("Try `p.cost::text`: found on 6 of 6 sampled pages.")
    assert Proposal(pages=6, lost_pages=1).note(lost) == (
        "`p.price_color::text` found nothing on 1 page; no other selector fits well enough to propose it."
    )
