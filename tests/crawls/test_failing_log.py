"""A log that cannot be written, in a crawl over real HTTP: every page and item arrives."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_tps.pipelines.records import RecordSchemaPipeline
from scrapy_tps.records import Column
from scrapy_tps.spiders import RecordItem
from tests.support.failing import PAGES, Broken, Menus, Shop, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.mockserver import MockServer


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
    found = run(server, {"TPS_STRATEGY": "tests.crawls.test_failing_log.Fails", "STATS_CLASS": Broken})
    assert len(found.items) == PAGES
    assert found.crawler.stats.sites.total.group("outcome") == {"error": PAGES}


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
