"""Models of sites in a crawl."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider

from scrapy_tps import Pruning, prune
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.settings.definitions import page_settings
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.crawl import AWAKE, DOUBTFUL, LESSONS, STRANGE, SiteModels
from scrapy_tps.sites.store import SiteStore
from scrapy_tps.stats.database import StoreError
from tests.support.crawling import Crawled, crawl
from tests.support.demo_sites import ToDemoSites
from tests.support.redis_server import RedisServer, needs_redis
from tests.support.site import ABOUT, ADDRESS, article, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.support.mockserver import MockServer

FULL = {"TPS_MIN_NODES": 0, "TPS_SITE": "full", "TPS_SITE_TEMPLATE_PAGES": 2}
SITE = "127.0.0.1"


class Stories(Spider):
    name = "stories"
    urls: Any = ()

    async def start(self) -> Any:
        for url in self.urls:
            yield Request(url, meta={"handle_httpstatus_all": True})

    def parse(self, response: Any) -> Any:
        tps = response.tps
        yield {
            "about": ABOUT in response.text,
            "pages": tps.site_pages,
            "digest": tps.site_digest,
            "lesson": tps.lesson,
        }


def stories(
    server: MockServer,
    tmp_path: Path,
    numbers: range,
    query: str = "",
    *,
    site: str = SITE,
    spider: type[Spider] = Stories,
    **settings: Any,
) -> Crawled:
    settings = {
        **FULL,
        "TPS_STRATEGY": "auto",
        "TPS_SITE_FILE": str(tmp_path / "sites.sqlite"),
        "CONCURRENT_REQUESTS": 1,
        "DOWNLOADER_MIDDLEWARES": {ToDemoSites: 740},
        "DEMO_SITES": server.url,
        **settings,
    }
    urls = [f"http://{site}/story/{number}{query}" for number in numbers]
    return crawl(spider, settings, urls=urls)


def test_a_crawl_learns_what_stands_on_every_page(server: MockServer, tmp_path: Path) -> None:
    crawled = stories(server, tmp_path, range(4))
    assert [item["pages"] for item in crawled.items] == [0, 1, 2, 3]
    assert [item["about"] for item in crawled.items] == [True, True, False, False]
    assert [item["lesson"] for item in crawled.items] == [None] * 4
    assert crawled.stats["tps/model/lessons"] == 4
    assert crawled.stats["tps/model/template_pages"] == 2
    assert crawled.stats["tps/model/first_pages"] == 1


def test_the_next_crawl_knows_the_site(server: MockServer, tmp_path: Path) -> None:
    stories(server, tmp_path, range(3))
    crawled = stories(server, tmp_path, range(3, 5))
    assert [item["about"] for item in crawled.items] == [False, False]
    with closing(SiteStore(tmp_path / "sites.sqlite")) as store:
        assert store.sites() == [SITE]
        model = store.load(SITE)
        assert model is not None
        assert len(model) == 5


def test_a_read_only_file_gives_the_same_for_every_run(server: MockServer, tmp_path: Path) -> None:
    stories(server, tmp_path, range(3))
    before = (tmp_path / "sites.sqlite").read_bytes()
    one, two = (stories(server, tmp_path, range(3, 6), TPS_SITE_READ_ONLY=True).items for _ in range(2))
    assert one == two
    assert len({item["digest"] for item in one}) == 1
    assert (tmp_path / "sites.sqlite").read_bytes() == before


class Askers(Stories):
    """Asks for what stands on every page, by a selector."""

    def parse(self, response: Any) -> Any:
        found = response.css(".house p::text").get()
        yield {"found": found == ABOUT, "parsed": response.tps.asked.parsed, **response.tps.asked.counts}


def test_the_next_crawl_knows_what_spiders_ask_for_on_the_site(server: MockServer, tmp_path: Path) -> None:
    first = stories(server, tmp_path, range(4), spider=Askers).items
    assert {"found": True, "parsed": True} in [
        {name: item[name] for name in ("found", "parsed")} for item in first
    ]
    alone = {"TPS_SITE_READ_ONLY": True, "spider": Askers}
    assert (
        stories(server, tmp_path, range(4, 6), **alone).items
        == [{"found": True, "parsed": False, "learnt": 1}] * 2
    )
    with closing(SiteStore(tmp_path / "sites.sqlite")) as store:
        found = store.queries(SITE)
        assert found is not None
        epoch, queries = found
        assert (epoch, [one.asked for one in queries]) == (0, [".house p::text"])
        store.forget([SITE])
        assert store.queries(SITE) is None


def test_where_nothing_is_to_be_learnt_of_queries_nothing_is_kept(server: MockServer, tmp_path: Path) -> None:
    stories(server, tmp_path, range(4), spider=Askers, TPS_ASK_LEARN=False)
    with closing(SiteStore(tmp_path / "sites.sqlite")) as store:
        assert store.queries(SITE) is None


def test_pages_of_errors_teach_nothing(server: MockServer, tmp_path: Path) -> None:
    crawled = stories(server, tmp_path, range(3), "?status=404", TPS_STATUS_CODES=[200, 404])
    assert [item["pages"] for item in crawled.items] == [0, 0, 0]
    assert "tps/model/lessons" not in crawled.stats


class Members(Stories):
    """Asks for pages that it has to log in for."""

    async def start(self) -> Any:
        for url in self.urls:
            yield Request(url.replace("/story/", "/members/"), dont_filter=True)


def test_a_log_in_that_comes_instead_of_a_page_teaches_nothing(server: MockServer, tmp_path: Path) -> None:
    crawled = stories(server, tmp_path, range(3), spider=Members, REDIRECT_ENABLED=True)
    assert [item["pages"] for item in crawled.items] == [0, 0, 0]
    assert "tps/model/lessons" not in crawled.stats


class Constants(Spider):
    """Reads from the text of a page what stands on all of them."""

    name = "constants"
    urls: Any = ()

    async def start(self) -> Any:
        for url in self.urls:
            yield Request(url)

    def parse(self, response: Any) -> Any:
        template = any(span.rule == "template" for span in response.tps.spans)
        yield {"about": ABOUT in response.text, "template": template}


def test_a_loss_that_the_shadow_check_finds_ends_the_removal_of_template(
    server: MockServer, tmp_path: Path
) -> None:
    stories(server, tmp_path, range(8))
    crawled = stories(server, tmp_path, range(8, 12), spider=Constants, TPS_SHADOW=1.0)
    assert [item["about"] for item in crawled.items] == [True] * 4
    again = stories(server, tmp_path, range(12, 16), spider=Constants)
    assert again.items == [{"about": True, "template": False}] * 4
    with closing(SiteStore(tmp_path / "sites.sqlite")) as store:
        model = store.load(SITE)
    assert model is not None
    assert not model.known().removes


def test_switched_off_nothing_is_learnt_and_no_file_made(server: MockServer, tmp_path: Path) -> None:
    crawled = stories(server, tmp_path, range(2), TPS_SITE="off")
    assert [item["digest"] for item in crawled.items] == [None, None]
    assert not (tmp_path / "sites.sqlite").exists()


def test_a_file_that_fails_costs_no_page(server: MockServer, tmp_path: Path) -> None:
    (tmp_path / "sites.sqlite").write_text("no database " * 100)
    crawled = stories(server, tmp_path, range(4))
    assert [item["about"] for item in crawled.items] == [True, True, False, False]
    assert crawled.stats["tps/failures/models"] >= 1


def models(**arguments: Any) -> SiteModels:
    return SiteModels(**arguments)


def judged(held: SiteModels, site: str, number: int, body: str | None = None) -> Pruning:
    from scrapy_tps.engine.prune import prune_page
    from scrapy_tps.settings.definitions import page_settings

    page = article(number) if body is None else body
    return prune_page(page, None, page_settings(FULL), url=ADDRESS.format(number), site=held.known(site))


def visit(held: SiteModels, site: str, number: int, body: str | None = None) -> dict[str, int]:
    return held.done(site, judged(held, site, number, body))


def test_read_only_no_lesson_is_made_whether_or_not_the_site_is_known() -> None:
    known = {"known.example": SiteModel()}
    prune(article(0), url=ADDRESS.format(0), settings=FULL, site=known["known.example"])
    for read_only in (False, True):
        held = models(read_only=read_only, load=known.get)
        for site in ("known.example", "new.example"):
            assert (judged(held, site, 1).lesson is None) == read_only


def test_the_number_of_sites_in_memory_is_bounded_and_none_is_lost() -> None:
    kept: dict[str, SiteModel] = {}
    held = models(max_sites=3, load=kept.get, keep=kept.update)
    for number in range(10):
        visit(held, f"site{number}.example", number)
    assert len(held) == 3
    assert len(kept) == 7
    visit(held, "site0.example", 11)
    model = held.model("site0.example")
    assert model is not None
    assert len(model) == 2


def test_lessons_end_and_a_site_that_is_made_anew_begins_again() -> None:
    held = models(pages=64)
    taught = [visit(held, "site.example", number % 8) for number in range(LESSONS)]
    assert 8 <= sum("lessons" in counts for counts in taught) <= 16
    assert "lessons" not in visit(held, "site.example", 1000)
    anew = [
        visit(
            held,
            "site.example",
            100 + number,
            f"<table><tr><td>{number} <font>words</font></td></tr></table>" * 20,
        )
        for number in range(STRANGE + 1)
    ]
    model = held.model("site.example")
    assert model is not None
    assert model.epoch == 1
    assert anew[STRANGE - 1]["epochs"] == 1
    assert anew[STRANGE]["lessons"] == 1


def test_a_veto_that_gives_back_most_of_what_went_is_told() -> None:
    held = models()
    visit(held, "site.example", 0)
    counted = []
    for number in range(1, DOUBTFUL + 1):
        beside = "".join(f"<b>{sentence(random.Random(1000 * number + part))}</b>" for part in range(4))
        counted.append(visit(held, "site.example", number, article(number, beside=beside)))
    assert sum(counts.get("doubts", 0) for counts in counted) == 1


def test_what_is_barred_stays_barred_in_the_file(tmp_path: Path) -> None:
    held = models()
    visit(held, "site.example", 0)
    held.bar("site.example")
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        store.merge(held.changed())
        model = store.load("site.example")
    assert model is not None
    assert not model.known().removes
    assert held.changed() == []


def store_sites(folder: Path) -> list[str]:
    with closing(SiteStore(folder / "sites.sqlite")) as store:
        return store.sites()


def test_a_crawl_bounds_its_file(server: MockServer, tmp_path: Path) -> None:
    model = SiteModel()
    prune(article(0), url=ADDRESS.format(0), settings=FULL, site=model)
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        store.merge([(f"site-{number}.example", model) for number in range(5)])
    crawled = stories(server, tmp_path, range(2), TPS_SITE_FILE_SITES=1)
    assert store_sites(tmp_path) == [SITE]
    assert crawled.stats["tps/model/forgotten"] == 5


def crawled_every_day(server: MockServer, tmp_path: Path, days: int, **settings: Any) -> list[str]:
    """Crawl known pages of one site each day, and a new site after them; the sites that the file then has."""
    bound: dict[str, Any] = {"TPS_SITE_FILE_SITES": 3}
    stories(server, tmp_path, range(3), **bound)
    for day in range(days):
        crawled = stories(server, tmp_path, range(3), **bound, **settings)
        assert "tps/model/lessons" not in crawled.stats
        stories(server, tmp_path, range(3), site=f"day-{day}.example", **bound)
    return store_sites(tmp_path)


def test_the_file_keeps_a_site_that_is_crawled_every_day(server: MockServer, tmp_path: Path) -> None:
    found = crawled_every_day(server, tmp_path, 4)
    assert found == [SITE, "day-2.example", "day-3.example"]


def test_crawls_that_only_read_keep_no_site_in_the_file(server: MockServer, tmp_path: Path) -> None:
    found = crawled_every_day(server, tmp_path, 3, TPS_SITE_READ_ONLY=True)
    assert found == [f"day-{day}.example" for day in range(3)]


class ByTurns(Spider):
    """Visits a known site and new ones by turns, as slowly as what was learnt is written."""

    name = "by-turns"

    async def start(self) -> Any:
        yield Request(f"http://{SITE}/story/0")

    async def parse(self, response: Any) -> Any:
        visited = response.meta.get("visited", 0) + 1
        await asyncio.sleep(0.11)
        if visited < 8:
            site = f"site-{visited}.example" if visited % 2 else SITE
            yield Request(f"http://{site}/story/0", meta={"visited": visited}, dont_filter=True)


def test_few_models_wait_for_a_file_that_cannot_be_written(
    server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def fail(_: SiteStore, waiting: Iterable[Any], *__: Any, **___: Any) -> int:
        waited.append(len(list(waiting)))
        raise StoreError("the disk is full")

    monkeypatch.setattr(SiteStore, "merge", fail)
    monkeypatch.setattr("scrapy_tps.downloadermiddlewares.models._MOST_WAITING", 1)
    crawled = stories(server, tmp_path, range(1), spider=ByTurns, TPS_SITE_MAX_SITES=1)
    assert crawled.stats["tps/failures/models"] == len(waited)
    assert max(waited) == 2, "one more comes, and the one that came first goes"


def test_the_file_keeps_a_site_that_a_long_crawl_has_in_memory(server: MockServer, tmp_path: Path) -> None:
    stories(server, tmp_path, range(1))
    stories(server, tmp_path, range(1), spider=ByTurns, TPS_SITE_FILE_SITES=2, TPS_STATS_INTERVAL=0.1)
    assert store_sites(tmp_path) == [SITE, "site-7.example"]


def test_an_account_without_a_model_counts_nothing() -> None:
    assert models().done("site.example", Pruning("", "excluded")) == {}


@needs_redis
def test_processes_of_a_job_learn_together(server: MockServer, tmp_path: Path) -> None:
    pytest.importorskip("redis", reason="redis-py is not installed")
    with RedisServer(tmp_path) as store:
        shared: dict[str, Any] = {"TPS_SITE_FILE": None, "TPS_STORE": store.url, "TPS_STATS_INTERVAL": 0.1}
        stories(server, tmp_path, range(4), TPS_JOB="job", **shared)
        delay: dict[str, Any] = {"DOWNLOAD_DELAY": 0.3}
        second = stories(server, tmp_path, range(4, 8), TPS_JOB="job", **shared, **delay)
        other = stories(server, tmp_path, range(4, 8), TPS_JOB="other", **shared)
    assert [item["pages"] for item in other.items] == [0, 1, 2, 3]
    assert second.items[-1]["pages"] > 3, "it knows pages that it has not seen"
    assert "tps/failures/models" not in second.stats


def test_what_is_made_of_the_known_pages_is_held_of_the_sites_asked_last_only() -> None:
    models, sites = SiteModels(), [f"site{number}.example" for number in range(2 * AWAKE)]
    settings = page_settings(FULL)
    for site in sites:
        pruning = prune_page(article(0), None, settings, url="/0", site=models.known(site))
        models.done(site, pruning)
        prune_page(article(1), None, settings, url="/1", site=models.known(site))
    known = [model.known() for site in sites if (model := models.model(site)) is not None]
    assert [bool(one.compared) for one in known] == [False] * AWAKE + [True] * AWAKE


def test_what_is_made_of_the_known_pages_holds_no_model_that_was_let_go_of() -> None:
    models = SiteModels(max_sites=1)
    models.known("one")
    model = models.model("one")
    assert model is not None
    gone = weakref.ref(model)
    del model
    models.known("two")
    gc.collect()
    assert gone() is None
