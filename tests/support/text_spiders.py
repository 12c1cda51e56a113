"""Spiders that read the text of pages in every way, over the sites of :mod:`tests.support.text_sites`."""

from __future__ import annotations

import json
import re
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any

import lxml.html
import parsel
import scrapy
from itemloaders.processors import TakeFirst
from lxml import etree
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.loader import ItemLoader
from scrapy.spiders import CrawlSpider, Rule

from tests.support.text_sites import FIELDS, PAGES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

#: A selector of each field in each shape, as CSS.
SHAPES = (".{0} span", "#{0} span", "[itemprop={0}]", ".note-{0}x")


def _soup(response: Any) -> Any:
    from bs4 import BeautifulSoup

    return BeautifulSoup(response.text, "lxml")


def select_fields(page: Any) -> dict[str, Any]:
    """The fields, by the selectors of a parser that has `css`."""
    found = {}
    for name in FIELDS:
        values = [page.css(f"{shape.format(name)}::text").get() for shape in SHAPES]
        row = page.xpath(f"//dt[.='{name}']/following-sibling::dd/text()").get()
        found[name] = next(filter(None, [*values, row]), None)
    return found


class TextSpider(scrapy.Spider):
    """Follows the listing; the others differ in the way they read an item page."""

    name = "text"
    url = ""

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url)

    def parse(self, response: Any) -> Any:
        for link in response.css("li.card a"):
            yield response.follow(link, self.parse_item, cb_kwargs={"item": {"link": link.attrib["href"]}})

    def read(self, response: Any) -> dict[str, Any] | None:
        raise NotImplementedError

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        found = self.read(response)
        if found is not None:
            item |= {"title": response.css("h1::text").get(), **found}
            yield item


class Loads(TextSpider):
    """Scrapy's own item loader, which parses the text."""

    name = "loads"

    def read(self, response: Any) -> dict[str, Any]:
        loader = ItemLoader({}, response=response)
        loader.default_output_processor = TakeFirst()
        for name in FIELDS:
            for shape in SHAPES:
                loader.add_css(name, f"{shape.format(name)}::text")
        return loader.load_item()


class Soups(TextSpider):
    name = "soups"

    def read(self, response: Any) -> dict[str, Any]:
        soup = _soup(response)
        found = {}
        for name in FIELDS:
            nodes = (soup.select_one(shape.format(name)) for shape in SHAPES)
            node = next(filter(None, nodes), None) or soup.find("dt", string=name)
            found[name] = node and (node.find_next("dd") if node.name == "dt" else node).get_text()
        return found


class Amount:
    """A value of a class of the project."""

    def __init__(self, text: Any) -> None:
        self.text = text

    def __str__(self) -> str:
        return str(self.text)


class GivesObjects(TextSpider):
    """Gives values that are not plain data."""

    name = "gives_objects"

    def read(self, response: Any) -> dict[str, Any]:
        fields = select_fields(parsel.Selector(text=response.text))
        return {name: Amount(value) for name, value in fields.items()}


class Guards(TextSpider):
    """Gives nothing for what is sold out."""

    name = "guards"

    def read(self, response: Any) -> dict[str, Any] | None:
        soup = _soup(response)
        if soup.select_one(".sold-out") or soup.select_one("#sold-out"):
            return None
        return {"price": soup.select_one(".price").get_text()}


class GuardsByWords(TextSpider):
    name = "guards_by_words"

    def read(self, response: Any) -> dict[str, Any] | None:
        return None if "Sold out" in response.text else {"price": response.css(".price::text").get()}


class Matches(TextSpider):
    """A regular expression beside a selector."""

    name = "matches"

    def read(self, response: Any) -> dict[str, Any]:
        return {name: re.findall(rf"{name.title()} \d+", response.text) for name in FIELDS}


class ReadsState(TextSpider):
    """A variable of a script."""

    name = "reads_state"

    def read(self, response: Any) -> dict[str, Any]:
        found = {}
        for name in FIELDS:
            match = re.search(rf"var {name} = (.*?);", response.text)
            found[name] = json.loads(match[1]) if match else None
        return found


class Parses(TextSpider):
    name = "parses"

    def read(self, response: Any) -> dict[str, Any]:
        return select_fields(parsel.Selector(text=response.text))


class Converts(TextSpider):
    """Selectors of a response of another class."""

    name = "converts"

    def read(self, response: Any) -> dict[str, Any]:
        return select_fields(response.replace(cls=HtmlResponse))


class Copies(TextSpider):
    """The text of a copy."""

    name = "copies"

    def read(self, response: Any) -> dict[str, Any]:
        return select_fields(parsel.Selector(text=copy(response).text))


class CopiesDeeply(TextSpider):
    """The text of a copy that holds nothing of the response."""

    name = "copies_deeply"

    def read(self, response: Any) -> dict[str, Any]:
        return select_fields(parsel.Selector(text=deepcopy(response.replace(request=None)).text))


class ParsesBody(TextSpider):
    name = "parses_body"

    def read(self, response: Any) -> dict[str, Any]:
        root = lxml.html.fromstring(response.body)
        return {name: root.xpath(f"string(//*[contains(@class, '{name}')])").strip() for name in FIELDS}


