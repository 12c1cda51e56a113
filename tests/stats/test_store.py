from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.report.crawl_report import crawl_title
from scrapy_tps.stats.coverage import UseKey
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import MAX_NAMES, SiteFigures, merged
from scrapy_tps.stats.store import FiguresStore
from tests.support.figures import MadeUpPruning, figures_of, site_figures

if TYPE_CHECKING:
    from pathlib import Path

sites = st.dictionaries(st.sampled_from(["a.example", "b.example", "c.example"]), site_figures())


@pytest.fixture
def store(tmp_path: Path):
    with closing(FiguresStore(tmp_path / "new" / "figures.sqlite")) as opened:
        yield opened


@given(st.lists(sites, max_size=3), st.lists(sites, max_size=3))
def test_figures_written_in_parts_are_the_sum_of_the_parts(first: list, second: list) -> None:
    with closing(FiguresStore(":memory:")) as store:
        crawls = []
        for parts in (first, second):
            crawls.append(store.begin_crawl("spider"))
            for part in parts:
                store.add(crawls[-1], part)
        for crawl, written in zip(crawls, (first, second), strict=True):
            expected = {
                name: merged(part[name] for part in written if name in part) for name in _names(written)
            }
            found = list(store.sites(crawl))
            assert dict(found) == expected
            assert found == sorted(found, key=lambda pair: (-pair[1]["pages"], pair[0]))
            assert list(store.sites(crawl, limit=1)) == found[:1]


def _names(parts: list[dict[str, SiteFigures]]) -> set[str]:
    return {name for part in parts for name in part}


def test_a_crawl_is_known_by_number_spider_times_and_reason(store: FiguresStore) -> None:
    running = store.begin_crawl("shop")
    done = store.begin_crawl("forum")
    store.add(done, {"a.example": figures_of(MadeUpPruning())}, "shutdown")
    crawl = store.last_crawl()
    assert (crawl.id, crawl.spider, crawl.reason) == (done, "forum", "shutdown")
    assert crawl.finished is not None
    assert crawl.started <= crawl.finished == crawl.written
    assert store.last_crawl("shop").id == running
    assert store.crawl(running).finished is None
    assert [one.id for one in store.crawls()] == [running, done]
    assert len(list(store.sites(done))) == 1
    assert len(list(store.sites(running))) == 0


def test_unknown_crawls_are_named(store: FiguresStore) -> None:
    with pytest.raises(StoreError, match="no crawl yet"):
        store.last_crawl()
    with pytest.raises(StoreError, match="no crawl 7"):
        store.crawl(7)
    with pytest.raises(StoreError, match="no crawl of spider 'shop'"):
        store.last_crawl("shop")


def test_a_failed_write_leaves_nothing_behind(store: FiguresStore) -> None:
    crawl = store.begin_crawl("spider")
    too_large = SiteFigures(pages=2**70)
    with pytest.raises(StoreError, match="too large"):
        store.add(crawl, {"a.example": figures_of(MadeUpPruning()), "b.example": too_large})
    store.add(crawl, {"c.example": figures_of(MadeUpPruning())})
    assert [site for site, _ in store.sites(crawl)] == ["c.example"]


def test_reading_does_not_create_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        FiguresStore(tmp_path / "figures.sqlite", create=False)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    path.write_text("not a database " * 100)
    with pytest.raises(StoreError, match="not a database"):
        FiguresStore(path)
    assert path.read_text() == "not a database " * 100


def test_tables_of_another_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(
        StoreError, match=r"another version of scrapy-tps \(tables 99, not \d+\); if you move it away"
    ):
        FiguresStore(path)


def test_a_write_gives_up_while_another_program_holds_the_file(store: FiguresStore) -> None:
    crawl = store.begin_crawl("spider")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.wait(0.01)
        with pytest.raises(StoreError, match="locked"):
            store.add(crawl, {"a.example": figures_of(MadeUpPruning())})
        other.execute("ROLLBACK")
    store.add(crawl, {"a.example": figures_of(MadeUpPruning())})
    assert len(list(store.sites(crawl))) == 1


