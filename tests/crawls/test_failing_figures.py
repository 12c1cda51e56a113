"""Whatever counts, samples, logs or reports may fail in a crawl over real HTTP: every page and item arrives."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request, Spider, signals
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy.statscollectors import StatsCollector

from scrapy_tps.pipelines.records import RecordSchemaPipeline
from scrapy_tps.records import Column
from scrapy_tps.spiders import RecordItem
from scrapy_tps.stats.store import FiguresStore
from tests.support.crawling import Crawled, crawl
from tests.support.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.mockserver import MockServer

PAGES = 12


class Broken(StatsCollector):
    """Raises whatever is asked of it, from the call number :attr:`sound` on."""

    sound = 0

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._calls = 0

    def _call(self, method: Any, *args: Any) -> Any:
        self._calls += 1
        if self._calls > self.sound:
            raise ConnectionError("the server of the stats is gone")
        return method(*args)

    def get_value(self, key: str, default: Any = None, spider: Any = None) -> Any:
        return self._call(super().get_value, key, default)

    def get_stats(self, spider: Any = None) -> Any:
        return self._call(super().get_stats)

    def set_value(self, key: str, value: Any, spider: Any = None) -> None:
        self._call(super().set_value, key, value)

    def set_stats(self, stats: Any, spider: Any = None) -> None:
        self._call(super().set_stats, stats)

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        self._call(super().inc_value, key, count, start)

    def max_value(self, key: str, value: Any, spider: Any = None) -> None:
        self._call(super().max_value, key, value)

    def min_value(self, key: str, value: Any, spider: Any = None) -> None:
        self._call(super().min_value, key, value)

    def clear_stats(self, spider: Any = None) -> None:
        self._call(super().clear_stats)

    def open_spider(self, spider: Any = None) -> None:
        self._call(super().open_spider)

    def close_spider(self, spider: Any = None, reason: Any = None) -> None:
        self._call(super().close_spider)


class BrokenInMidCrawl(Broken):
    sound = 150


class WholeNumbersOnly(StatsCollector):
    """Takes what redis' HINCRBY takes."""

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        if type(count) is not int:
            raise ValueError(f"{key}: value is not an integer: {count!r}")
        super().inc_value(key, count, start)


class Shop(Spider):
    """An item per page; the pages one after the other."""

    name = "shop"
    server: Any

    async def start(self) -> Any:
        for number in range(PAGES):
            yield Request(self.server(f"/shop?page={number}"))

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "title": response.css("title::text").get()}


class Rules(CrawlSpider):
    """Follows the links of the original listing."""

    name = "rules"
    server: Any
    rules = (Rule(LinkExtractor(allow=r"/product/\d+$"), callback="page"),)

    async def start(self) -> Any:
        yield Request(self.server("/shop"))

    def page(self, response: Any) -> Any:
        yield {"url": response.url, "title": response.css("title::text").get()}


def run(server: MockServer, settings: dict[str, Any], spider: type[Spider] = Shop) -> Crawled:
    return crawl(spider, {"CONCURRENT_REQUESTS": 1, **settings}, server=server)


def urls(crawled: Crawled) -> list[str]:
    return sorted(item["url"] for item in crawled.items)


def problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged of failures, but for the verdict at the end, which sums them up."""
    messages = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    return [message for message in messages if not message.startswith("Look at this")]


@pytest.mark.parametrize("spider", [Shop, Rules])
@pytest.mark.parametrize("collector", [Broken, BrokenInMidCrawl])
def test_a_collector_that_raises_costs_its_stats_and_nothing_else(
    server: MockServer,
    caplog: pytest.LogCaptureFixture,
    collector: type,
    spider: type[Spider],
    tmp_path: Path,
) -> None:
    file = tmp_path / "stats.sqlite"
    sound = run(server, {}, spider)
    assert len(sound.items) >= PAGES
    caplog.clear()
    settings = {
        "STATS_CLASS": collector,
        "TPS_STATS_FILE": str(file),
        "TPS_SHADOW": 0.5,
        "TPS_ITEM_FIELD": "tps",
        "TPS_SAMPLES": 1,
        "TPS_SAMPLES_FILE": str(tmp_path / "samples.sqlite"),
        "TPS_REPORT": str(tmp_path / "report.json"),
        "LOGSTATS_INTERVAL": 0.01,
    }
    found = run(server, settings, spider)
    assert urls(found) == urls(sound)
    [problem] = problems(caplog)
    assert "Look at this: what goes on beside the crawl failed: stats (" in caplog.text
    assert "The stats collector fails: ConnectionError: the server of the stats is gone" in problem
    assert "STATS_CLASS" in problem
    with closing(FiguresStore(file, create=False)) as store:
        [(_, figures)] = store.sites(store.last_crawl().id)
    assert figures.items == len(sound.items)
    assert (tmp_path / "report.json").exists()


def test_a_collector_of_whole_numbers_has_every_figure(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    found = run(server, {"STATS_CLASS": WholeNumbersOnly})
    assert len(found.items) == PAGES
    assert not problems(caplog)
    assert found.stats["tps/pages"] == found.stats["tps/items"] == PAGES
    assert found.stats["tps/microseconds"] > 0
    assert all(type(value) is int for key, value in found.stats.items() if key.startswith("tps/"))


class Saboteur:
    """Ruins the files that the crawl writes, once its first pages are through."""

    def __init__(self, crawler: Any) -> None:
        self._files = crawler.settings.getlist("RUINED")
        self._responses = 0
        crawler.signals.connect(self.response_received, signal=signals.response_received)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Saboteur:
        return cls(crawler)

    def response_received(self) -> None:
        self._responses += 1
        if self._responses == PAGES // 2:
            self._ruin()

    def _ruin(self) -> None:
        for file, table in self._files:
            with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                connection.execute(f"DROP TABLE {table}")


@pytest.mark.parametrize(
    ("table", "message"),
    [("site", "Per-site figures could not be written"), ("sample", "Samples could not be kept")],
)
def test_a_file_that_fails_in_mid_crawl_costs_its_figures_and_nothing_else(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path, table: str, message: str
) -> None:
    files = {"site": str(tmp_path / "stats.sqlite"), "sample": str(tmp_path / "samples.sqlite")}
    found = run(
        server,
        {
            "TPS_STATS_FILE": files["site"],
            "TPS_STATS_INTERVAL": 0.1,
            "TPS_SAMPLES": 2,
            "TPS_SAMPLES_FILE": files["sample"],
            "TPS_REPORT": str(tmp_path / "report.json"),
            "EXTENSIONS": {Saboteur: 0},
            "RUINED": [(files[table], table)],
        },
    )
    assert len(found.items) == PAGES
    [problem] = problems(caplog)
    assert message in problem
    assert f"no such table: {table}" in problem
    assert found.stats["tps/pages"] == PAGES


class LateSaboteur(Saboteur):
    """Ruins them when everything is written, before it is read for the verdict."""

    def __init__(self, crawler: Any) -> None:
        self._files = crawler.settings.getlist("RUINED")
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_closed(self) -> None:
        self._ruin()


def test_a_file_that_cannot_be_read_for_the_verdict_is_a_finding_of_it(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    file = str(tmp_path / "stats.sqlite")
    settings = {"TPS_STATS_FILE": file, "EXTENSIONS": {LateSaboteur: 0}, "RUINED": [(file, "site")]}
    found = run(server, settings, Menus)
    assert len(found.items) == PAGES
    assert "All well" not in caplog.text
    assert "Look at this: figures of this crawl are missing in TPS_STATS_FILE" in caplog.text
    assert found.stats["tps/findings"] == 1


class OwnItems(Shop):
    """Its items raise what no item raises when a field is set."""

    class Item(dict[str, Any]):
        def __setitem__(self, key: str, value: Any) -> None:
            raise RuntimeError("read only")

    def parse(self, response: Any) -> Any:
        yield self.Item(url=response.url)


def test_an_item_that_resists_being_stamped_arrives(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    found = run(server, {"TPS_ITEM_FIELD": "tps"}, OwnItems)
    assert len(found.items) == PAGES
    [problem] = problems(caplog)
    assert "can't have the field tps" in problem


class Unspeakable(logging.Handler):
    """A handler of the user's that fails on what scrapy-tps logs."""

    def emit(self, record: logging.LogRecord) -> None:
        raise OSError("no space left on device")


@pytest.fixture
def unlogged() -> Iterator[None]:
    """A crawl whose log can't be written."""
    handler, package = Unspeakable(), logging.getLogger("scrapy_tps")
    package.addHandler(handler)
    level = package.level
    package.setLevel(logging.DEBUG)
    yield
    package.setLevel(level)
    package.removeHandler(handler)


