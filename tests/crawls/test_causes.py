"""What the summary of a crawl says about causes is what the crawl has shown."""

from __future__ import annotations

from ast import literal_eval
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from parsel import Selector
from scrapy import Request, Spider

from tests.support.crawling import SEQUENTIAL, crawl
from tests.support.shop_pages import listing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from tests.support.mockserver import MockServer


class Shop(Spider):
    name = "shop"
    pages = 12
    url: str

    async def start(self) -> AsyncIterator[Request]:
        for number in range(self.pages):
            yield Request(f"{self.url}?number={number}")


class Menus(Shop):
    def parse(self, response: Any) -> Iterator[Any]:
        yield {
            "url": response.url,
            "product": response.css("div.product h2 a::text").get(),
            "menu": response.css("nav.mega a.menu-link::text").get(),
        }


def summary(caplog: pytest.LogCaptureFixture) -> str:
    """The summary that ends the log."""
    return next(one.getMessage() for one in reversed(caplog.records) if one.name == "scrapy_tps.extensions")


def test_matches_that_pruning_may_have_removed_are_no_change_of_the_site(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    dropped = {"TPS_FALLBACK": False, "TPS_COMPARE": False, "TPS_LINKS": "pruned"}
    crawled = crawl(Menus, dropped, url=server("/shop"))
    assert not any(item["menu"] for item in crawled.items)
    said = summary(caplog)
    assert (
        "menu of dict (callback parse): blank in all 12 items; nav.mega a.menu-link::text finds nothing."
        in said
    )
    assert "See whether pruning is the cause." in said
    assert "the site has changed" not in said


@pytest.mark.parametrize("reads", [False, True])
def test_pages_that_pruning_left_without_values_are_not_called_others(
    server: MockServer, caplog: pytest.LogCaptureFixture, reads: bool
) -> None:
    class Asking(Shop):
        custom_settings: ClassVar[dict[str, Any]] = SEQUENTIAL

        async def start(self) -> AsyncIterator[Request]:
            for page in (1, *[2] * self.pages):
                yield Request(
                    f"{self.url}?page={page}", dont_filter=True, meta={"tps": page > 1}, priority=-page
                )

        def parse(self, response: Any) -> Iterator[Any]:
            page = Selector(response.text) if reads else response
            names = ("nav.mega", "nav.foot", "nav.mega a", "nav.foot a", "a.only", "a.next")
            yield {name: page.css(f"{name}::attr(class)").get() for name in names}

    caplog.set_level("INFO")
    lossy = {"TPS_FALLBACK": reads, "TPS_COMPARE": False}
    crawl(Asking, lossy, url=server("/shop"))
    said = summary(caplog)
    assert "13 pages" in said
    assert "almost nothing" not in said


class Reading(Shop):
    """Reads the text of files."""

    pages = 3

    async def start(self) -> AsyncIterator[Request]:
        for number in range(self.pages):
            yield Request(f"{self.url}{number}.html")

    def parse(self, response: Any) -> Any:
        return {"menu": Selector(response.text).css("nav.mega a.menu-link::text").get()}


class FailingInfo(Shop):
    """Callbacks that fail, next to one with a selector that finds nothing."""

    def parse(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url, "sale": response.css(".sale::text").get()}
        yield Request(f"{response.url}&info", self.parse_info)
        yield Request(f"{response.url}&more", self.parse_more)

    def parse_info(self, response: Any) -> None:
        self.fail(response.url)

    def parse_more(self, response: Any) -> None:
        raise KeyError("colour")

    def fail(self, url: str) -> None:
        raise ValueError(url)


def test_a_failing_callback_is_not_explained_by_the_selectors_of_another(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    crawl(FailingInfo, url=server("/shop"))
    said = summary(caplog)
    assert "the callback failed on 24 pages: KeyError: 'colour' (test_causes.py, line " in said
    assert ", callback parse_more), and 12 other errors.\n     See whether pruning is the cause." in said
    assert "sale of dict (callback parse): blank in all 12 items" in said


def test_a_failing_callback_is_explained_by_its_own_selectors(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Shop):
        pages = 40

        def parse(self, response: Any) -> Any:
            return self.fail(response.url, response.css(".sale::text").get())

        def fail(self, url: str, sale: Any) -> None:
            raise TypeError(url, sale)

    crawl(Failing, url=server("/shop"))
    said = summary(caplog)
    assert "the callback failed on 40 pages: TypeError: " in said
    assert ", callback parse), and 32 other errors; .sale::text finds nothing, neither on the pages" in said


def test_items_of_an_errback_are_not_those_of_the_callback(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Recording(Shop):
        custom_settings: ClassVar[dict[str, Any]] = SEQUENTIAL

        async def start(self) -> AsyncIterator[Request]:
            for number in range(24):
                page = "no-such-page" if number < 12 else "shop"
                url = f"{self.url}/{page}?number={number}"
                yield Request(url, errback=self.failed, priority=-number)

        def failed(self, failure: Any) -> Iterator[Any]:
            yield {"url": failure.value.response.url, "why": repr(failure.value)}

        def parse(self, response: Any) -> Iterator[Any]:
            yield {"url": response.url, "title": response.css("h2 a::text").get()}

    crawl(Recording, url=server("").rstrip("/"))
    said = summary(caplog)
    assert "12 of 24 requests failed by HTTP 404" in said
    assert "why of dict" not in said
    assert "title of dict" not in said


def test_pages_on_which_pruning_failed_are_among_those_not_pruned(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Asking(Shop):
        async def start(self) -> AsyncIterator[Request]:
            for number, wish in enumerate((True, False, "no")):
                yield Request(f"{self.url}?number={number}", meta={"tps": wish})

        def parse(self, response: Any) -> Any:
            return {"outcome": response.tps.outcome}

    crawl(Asking, url=server("/shop"))
    said = summary(caplog)
    assert "2 of 3 pages not pruned, so nothing is missing: error 1 (pruning it failed); excluded 1 (" in said


def test_the_setting_for_pages_without_a_host_is_one_that_settings_allow(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    for number in range(Reading.pages):
        (tmp_path / f"{number}.html").write_text(listing(), encoding="utf-8")
    crawl(Reading, url=f"{tmp_path.as_uri()}/")
    said = next(one.getMessage() for one in caplog.records if "to keep it from the start" in one.getMessage())
    domains = literal_eval(said.partition("TPS_DOMAINS = ")[2])
    caplog.clear()
    crawled = crawl(Reading, {"TPS_DOMAINS": domains}, url=f"{tmp_path.as_uri()}/")
    assert [item["menu"] for item in crawled.items] == ["Category 0"] * Reading.pages
    assert "to keep it from the start" not in caplog.text
