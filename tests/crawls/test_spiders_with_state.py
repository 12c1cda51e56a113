"""Comparisons leave the spider's own state as a crawl without them does."""

from __future__ import annotations

import logging
import re
from functools import partial
from typing import Any

import pytest
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from tests.support.crawling import SEQUENTIAL
from tests.support.text_crawls import Serve, same
from tests.support.text_sites import PAGES, Field, RandomSite
from tests.support.text_spiders import Soups


class Numbers(Soups):
    """Goes from page to page by a number of its own, and numbers the items."""

    number = 0

    def parse(self, response: Any) -> Any:
        yield scrapy.Request(f"{self.url}/item/1", self.parse_item, cb_kwargs={"item": {}})

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        self.number += 1
        yield {"number": self.number, **self.read(response)}
        if self.number < PAGES:
            yield scrapy.Request(
                f"{self.url}/item/{self.number + 1}", self.parse_item, cb_kwargs={"item": {}}
            )


class NumbersByRules(CrawlSpider):
    """Numbers the pages that its rule follows."""

    name = "numbers_by_rules"
    url = ""
    rules = (Rule(LinkExtractor(allow="/item/", restrict_css="li.card"), callback="parse_item"),)
    number = 0

    async def start(self) -> Any:
        yield scrapy.Request(self.url)

    def parse_item(self, response: Any) -> Any:
        self.number += 1
        yield {"number": self.number}
        yield {"stock": re.findall(r"Stock \d+", response.text)}


class NumbersByFunctions(Soups):
    """Numbers the pages; its callbacks are no methods."""

    number = 0

    def parse(self, response: Any) -> Any:
        for link in response.css("li.card a"):
            callbacks = (partial(self.parse_item, item={}), lambda page: self.parse_item(page, {}))
            yield response.follow(link, callbacks[len(link.attrib["href"]) % 2])

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        self.number += 1
        yield {"number": self.number, **self.read(response)}


class Parser:
    """Parses for a spider, and numbers the pages."""

    number = 0

    def __init__(self, read: Any) -> None:
        self.read = read

    def __call__(self, response: Any, item: dict[str, Any]) -> Any:
        self.number += 1
        yield {"number": self.number, **self.read(response)}


class NumbersByObjects(Soups):
    """Its callbacks are objects and methods of objects."""

    def parse(self, response: Any) -> Any:
        parsers = [Parser(self.read), Parser(self.read).__call__]
        for number, link in enumerate(response.css("li.card a")):
            yield response.follow(link, parsers[number % 2], cb_kwargs={"item": {}})


@pytest.mark.parametrize("spider", [Numbers, NumbersByRules, NumbersByFunctions, NumbersByObjects])
def test_further_run_does_not_change_attributes_of_the_spider(spider: type[Any], serve: Serve) -> None:
    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    assert same(spider, url, **SEQUENTIAL)["tps/compare/kept"] == 1


class Seen(set[str]):
    """A container that further runs share with the spider."""


class GivesOnce(Soups):
    """Gives nothing twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen = Seen()

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        found = self.read(response)
        if response.url not in self.seen:
            self.seen.add(response.url)
            yield found


class Sealed(dict[str, Any]):
    """An item that cannot be copied."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("sealed")


class HoldsSealed(Soups):
    """Numbers the items, in an item that cannot be copied."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.last = Sealed(number=0)

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        self.last["number"] += 1
        yield self.read(response) | self.last


@pytest.mark.parametrize("spider", [GivesOnce, HoldsSealed])
def test_callback_that_cannot_be_compared_reads_all_as_downloaded_and_the_summary_says_so(
    spider: type[Any], serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        stats = same(spider, serve(RandomSite(1)), **SEQUENTIAL)
    assert stats["tps/compare/failed"] == 1
    assert "The comparison failed on 1 page read as text, so the callback reads later pages" in caplog.text