@pytest.mark.usefixtures("unlogged")
def test_a_log_that_cannot_be_written_costs_no_page(server: MockServer) -> None:
    found = run(server, {"TPS_STRATEGY": "tests.crawls.test_failing_figures.Fails", "STATS_CLASS": Broken})
    assert len(found.items) == PAGES
    assert found.crawler.stats.sites.total.outcomes == {"error": PAGES}


class Menus(Shop):
    """Wants what pruning takes away, and is not heard."""

    custom_settings: ClassVar[dict[str, Any]] = {"TPS_ASK": False}

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "categories": response.css("nav a::text").getall()}


@pytest.mark.usefixtures("unlogged")
def test_a_log_that_cannot_be_written_keeps_no_loss_from_being_made_good(server: MockServer) -> None:
    whole = run(server, {"TPS_DOMAINS": {"*": False}}, Menus)
    checked = run(server, {"TPS_SHADOW": 1}, Menus)
    assert any(item["categories"] for item in whole.items)
    assert sorted(checked.items, key=str) == sorted(whole.items, key=str)


class Drifting(Shop):
    """Records whose columns change from page to page."""

    def parse(self, response: Any) -> Any:
        name = "name" + response.url.partition("=")[2]
        item = RecordItem({name: "Mill", "page_url": response.url, "position": 0, "confidence": 1.0})
        item.columns = [Column(name, "text")]
        yield item


class Stubborn(dict[str, Any]):
    """Can't be copied."""

    def copy(self) -> Any:
        raise RuntimeError("one of a kind")


class Uncopied(Shop):
    """Its requests and items hold what can't be copied."""

    async def start(self) -> Any:
        for number in range(PAGES):
            yield Request(self.server(f"/shop?page={number}"), cb_kwargs={"carried": Stubborn()})

    def parse(self, response: Any, carried: Any = None) -> Any:
        yield Stubborn(url=response.url)
        yield {"url": response.url, "second": True}


@pytest.mark.usefixtures("unlogged")
def test_a_log_that_cannot_be_written_costs_no_item_of_a_page_that_is_checked(server: MockServer) -> None:
    found = run(server, {"TPS_SHADOW": 1}, Uncopied)
    assert len(found.items) == 2 * PAGES


@pytest.mark.usefixtures("unlogged")
def test_a_log_that_cannot_be_written_costs_no_record(server: MockServer) -> None:
    found = run(server, {"ITEM_PIPELINES": {RecordSchemaPipeline: 300}}, Drifting)
    assert len(found.items) == PAGES


class Fails:
    """A strategy that fails on every page."""

    size_ratio = 0.2

    def select(self, *args: Any) -> Any:
        raise RuntimeError("no idea")


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A file that another connection has locked, for reading and writing."""
    path = tmp_path / "locked.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE other (a)")
        other.execute("BEGIN EXCLUSIVE")
        yield path


class Pace:
    """Notes for how long the event loop stood still, from the first page to the last."""

    longest = 0.0
    total = 0.0

    def __init__(self, crawler: Any) -> None:
        from scrapy.utils.asyncio import create_looping_call

        type(self).longest = type(self).total = 0.0
        self._last: float | None = None
        self._task = create_looping_call(self._tick)
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._idle, signal=signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Pace:
        return cls(crawler)

    def _opened(self) -> None:
        self._task.start(0.02, now=False)

    def _idle(self) -> None:
        self._task.stop()

    def _tick(self) -> None:
        now = time.monotonic()
        if self._last is not None:
            type(self).longest = max(self.longest, now - self._last)
            type(self).total += max(now - self._last - 0.3, 0.0)
        self._last = now


@pytest.mark.parametrize("setting", ["TPS_STATS_FILE", "TPS_SAMPLES_FILE"])
def test_a_file_that_stays_locked_from_the_start_hardly_keeps_a_crawl(
    server: MockServer, caplog: pytest.LogCaptureFixture, locked: Path, setting: str
) -> None:
    settings = {setting: str(locked), "TPS_STATS_INTERVAL": 0.1, "DOWNLOAD_DELAY": 0.1}
    started = time.monotonic()
    found = run(
        server, {**settings, "TPS_SAMPLES": int(setting == "TPS_SAMPLES_FILE"), "EXTENSIONS": {Pace: 0}}
    )
    assert time.monotonic() - started < 25
    assert len(found.items) == PAGES
    assert Pace.longest < 5
    [problem] = problems(caplog)
    assert "database is locked" in problem


class Locker:
    """Locks the crawl's own file in mid-crawl and, where asked to, lets it go before the end."""

    def __init__(self, crawler: Any) -> None:
        self._file, self._held = crawler.settings["LOCKED"], crawler.settings.getint("LOCKED_FOR")
        self._items = 0
        self.connection: sqlite3.Connection | None = None
        crawler.signals.connect(self.item_scraped, signal=signals.item_scraped)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Locker:
        return cls(crawler)

    def item_scraped(self) -> None:
        self._items += 1
        if self._items == 2:
            self.connection = sqlite3.connect(self._file, isolation_level=None)
            self.connection.execute("BEGIN EXCLUSIVE")
        elif self._items == 2 + self._held and self.connection is not None:
            self.connection.close()


