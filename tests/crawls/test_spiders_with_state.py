"""Comparisons leave the spider's own state as a crawl without them does."""

from __future__ import annotations

import logging
import random
import re
from asyncio import Lock
from functools import partial
from queue import Queue
from typing import Any

import pytest
import scrapy
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_tps.shadow.copies import MOST_ENTRIES
from tests.support.crawling import SEQUENTIAL
from tests.support.text_crawls import Serve, items, same
from tests.support.text_sites import PAGES, Field, RandomSite
from tests.support.text_spiders import Soups, TextSpider


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


class NumbersInStats(Soups):
    """Numbers the items by a count of the crawl's stats."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        self.crawler.stats.inc_value("number")
        yield {"number": self.crawler.stats.get_value("number"), **self.read(response)}


class TakesNext(Soups):
    """Goes from page to page by an iterator of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.links: Any = iter([f"{self.url}/item/{number}" for number in range(1, PAGES + 1)])

    def take(self) -> Any:
        return next(self.links, None)

    def parse(self, response: Any) -> Any:
        if link := self.take():
            yield scrapy.Request(link, self.parse_item, cb_kwargs={"item": {}})

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        yield self.read(response)
        yield from self.parse(response)


class Queues(TakesNext):
    """Goes from page to page by a queue."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        links, self.links = self.links, Queue()
        for link in (*links, None):
            self.links.put(link)

    def take(self) -> Any:
        return self.links.get_nowait()


class Generates(TakesNext):
    """Goes from page to page by a generator, which cannot be copied."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.links = (link for link in list(self.links))


class Pops(TakesNext):
    """Goes from page to page by a list that is too large to be copied."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.links = [None] * MOST_ENTRIES + list(self.links)[::-1]

    def take(self) -> Any:
        return self.links.pop()


@pytest.mark.parametrize(
    "spider",
    [Numbers, NumbersByRules, NumbersByFunctions, NumbersByObjects, NumbersInStats, TakesNext, Queues],
)
def test_further_run_changes_neither_attributes_nor_stats_of_the_spider(
    spider: type[Any], serve: Serve
) -> None:
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


class Downloads(Soups):
    """Downloads another page for each item, by the engine of the crawl."""

    async def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        other = await self.crawler.engine.download_async(scrapy.Request(self.url))
        yield self.read(response) | {"title": other.css("title::text").get()}


@pytest.mark.parametrize("spider", [GivesOnce, HoldsSealed, Generates, Pops, Downloads])
def test_callback_that_cannot_be_compared_reads_all_as_downloaded_and_the_summary_says_so(
    spider: type[Any], serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        stats = same(spider, serve(RandomSite(1)), **SEQUENTIAL)
    assert stats["tps/compare/failed"] == 1
    assert "The comparison failed on 1 page read as text, so the callback reads later pages" in caplog.text


class KeepsTexts(TextSpider):
    """Keeps the text of each page under its address, in an object that further runs share."""

    class Texts(Lock):
        def __init__(self) -> None:
            super().__init__()
            self._texts: dict[str, str] = {}

        def of(self, response: Any) -> str:
            if response.url not in self._texts:
                self._texts[response.url] = response.text
            return self._texts[response.url]

    def __init__(self, *arguments: Any, **names: Any) -> None:
        super().__init__(*arguments, **names)
        self.texts = self.Texts()

    def read(self, response: Any) -> dict[str, Any]:
        return {"stock": re.findall(r"Stock \d+", self.texts.of(response))}


class KeepingResponse(HtmlResponse):
    """Keeps what was found in it."""

    def stock(self) -> list[str]:
        if not hasattr(self, "_stock"):
            self._stock = re.findall(r"Stock \d+", self.text)
        return self._stock


class MakesKeepingResponses:
    """Gives all pages the class above."""

    def process_response(self, request: Any, response: Any) -> Any:
        return response.replace(cls=KeepingResponse)


class AsksResponses(TextSpider):
    """Asks pages that keep what they have answered."""

    def read(self, response: Any) -> dict[str, Any]:
        return {"stock": response.stock()}


@pytest.mark.parametrize("spider", [KeepsTexts, AsksResponses])
def test_what_a_first_run_has_kept_is_not_taken_for_what_the_second_one_reads(
    spider: type[Any], serve: Serve
) -> None:
    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    stats = same(spider, url, DOWNLOADER_MIDDLEWARES={MakesKeepingResponses: 600}, **SEQUENTIAL)
    assert ("tps/compare/kept" in stats) is (spider is AsksResponses)


class CountsInStats(TextSpider):
    """Counts what pages have."""

    def read(self, response: Any) -> dict[str, Any]:
        self.crawler.stats.inc_value("stocks", len(re.findall(r"Stock \d+", response.text)))
        return {}


def test_stats_that_a_callback_counts_are_compared(serve: Serve) -> None:
    url = serve(RandomSite(1, (Field("stock", "some", "aside", "class"),)))
    _, expected = items(CountsInStats, url, TPS_ENABLED=False)
    stats = same(CountsInStats, url, **SEQUENTIAL)
    assert stats["stocks"] == expected["stocks"] > 1
    assert stats["tps/compare/kept"] == 1


class DrawsAgents(TextSpider):
    """Sends one request from each page, as one of two user agents."""

    chance: Any = random

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        yield {"title": re.findall("<h1>(.+?)</h1>", response.text)}
        agent = self.chance.choice(["one", "other"])
        yield scrapy.Request(response.url + "?again", self.second, headers={"User-Agent": agent})

    def second(self, response: Any) -> Any:
        yield {"link": response.url}


class DrawsAgentsItself(DrawsAgents):
    """The same with numbers of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chance = random.Random(1)


@pytest.mark.parametrize("spider", [DrawsAgents, DrawsAgentsItself])
def test_numbers_drawn_by_chance_are_no_loss(serve: Serve, spider: type[TextSpider]) -> None:
    stats = same(spider, serve(RandomSite(1, (Field("stock", "all", "aside", "class"),))), **SEQUENTIAL)
    assert stats["tps/compare/pages"] > 4
    assert "tps/compare/differ" not in stats