def test_a_reader_sees_the_last_write_while_the_next_is_under_way(store: FiguresStore) -> None:
    crawl = store.begin_crawl("spider")
    store.add(crawl, {"a.example": figures_of(MadeUpPruning())})
    with closing(sqlite3.connect(store.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE figure SET n = 100 WHERE name = 'pages'")
        with closing(FiguresStore(store.path, create=False)) as reader:
            assert [figures["pages"] for _, figures in reader.sites(crawl)] == [1]


def _write_often(path: Path, crawl: int | None, times: int) -> None:
    with closing(FiguresStore(path)) as store:
        if crawl is None:
            crawl = store.begin_crawl("own")
        for _ in range(times):
            store.add(crawl, {"a.example": figures_of(MadeUpPruning())})


def _run_together(*arguments: tuple[Path, int | None, int]) -> list[int | None]:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_often, args=one) for one in arguments]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return [writer.exitcode for writer in writers]


def test_processes_that_create_the_file_and_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    assert _run_together(*[(path, None, 25)] * 4) == [0] * 4
    with closing(FiguresStore(path)) as store:
        assert [one["pages"] for crawl in store.crawls() for _, one in store.sites(crawl.id)] == [25] * 4
        shared = store.begin_crawl("shared")
    assert _run_together(*[(path, shared, 25)] * 4) == [0] * 4
    with closing(FiguresStore(path, create=False)) as store:
        assert [figures["pages"] for _, figures in store.sites(shared)] == [100]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("content", ["foreign", "empty", "bytes"])
def test_files_that_are_not_ours_are_left_as_they_are(tmp_path: Path, content: str, create: bool) -> None:
    path = tmp_path / "mine.sqlite"
    if content == "foreign":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE mine (a)")
    else:
        path.write_bytes(b"" if content == "empty" else bytes(range(256)) * 20)
    before = path.read_bytes()
    if content == "empty" and create:
        FiguresStore(path, create=create).close()  # a file that somebody has made ready
        return
    with pytest.raises(StoreError, match="not a"):
        FiguresStore(path, create=create)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    with closing(FiguresStore(path)) as store:
        store.begin_crawl("shop")
    with closing(FiguresStore(path, create=False)) as reader, pytest.raises(StoreError, match="readonly"):
        reader.begin_crawl("shop")


@pytest.mark.parametrize(
    ("table", "column"), [("figure", "n"), ("use", "dry"), ("use", "sketch"), ("figure", "site")]
)
def test_the_file_takes_nothing_from_another_program_that_reports_cannot_read(
    store: FiguresStore, table: str, column: str
) -> None:
    figures = figures_of(MadeUpPruning())
    figures.uses.of(UseKey("parse", "", "h1"))
    store.add(store.begin_crawl("shop"), {"a.example": figures})
    value = "NULL" if column == "site" else "'x'"
    with closing(sqlite3.connect(store.path)) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(f"UPDATE {table} SET {column} = {value}")


def test_a_time_without_its_zone_is_utc(store: FiguresStore) -> None:
    number = store.begin_crawl("shop")
    store.add(number, {}, "finished")
    store._connection.execute("UPDATE crawl SET started = '2026-01-01'")
    crawl = store.crawl(number)
    assert "started 2026-01-01 00:00:00 UTC, finished after" in crawl_title(crawl)


def test_a_damaged_crawl_is_not_the_last_one(store: FiguresStore) -> None:
    first, second = store.begin_crawl("shop"), store.begin_crawl("shop")
    store._connection.execute("UPDATE crawl SET started = 'x' WHERE id = ?", (second,))
    assert store.last_crawl("shop").id == first
    store._connection.execute("UPDATE crawl SET started = 'x'")
    with pytest.raises(StoreError, match=r"figures\.sqlite: crawl .*'x'"):
        store.last_crawl("shop")


def test_figures_of_a_crawl_that_was_not_entered_are_refused(store: FiguresStore) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        store.add(999, {"a.example": figures_of(MadeUpPruning())})


def test_names_that_are_told_apart_are_bounded(store: FiguresStore) -> None:
    crawl = store.begin_crawl("spider")
    for number in range(3):
        titles = {f"sparse/{number} {other}": 1 for other in range(MAX_NAMES)}
        store.add(crawl, {"a.example": SiteFigures({"pages": MAX_NAMES, **titles})})
    [(_, figures)] = store.sites(crawl)
    assert len(figures.group("sparse")) == MAX_NAMES + 1
    assert sum(figures.group("sparse").values()) == figures["pages"] == 3 * MAX_NAMES