@pytest.mark.parametrize("held", [5, 100])
def test_a_file_that_is_locked_in_mid_crawl_is_waited_for_once(
    server: MockServer, caplog: pytest.LogCaptureFixture, tmp_path: Path, held: int
) -> None:
    file = tmp_path / "stats.sqlite"
    settings = {
        "TPS_STATS_FILE": str(file),
        "TPS_STATS_INTERVAL": 0.1,
        "TPS_REPORT": [str(tmp_path / name) for name in ("a.json", "b.txt", "c.csv")],
        "EXTENSIONS": {Pace: 0, Locker: 1},
        "LOCKED": str(file),
        "LOCKED_FOR": held,
        "DOWNLOAD_DELAY": 0.15,
    }
    started = time.monotonic()
    found = run(server, settings)
    assert time.monotonic() - started < 25
    assert len(found.items) == PAGES
    assert Pace.total < 2.5
    [problem] = problems(caplog)
    assert "database is locked" in problem
    locker = next(one for one in found.crawler.extensions.middlewares if isinstance(one, Locker))
    locker.connection.close()
    with closing(FiguresStore(file, create=False)) as store:
        crawls = store.crawls()
        if held < PAGES:
            [(_, figures)] = store.sites(crawls[-1].id)
            assert (crawls[-1].reason, figures.pages) == ("finished", PAGES)
    assert (tmp_path / "a.json").exists()


def test_a_file_that_is_free_again_gets_the_crawl_from_its_start(
    server: MockServer, locked: Path, tmp_path: Path
) -> None:
    file = tmp_path / "stats.sqlite"
    holder = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(1.5, holder.close)
    timer.start()
    try:
        run(server, {"TPS_STATS_FILE": str(file), "TPS_STATS_INTERVAL": 0.1, "DOWNLOAD_DELAY": 0.2})
    finally:
        timer.join()
    with closing(FiguresStore(file, create=False)) as store:
        [(_, figures)] = store.sites(store.last_crawl("shop").id)
    assert (figures.pages, figures.items) == (PAGES, PAGES)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[int]:
    """The port of a real redis server."""
    with RedisServer(tmp_path, appendonly="no") as running:
        yield running.port


@needs_redis
@pytest.mark.skipif(find_spec("scrapy_redis") is None, reason="scrapy-redis is not installed")
@pytest.mark.filterwarnings("ignore")  # scrapy-redis is written for an earlier Scrapy
def test_stats_may_go_to_redis(server: MockServer, redis: int, caplog: pytest.LogCaptureFixture) -> None:
    from redis import Redis

    found = run(
        server,
        {
            "STATS_CLASS": "scrapy_redis.stats.RedisStatsCollector",
            "REDIS_PORT": redis,
            "SCHEDULER_PERSIST": True,
        },
    )
    assert len(found.items) == PAGES
    with closing(Redis(port=redis)) as connection:
        stats = connection.hgetall("shop:stats")
    assert int(stats[b"tps/pages"]) == int(stats[b"tps/items"]) == PAGES
    assert int(stats[b"tps/microseconds"]) > 0
    assert int(stats[b"response_received_count"]) == PAGES


class Refused(HtmlResponse):
    """A class that can't be combined with another."""

    def __init_subclass__(cls) -> None:
        raise TypeError("no subclasses")


class Refuses:
    """Gives pages that class."""

    def process_response(self, request: Any, response: Any) -> Any:
        return response.replace(cls=Refused)


@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize("enabled", [True, False])
def test_a_log_that_cannot_be_written_costs_no_page_of_a_class_of_its_own(
    server: MockServer, enabled: bool
) -> None:
    found = run(server, {"TPS_ENABLED": enabled, "DOWNLOADER_MIDDLEWARES": {Refuses: 546}})
    assert len(found.items) == PAGES