class ReadsTree(TextSpider):
    """lxml, past the selectors."""

    name = "reads_tree"

    def read(self, response: Any) -> dict[str, Any]:
        root = response.selector.root
        return {name: root.xpath(f"string(//*[contains(@class, '{name}')])").strip() for name in FIELDS}


class ChangesTree(TextSpider):
    """Selectors after a change of the tree."""

    name = "changes_tree"

    def read(self, response: Any) -> dict[str, Any]:
        etree.strip_elements(response.selector.root, "h1", "script", with_tail=False)
        return select_fields(response) | {"texts": len(response.css("body ::text").getall())}


class MatchesMarkup(TextSpider):
    """Regular expressions over the markup that a selector gives."""

    name = "matches_markup"

    def read(self, response: Any) -> dict[str, Any]:
        return {
            "first": response.css("body").re_first(rf"{FIELDS[0].title()} \d+"),
            "all": response.selector.re(rf"{FIELDS[1].title()} \d+"),
        }


class ExtractsLinks(TextSpider):
    name = "extracts_links"

    def read(self, response: Any) -> dict[str, Any]:
        return {"links": [link.url for link in LinkExtractor().extract_links(response)]}


class Links(TextSpider):
    """The links of a page made of the text."""

    name = "links"

    def read(self, response: Any) -> dict[str, Any]:
        page = HtmlResponse(response.url, body=response.body)
        return {"links": [link.url for link in LinkExtractor().extract_links(page)]}


class Measures(TextSpider):
    """What every part of the page holds."""

    name = "measures"

    def read(self, response: Any) -> dict[str, Any]:
        return {"size": len(response.body)}


class ReadsLate(TextSpider):
    """Reads the text after an output, and an item loader in the request."""

    name = "reads_late"

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        yield {"title": response.css("h1::text").get()}
        for name, value in select_fields(scrapy.Selector(response)).items():
            yield item | {"name": name, "value": value}


class ReadsSeldom(TextSpider):
    """Reads the text of a few pages, not of the first."""

    name = "reads_seldom"

    def read(self, response: Any) -> dict[str, Any]:
        number = int(response.css("h1::text").re_first(r"\d+"))
        return select_fields(parsel.Selector(text=response.text)) if number % 5 == 3 else {"number": number}


class Returns(Soups):
    name = "returns"

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        return [item | self.read(response)]


class Awaits(Soups):
    name = "awaits"

    async def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        import asyncio

        await asyncio.sleep(0.005)
        found = self.read(response)
        await asyncio.sleep(0.005)
        return item | found


class AwaitsEach(Guards):
    name = "awaits_each"

    async def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        import asyncio

        await asyncio.sleep(0.005)
        found = self.read(response)
        if found is not None:
            yield item | found


class GivesOnce(Soups):
    """Gives nothing twice."""

    name = "gives_once"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.seen: set[str] = set()

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        for one in super().parse_item(response, item):
            key = json.dumps(one, sort_keys=True)
            if one["title"] not in self.seen:
                self.seen.add(one["title"])
                self.seen.add(key)
                yield one


class Remembers(Soups):
    """Holds what it reads until the last page."""

    name = "remembers"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.rows: list[str] = []

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        self.rows.append(str(self.read(response)))
        yield {"title": response.css("h1::text").get()}
        if len(self.rows) == PAGES:
            yield {"rows": sorted(self.rows)}


class Fails(TextSpider):
    """Fails where a part is missing."""

    name = "fails"

    def read(self, response: Any) -> dict[str, Any]:
        return {"links": len(_soup(response).select_one("nav.menu").find_all("a"))}


class Follows(TextSpider):
    """Reads whether to send a request."""

    name = "follows"

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        if "old-out" not in response.text:
            yield response.follow("?more", self.parse_more, cb_kwargs={"item": item})

    def parse_more(self, response: Any, item: dict[str, Any]) -> Iterator[Any]:
        yield item | {"more": response.css("h1::text").get()}


class Rules(CrawlSpider):
    name = "rules"
    url = ""
    rules = (Rule(LinkExtractor(allow=r"/item/\d+", restrict_css="li.card"), callback="parse_item"),)

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url)

    def parse_item(self, response: Any) -> Any:
        yield {"url": response.url, **select_fields(parsel.Selector(text=response.text))}


class Hands(TextSpider):
    """Hands a response to another callback, which reads it."""

    name = "hands"

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        request = response.follow("/", self.parse_first, dont_filter=True)
        yield request.replace(meta={"first": response})

    def parse_first(self, response: Any) -> Iterator[Any]:
        first = response.meta["first"]
        yield {"url": first.url, **select_fields(parsel.Selector(text=first.text))}


SPIDERS = {
    spider.name: spider
    for spider in (
        Loads,
        Soups,
        GivesObjects,
        Guards,
        GuardsByWords,
        Matches,
        ReadsState,
        Parses,
        Converts,
        Copies,
        CopiesDeeply,
        ParsesBody,
        Links,
        ReadsTree,
        ChangesTree,
        MatchesMarkup,
        ExtractsLinks,
        Measures,
        ReadsLate,
        ReadsSeldom,
        Returns,
        Awaits,
        AwaitsEach,
        GivesOnce,
        Remembers,
        Fails,
        Follows,
        Rules,
        Hands,
    )
}
