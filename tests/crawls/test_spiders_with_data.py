"""Comparisons leave alone what callbacks hold and change beside their spider, and judge what requests carry."""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from asyncio import Lock
from functools import partial
from typing import Any

import pytest
import scrapy

from tests.support.crawling import SEQUENTIAL
from tests.support.text_crawls import Serve, items, same
from tests.support.text_sites import PAGES, Field, RandomSite
from tests.support.text_spiders import Soups, TextSpider


class InTwoSteps(TextSpider):
    """Reads each item page twice; fills the item at both."""

    def first(self, response: Any, item: Any) -> Any:
        item["stock"] = re.findall(r"Stock \d+", response.text)
        yield self.second_request(response.url + "?again", item)

    def second_request(self, url: str, item: Any) -> Any:
        return scrapy.Request(url, self.second, cb_kwargs={"item": item})

    def second(self, response: Any, item: Any) -> Any:
        item["seller"] = re.findall(r"Seller \d+", response.text)
        yield dict(item)

    def parse(self, response: Any) -> Any:
        for link in response.css("li.card a"):
            yield response.follow(link, self.first, cb_kwargs={"item": {"link": link.attrib["href"]}})


class ByLambdas(InTwoSteps):
    """The items are defaults and variables of functions."""

    def parse(self, response: Any) -> Any:
        for link in response.css("li.card a"):
            item = {"link": link.attrib["href"]}
            yield response.follow(link, lambda page, item=item: self.first(page, item))

    def second_request(self, url: str, item: Any) -> Any:
        return scrapy.Request(url, lambda page: self.second(page, item))


class ByPartials(InTwoSteps):
    """The items are arguments of partials."""

    def parse(self, response: Any) -> Any:
        for link in response.css("li.card a"):
            yield response.follow(link, partial(self.first, item={"link": link.attrib["href"]}))

    def second_request(self, url: str, item: Any) -> Any:
        return scrapy.Request(url, partial(self.second, item=item))


class Part:
    """An object that is no item."""

    def __init__(self, link: str) -> None:
        self.link = link

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def keys(self) -> Any:
        return vars(self).keys()

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class ByObjects(InTwoSteps):
    """The items are objects of the project while they are filled."""

    def parse(self, response: Any) -> Any:
        for link in response.css("li.card a"):
            yield response.follow(link, self.first, cb_kwargs={"item": Part(link.attrib["href"])})


class Collects(TextSpider):
    """Collects all pages of the listing in a variable of its callback."""

    def parse(self, response: Any) -> Any:
        found: list[Any] = []
        links = response.css("li.card a::attr(href)").getall()

        def collect(page: Any) -> Any:
            found.append((page.url, re.findall(r"Stock \d+", page.text)))
            yield {"number": len(found)}
            if len(found) == len(links):
                yield {"found": sorted(found)}

        for link in links:
            yield response.follow(link, collect)


class Reader(ABC):
    """Reads pages."""

    @abstractmethod
    def read(self, response: Any) -> dict[str, Any]: ...


class Helper(Reader):
    """Reads for a spider, and counts the pages, here and there."""

    number = 0

    def __init__(self, spider: Any) -> None:
        self.spider = spider

    def read(self, response: Any) -> dict[str, Any]:
        self.number += 1
        self.spider.number += 1
        return {
            "numbers": (self.number, self.spider.number),
            "stock": re.findall(r"Stock \d+", response.text),
        }


class Helped(TextSpider):
    """Reads by an object that knows the spider."""

    number = 0

    def __init__(self, *arguments: Any, **names: Any) -> None:
        super().__init__(*arguments, **names)
        self.read = Helper(self).read  # type: ignore[method-assign]


class Rows:
    """Keeps what a spider reads."""

    def __init__(self) -> None:
        self.rows: list[Any] = []


class Singleton:
    """Keeps the pages that a spider has read, and is one for all."""

    one: Any = None

    def __new__(cls) -> Any:
        if cls.one is None:
            cls.one = super().__new__(cls)
            cls.one.pages = {}
        return cls.one


class HoldsSingleton(TextSpider):
    """Counts the pages in an object that is one for all; a page counts once."""

    def __init__(self, *arguments: Any, **names: Any) -> None:
        super().__init__(*arguments, **names)
        Singleton.one = None
        self.one = Singleton()

    def read(self, response: Any) -> dict[str, Any]:
        self.one.pages[response.url] = 1
        return {"number": len(self.one.pages), "stock": re.findall(r"Stock \d+", response.text)}


class Warns(TextSpider):
    """Warns, which Python notes in the module."""

    def read(self, response: Any) -> dict[str, Any]:
        warnings.warn(response.url, stacklevel=1)
        return {"stock": re.findall(r"Stock \d+", response.text)}


class KeepsRows(TextSpider):
    """Gives what an object of its own has kept, at the end."""

    def __init__(self, *arguments: Any, **names: Any) -> None:
        super().__init__(*arguments, **names)
        self.kept = Rows()

    def read(self, response: Any) -> dict[str, Any]:
        self.kept.rows.append({"stock": re.findall(r"Stock \d+", response.text)})
        return {"rows": self.kept.rows} if len(self.kept.rows) == PAGES else {}


