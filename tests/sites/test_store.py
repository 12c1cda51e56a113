"""The file that keeps models of sites."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.asking.learnt import Learnt, LearntQueries, Place, SiteQueries, Step
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.store import SiteStore
from scrapy_tps.stats.database import StoreError
from tests.support.site import ADDRESS, article

if TYPE_CHECKING:
    from pathlib import Path

FULL = {"TPS_MIN_NODES": 0, "TPS_SITE": "full", "TPS_SITE_TEMPLATE_PAGES": 2}


def test_what_several_crawls_learn_is_merged_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    SiteStore(path, create=True).close()

    def learn(start: int) -> None:
        with closing(SiteStore(path)) as store:
            for number in range(start, start + 4):
                model = SiteModel()
                prune(article(number), url=ADDRESS.format(number), settings=FULL, site=model)
                store.merge([("site.example", model)])

    threads = [threading.Thread(target=learn, args=(start,)) for start in (0, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    straight = SiteModel()
    for number in range(8):
        part = SiteModel()
        prune(article(number), url=ADDRESS.format(number), settings=FULL, site=part)
        straight.merge(part)
    with closing(SiteStore(path)) as store:
        assert store.load("site.example") == straight


def test_a_file_where_nothing_can_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it's 100 % read-only?" / "sites.sqlite"
    model = SiteModel()
    prune(article(0), url=ADDRESS.format(0), settings=FULL, site=model)
    with closing(SiteStore(path, create=True)) as store:
        store.merge([("a.example", model)])
    monkeypatch.setattr(os, "access", lambda *_: False)  # those who run tests may be allowed anything
    with closing(SiteStore(path)) as store:
        assert store.load("a.example") == model
        assert [file.name for file in path.parent.iterdir()] == [path.name]
        with pytest.raises(StoreError, match="readonly"):
            store.merge([("b.example", model)])


def test_a_damaged_row_is_told(tmp_path: Path) -> None:
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        store._connection.execute("INSERT INTO knowledge VALUES ('a.example', 'page', x'00', 0, x'0102')")
        with pytest.raises(StoreError, match=r"a\.example can't be read"):
            store.load("a.example")


def test_a_damaged_row_makes_room_and_keeps_no_other_site_from_the_file(tmp_path: Path) -> None:
    model = SiteModel()
    prune(article(0), url=ADDRESS.format(0), settings=FULL, site=model)
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        store._connection.execute("INSERT INTO knowledge VALUES ('b.example', 'page', x'00', 0, x'0102')")
        store.merge([(f"{name}.example", model) for name in "abc"])
        assert [store.load(f"{name}.example") for name in "abc"] == [model] * 3


def test_forgetting_a_site(tmp_path: Path) -> None:
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        model = SiteModel()
        prune(article(0), url=ADDRESS.format(0), settings=FULL, site=model)
        store.merge([("a.example", model), ("b.example", model)])
        assert store.forget(["a.example", "c.example"]) == 1
        assert store.sites() == ["b.example"]


def test_a_file_keeps_the_sites_that_were_used_last(tmp_path: Path) -> None:
    model = SiteModel()
    prune(article(0), url=ADDRESS.format(0), settings=FULL, site=model)
    path = tmp_path / "sites.sqlite"
    for number in range(5):
        with closing(SiteStore(path, most_sites=3, create=True)) as store:
            store.load("site-0.example")  # a crawl that learns nothing new of it
            store.merge([(f"site-{number}.example", model)])
    with closing(SiteStore(path)) as store:
        assert store.sites() == ["site-0.example", "site-3.example", "site-4.example"]
        assert store.load("site-4.example") == model


def test_a_file_of_many_sites_stays_as_large_as_it_is(tmp_path: Path) -> None:
    model = SiteModel()
    prune(article(0), url=ADDRESS.format(0), settings=FULL, site=model)
    sizes = []
    with closing(SiteStore(tmp_path / "sites.sqlite", most_sites=20, create=True)) as store:
        for start in range(0, 400, 20):
            store.merge([(f"site-{number}.example", model) for number in range(start, start + 20)])
            assert len(store.sites()) <= 20
            sizes.append(store._connection.execute("PRAGMA page_count").fetchone()[0])
    assert sizes[-1] == sizes[3]


def asked(*names: str) -> SiteQueries:
    return SiteQueries(Learnt(f"//{name}", Place((Step("ul", name),), 0), f"#{name}") for name in names)


def test_queries_of_several_crawls_are_merged_and_those_of_a_site_made_anew_replace_them(
    tmp_path: Path,
) -> None:
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        for epoch, queries, kept in (
            (1, asked("dates"), asked("dates")),
            (1, asked("prices"), asked("dates", "prices")),
            (0, asked("menus"), asked("dates", "prices")),
            (2, asked("menus"), asked("menus")),
        ):
            store.merge([], [("a.example", (epoch, queries))])
            found = store.queries("a.example")
            assert found is not None
            assert found[1] == kept
        assert store.sites() == ["a.example"]
        assert store.load("a.example") is None


def test_damaged_queries_make_room(tmp_path: Path) -> None:
    with closing(SiteStore(tmp_path / "sites.sqlite", create=True)) as store:
        store.merge([], [("a.example", (0, asked("dates")))])
        store._connection.execute("UPDATE knowledge SET data = x'00'")
        with pytest.raises(StoreError, match=r"a\.example can't be read"):
            store.queries("a.example")
        store.merge([], [("a.example", (0, asked("prices")))])
        assert store.queries("a.example") == (0, asked("prices"))


def test_what_is_learnt_of_queries_is_told_once() -> None:
    known = LearntQueries(most_sites=2)
    for site in ("a.example", "b.example", "c.example"):
        known.learn(site, asked("dates"))
    assert known.changed() == {"b.example": asked("dates"), "c.example": asked("dates")}
    known.learn("c.example", asked("dates"))
    assert known.changed() == {}
    known.learn("c.example", asked("prices"))
    known.forget("c.example")
    assert known.changed() == {}


def test_what_earlier_crawls_learnt_of_queries_is_known_and_no_news() -> None:
    known = LearntQueries()
    known.remember("a.example", asked("dates"))
    assert known.of("a.example") == asked("dates")
    assert (known.changed(), known.sites()) == ({}, {})
    known.learn("a.example", asked("dates", "prices"))
    assert known.changed() == {"a.example": asked("dates", "prices")}
    assert known.sites() == {"a.example": asked("prices")}
