from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

from scrapy_tps.stats.aggregation import CrawlFigures
from scrapy_tps.stats.fields import KnownFields, PageItems
from scrapy_tps.stats.figures import MAX_NAMES, OTHER_SITES, SiteFigures, merged, page_counts
from scrapy_tps.stats.store import FiguresStore
from tests.support.figures import MadeUpPruning

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def see(figures: CrawlFigures, *sites: str) -> None:
    for site in sites:
        figures.add(site, page_counts(MadeUpPruning(), 1000))


def pages(figures: CrawlFigures) -> dict[str, int]:
    return {site: one["pages"] for site, one in figures.sites()}


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60), st.integers(1, 5), st.booleans())
def test_no_page_is_lost_however_few_sites_fit(seen: list[str], max_sites: int, stored: bool) -> None:
    figures = CrawlFigures(max_sites=max_sites)
    if stored:
        # ":memory:" gives this crawl a database of its own
        figures.open_store(":memory:", "spider")
    see(figures, *seen)
    found = dict(figures.sites())
    assert sum(one["pages"] for one in found.values()) == len(seen)
    assert merged(found.values()) == figures.total
    if stored:
        assert {site: one["pages"] for site, one in found.items()} == {
            site: seen.count(site) for site in seen
        }
    figures.close()


def test_without_a_store_the_sites_used_last_keep_figures_of_their_own() -> None:
    figures = CrawlFigures(max_sites=3)
    see(figures, "a", "b", "a", "c", "a", "d")
    assert pages(figures) == {"a": 3, "c": 1, "d": 1, OTHER_SITES: 1} or pages(figures) == {
        "a": 3,
        OTHER_SITES: 2,
        "d": 1,
    }


def test_everything_that_is_recorded_arrives_in_the_store(tmp_path: Path) -> None:
    figures = CrawlFigures()
    figures.open_store(tmp_path / "figures.sqlite", "spider")
    see(figures, "a")
    figures.add("a", {"items": 3})
    figures.add("b", {"pages_without_items": 1})
    figures.add("a", {"callback_errors": 7})
    figures.record_alarm("b", "fewer_items")
    figures.finish("finished")
    figures.close()
    with closing(FiguresStore(tmp_path / "figures.sqlite", create=False)) as store:
        found = dict(store.sites(store.last_crawl().id))
    assert (found["a"]["pages"], found["a"]["items"], found["a"]["callback_errors"]) == (1, 3, 7)
    assert found["b"] == {"pages_without_items": 1, "alarms/fewer_items": 1}


def test_a_store_that_cannot_be_opened_costs_the_file_not_the_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    figures = CrawlFigures()
    figures.open_store(tmp_path / "file" / "figures.sqlite", "spider")
    see(figures, "a")
    assert pages(figures) == {"a": 1}
    figures.finish("finished")
    figures.close()
    assert caplog.text.count("Per-site figures could not be written") == 1
    assert figures.store_errors > 1


def test_figures_that_could_not_be_written_are_written_with_the_next(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "scrapy_tps")
    figures = CrawlFigures(max_sites=10)
    figures.open_store(tmp_path / "figures.sqlite", "spider")
    with closing(sqlite3.connect(tmp_path / "figures.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        see(figures, "a", "b")
        assert not figures.flush()
        see(figures, "a")
        assert not figures.flush()
        other.execute("ROLLBACK")
    assert figures.flush()
    assert pages(figures) == {"a": 2, "b": 1}
    figures.close()
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_store_that_stays_locked_does_not_stall_every_new_site(tmp_path: Path) -> None:
    figures = CrawlFigures(max_sites=10)
    figures.open_store(tmp_path / "figures.sqlite", "spider")
    with closing(sqlite3.connect(tmp_path / "figures.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        see(figures, *(f"site {number}" for number in range(100)))
        assert figures.store_errors == 1
        other.execute("ROLLBACK")
    figures.finish("finished")
    found = dict(figures.sites())
    assert sum(one["pages"] for one in found.values()) == 100
    assert found[OTHER_SITES]["pages"] > 0
    figures.close()


def test_sites_come_with_most_pages_first() -> None:
    figures = CrawlFigures()
    see(figures, "a", "b", "b", "c")
    assert [site for site, _ in figures.sites()] == ["b", "a", "c"]
    assert [site for site, _ in figures.sites(limit=1)] == ["b"]
    assert isinstance(figures.total, SiteFigures)


def test_figures_are_incomplete_only_where_the_store_lacks_some(tmp_path: Path) -> None:
    figures = CrawlFigures()
    figures.open_store(tmp_path / "figures.sqlite", "spider")
    with closing(sqlite3.connect(tmp_path / "figures.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        see(figures, "a")
        assert not figures.flush()
        assert figures.incomplete
        other.execute("ROLLBACK")
    assert figures.flush()
    assert not figures.incomplete
    figures.close()


def test_names_and_numbers_of_a_spider_that_no_file_can_hold_cost_no_figures(tmp_path: Path) -> None:
    figures, known, items = CrawlFigures(), KnownFields(), PageItems("http://a.example/")
    figures.open_store(tmp_path / "figures.sqlite", "spider")
    items.add({"\ud800": 1})
    figures.add("a.example", {"pages": 1}, known.counts("parse", items))
    figures.record_alarm("b.example", "\ud800", 1.5)  # type: ignore[arg-type]
    assert figures.flush()
    assert [row.name for row in figures.uses()] == ["", "?"]
    assert dict(figures.sites())["b.example"] == {"alarms/?": 1}
    figures.close()


def test_made_up_names_cannot_fill_scrapys_stats() -> None:
    crawler = Crawler(Spider)
    stats = MemoryStatsCollector(crawler)
    figures = CrawlFigures(stats)
    for number in range(1000):
        figures.record_alarm("a", f"alarm {number}")
    figures.mirror()
    found = stats.get_stats()
    assert len(found) <= MAX_NAMES + 1
    assert sum(number for name, number in found.items() if name.startswith("tps/alarms/")) == 1000
