"""Crawls of spiders that ask for what pruning takes: they get what they would have got without scrapy-tps."""

from __future__ import annotations

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from scrapy.loader import ItemLoader

from tests.support.crawling import Crawled, crawl
from tests.support.cuts import without

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

PAGES = 12


def page(number: int) -> bytes:
    """A page whose menu, topics and heading row pruning takes."""
    rows = "".join(f"<tr class=row><td>Meeting {number}-{row} of the board<td>{row}" for row in range(9))
    topics = "".join(f"<li><a href=/topic/{number}-{topic}>Topic {number}-{topic}</a>" for topic in range(3))
    following = f"<a class=more href=/{number + 1}>Next</a>" if number + 1 < PAGES else ""
    return (
        f"<html><head><title>Page {number}</title></head><body><nav><a href=/0>Home</a>{following}</nav>"
        f"<main><h1>Meetings {number}</h1><table><tr class=heading><th>Meeting<th>Number</tr>{rows}</table></main>"
        f"<aside><h2>Topics</h2><ul class=tags>{topics}</ul></aside></body></html>"
    ).encode()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        number = self.path.strip("/")
        body = page(int(number)) if number.isdigit() else b"<html><body><h1>A topic</h1></body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the base class)
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/0"
        server.shutdown()


def item_of(response: Any) -> dict[str, Any]:
    return {
        "url": response.url.rpartition("/")[2],
        "rows": response.css("tr.row td:first-child::text").getall(),
        "columns": response.css("tr.heading th::text").getall(),
        "tags": response.css(".tags a::text").getall(),
        "nothing": response.css(".price::text").getall(),
    }


class Asking(scrapy.Spider):
    name = "asking"
    start_url = ""

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield scrapy.Request(self.start_url)


class Generator(Asking):
    def parse(self, response: Any) -> Iterator[Any]:
        yield item_of(response)
        yield from response.follow_all(css="a.more")


class Coroutine(Asking):
    async def parse(self, response: Any) -> list[Any]:
        return [item_of(response), *response.follow_all(css="nav .more")]


class AsyncGenerator(Asking):
    async def parse(self, response: Any) -> AsyncIterator[Any]:
        yield item_of(response)
        for link in response.css(".more"):
            yield response.follow(link)


class Replacing(Asking):
    def parse(self, response: Any) -> Iterator[Any]:
        yield item_of(response.replace(url=response.url))
        for following in response.xpath("//nav//a[@class='more']/@href"):
            yield response.follow(following)


class Loading(Asking):
    def parse(self, response: Any) -> Iterator[Any]:
        loader = ItemLoader({}, selector=response.selector)
        loader.add_css("tags", ".tags a::text")
        loader.add_xpath("columns", "//tr[@class='heading']/th/text()")
        for row in response.css("table"):
            loader.add_value("rows", row.xpath("./tr/td[1]/text()").getall())
        yield loader.load_item()
        yield from response.follow_all(css="a.more")


class PastSelectors(Asking):
    def parse(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url.rpartition("/")[2], "topics": re.findall(r"Topic \d+-\d+", response.text)}
        yield from response.follow_all(css="a.more")


SETTINGS: dict[str, Any] = without("nav", "aside", "tr.heading")


def run(spider: type[Asking], site: str, **settings: Any) -> Crawled:
    return crawl(spider, SETTINGS | settings, start_url=site)


@pytest.mark.parametrize("spider", [Generator, Coroutine, AsyncGenerator, Replacing, Loading])
def test_spiders_get_the_same_whatever_is_pruned(spider: type[Asking], site: str) -> None:
    expected = run(spider, site, TPS_ENABLED=False).items
    assert len(expected) == PAGES
    found = run(spider, site)
    assert found.items == expected
    assert found.stats["tps/asked/empty"] > 0


def test_what_a_shadow_check_found_is_kept_in_further_crawls(site: str, tmp_path: Path) -> None:
    expected = run(PastSelectors, site, TPS_ENABLED=False).items
    stats = {"TPS_STATS_FILE": str(tmp_path / "stats.sqlite")}
    assert run(PastSelectors, site, **stats).items != expected
    first = run(PastSelectors, site, TPS_SHADOW=0.01, **stats)
    assert first.items == expected
    assert first.stats["tps/shadow/healed"] == 1
    again = run(PastSelectors, site, **stats)
    assert again.items == expected
    assert again.stats["tps/outcome/pruned"] == PAGES
