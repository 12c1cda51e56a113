"""The demo sites, read as text in seven ways with default settings: all items are those of a crawl without pruning."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.loader import ItemLoader

from tests.support.crawling import SEQUENTIAL, crawl
from tests.support.demo_sites import REMOVED_PARTS, PartsReader, ToDemoSites, demo_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

bs4 = pytest.importorskip("bs4", reason="BeautifulSoup is not installed")


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    with demo_sites() as address:
        yield address


class LoadsTexts(PartsReader):
    def read(self, response: Any, parts: list[str]) -> dict[str, Any]:
        loader = ItemLoader({}, response=response)
        for part in parts:
            loader.add_css(part, f"{part} ::text")
        return loader.load_item()


class LoadsBelow(PartsReader):
    def read(self, response: Any, parts: list[str]) -> dict[str, Any]:
        loader = ItemLoader({}, response=response)
        for part in parts:
            loader.nested_css(part).add_xpath(part, ".//a/@href")
        return loader.load_item()


class ReadsAll(PartsReader):
    def read(self, response: Any, parts: list[str]) -> dict[str, Any]:
        soup = bs4.BeautifulSoup(response.text, "lxml")
        return {part: [found.get_text() for found in soup.select(part)] for part in parts}


class ReadsFirst(PartsReader):
    def read(self, response: Any, parts: list[str]) -> dict[str, Any]:
        soup = bs4.BeautifulSoup(response.body, "html.parser")
        return {part: str(soup.select_one(part)) for part in parts}


class Guards(PartsReader):
    def read(self, response: Any, parts: list[str]) -> dict[str, Any] | None:
        gone = bs4.BeautifulSoup(response.text, "lxml").select_one(parts[-1])
        return None if gone else {"title": response.css("h1::text").get()}


class Matches(PartsReader):
    def read(self, response: Any, parts: list[str]) -> dict[str, Any]:
        classes = [part.partition(".")[2] or part for part in parts]
        found = {name: re.findall(rf'{name}"?[^<>]*>([^<]*)', response.text) for name in classes}
        return {"title": response.css("h1::text").get(), **found}


def check_items(spider: type[PartsReader], host: str, proxy: str, **settings: Any) -> None:
    """Check that a crawl with default settings gives the items of one without pruning."""

    def crawled(**others: Any) -> tuple[list[str], dict[str, Any]]:
        done = crawl(spider, settings | others, host=host)
        return sorted(json.dumps(item, sort_keys=True) for item in done.items), done.stats

    settings |= {"TPS_STRATEGY": "auto", "TPS_COMPARE": True}
    settings |= {"DEMO_SITES": proxy, "DOWNLOADER_MIDDLEWARES": {ToDemoSites: 1}}
    expected, _ = crawled(TPS_ENABLED=False)
    found, stats = crawled(**SEQUENTIAL)
    assert found == expected
    assert stats["tps/text/pages"] > 5
    # a page without items shows nothing, so the next one is compared
    assert stats["tps/compare/pages"] <= 6 + stats.get("tps/pages_without_items", 0)


@pytest.mark.parametrize("host", REMOVED_PARTS)
@pytest.mark.parametrize("spider", [LoadsTexts, LoadsBelow, ReadsAll, ReadsFirst, Guards, Matches])
def test_all_items_are_those_without_pruning(spider: type[PartsReader], host: str, proxy: str) -> None:
    check_items(spider, host, proxy)


@pytest.mark.parametrize("host", REMOVED_PARTS)
def test_all_items_of_page_objects_are_those_without_pruning(host: str, proxy: str) -> None:
    pytest.importorskip("scrapy_poet")
    from tests.support.poet_pages import PartsObjects

    check_items(PartsObjects, host, proxy, ADDONS={"scrapy_poet.Addon": 300, "scrapy_tps.Addon": 500})