class ByFunctionOfMethod(Soups):
    """Numbers the pages; its callbacks call one of its methods that they hold."""

    number = 0

    def parse(self, response: Any) -> Any:
        parse_item = self.parse_item
        for link in response.css("li.card a"):
            yield response.follow(link, lambda page: parse_item(page, {}))

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        self.number += 1
        yield {"number": self.number, **self.read(response)}


class SendsHeaders(TextSpider):
    """What the page says goes to the next one in headers and cookies."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        stock = "".join(re.findall(r"Stock (\d+)", response.text))
        url = response.url + "?again"
        yield scrapy.Request(url, self.second, headers={"X-Stock": stock}, cookies={"stock": stock})

    def second(self, response: Any) -> Any:
        request = response.request
        yield {"sent": (request.headers["X-Stock"].decode(), request.cookies, response.url)}


class Chooses(TextSpider):
    """What the page says decides which callback gets the next one."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        yield scrapy.Request(
            response.url + "?again", self.in_stock if "Stock" in response.text else self.sold
        )

    def in_stock(self, response: Any) -> Any:
        yield {"in stock": response.url}

    def sold(self, response: Any) -> Any:
        yield {"sold": response.url}


@pytest.mark.filterwarnings("default:http")
@pytest.mark.parametrize(
    "spider",
    [
        InTwoSteps,
        ByLambdas,
        ByPartials,
        ByObjects,
        Collects,
        Helped,
        KeepsRows,
        HoldsSingleton,
        Warns,
        ByFunctionOfMethod,
    ],
)
def test_further_run_changes_nothing_that_the_callback_holds(spider: type[Any], serve: Serve) -> None:
    fields = (Field("stock", "all", "aside", "class"), Field("seller", "some", "footer", "class"))
    assert same(spider, serve(RandomSite(1, fields)), **SEQUENTIAL)["tps/compare/kept"] >= 1


@pytest.mark.parametrize("spider", [SendsHeaders, Chooses])
def test_headers_cookies_and_callback_of_requests_are_compared(spider: type[Any], serve: Serve) -> None:
    stats = same(spider, serve(RandomSite(1, (Field("stock", "some", "aside", "class"),))), **SEQUENTIAL)
    assert stats["tps/compare/kept"] == 1


class CountsInClass(Soups):
    """Goes from page to page by a number of its class."""

    number = 1

    def parse(self, response: Any) -> Any:
        number = CountsInClass.number
        CountsInClass.number += 1
        yield scrapy.Request(f"{self.url}/item/{number}", self.parse_item, cb_kwargs={"item": {}})

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        yield self.read(response)
        if CountsInClass.number <= PAGES:
            yield from self.parse(response)


NUMBERS: dict[str, int] = {}
TEXTS: list[Any] = []


class CountsInModule(Soups):
    """Numbers the pages in a dict of its module."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        NUMBERS[str(len(NUMBERS))] = 1
        yield {"number": len(NUMBERS), **self.read(response)}


class KeepsInModule(TextSpider):
    """Keeps what it reads in a list of its module."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        TEXTS.append(re.findall(r"Stock \d+", response.text))
        yield {"texts": len(TEXTS)}


class Closes(TextSpider):
    """Closes what it reads by when it is deleted, as spiders do that use Selenium."""

    def __init__(self, *arguments: Any, **names: Any) -> None:
        super().__init__(*arguments, **names)
        self.driver = Driver()

    def __del__(self) -> None:
        self.driver.is_open = False

    def read(self, response: Any) -> dict[str, Any]:
        return {"open": self.driver.is_open, "stock": re.findall(r"Stock \d+", response.text)}


class Driver(Lock):
    """A browser."""

    is_open = True


class Resumes(TextSpider):
    """A generator waits for the answer to its request, as in scrapy-inline-requests."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        def read() -> Any:
            stock = re.findall(r"Stock \d+", response.text)
            again = yield
            yield {"stock": stock, "seller": re.findall(r"Seller \d+", again.text)}

        reader = read()
        next(reader)
        yield scrapy.Request(response.url + "?again", partial(self.resume, reader))

    def resume(self, reader: Any, response: Any) -> Any:
        yield reader.send(response)


@pytest.mark.parametrize("spider", [CountsInClass, CountsInModule, KeepsInModule, Closes, Resumes])
def test_callbacks_whose_changes_a_further_run_shares_have_none(spider: type[Any], serve: Serve) -> None:
    def reset() -> None:
        CountsInClass.number = 1
        NUMBERS.clear()
        TEXTS.clear()

    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    reset()
    expected, _ = items(spider, url, TPS_ENABLED=False, **SEQUENTIAL)
    reset()
    found, stats = items(spider, url, **SEQUENTIAL)
    assert found == expected
    assert stats["tps/compare/failed"] >= 1
    assert "tps/compare/kept" not in stats


class Refuses(TextSpider):
    """Fails on pages of articles in stock, on purpose."""

    def read(self, response: Any) -> dict[str, Any]:
        if "Stock" in response.text:
            raise ValueError("in stock")
        return {"link": response.url}


def test_callback_that_fails_only_on_the_page_as_downloaded_fails_on_all_of_these(serve: Serve) -> None:
    stats = same(Refuses, serve(RandomSite(1, (Field("stock", "some", "aside", "class"),))), **SEQUENTIAL)
    assert stats["tps/compare/original_failed"] == 1
