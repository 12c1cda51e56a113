"""Reads of a page's text by callbacks are counted; those by Scrapy and scrapy-tps are not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Selector, Spider
from scrapy.http import HtmlResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor
from scrapy.loader import ItemLoader
from scrapy.utils.iterators import csviter
from scrapy.utils.response import get_base_url, get_meta_refresh

from scrapy_tps import prune_response
from scrapy_tps.stats.coverage import PAGE_TEXT
from tests.support.crawling import crawl
from tests.support.meetings import pruned

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.mockserver import MockServer


def reads_json(response: Any) -> None:
    with pytest.raises(json.JSONDecodeError):
        response.json()


@pytest.mark.parametrize(
    "read",
    [
        lambda response: response.text,
        lambda response: response.body,
        reads_json,
        Selector,
        lambda response: Selector(text=response.text),
        lambda response: ItemLoader({}, response=response),
        lambda response: list(csviter(response)),
        lambda response: HtmlResponse(response.url, body=response.body),
        lambda response: response.replace(url="https://other.example").text,
        lambda response: response.replace(cls=HtmlResponse),
        lambda response: response.selector.root,
        lambda response: response.selector.get(),
        lambda response: response.selector.re("p"),
        lambda response: response.css("body").get(),
        lambda response: response.css("#main").re_first("p"),
        lambda response: response.replace(encoding="cp1252").text,
    ],
)
def test_reads_past_the_selectors_are_counted(read: Callable[[Any], Any]) -> None:
    response = pruned()
    read(response)
    assert response.tps.selector_usage.texts == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda response: response.css("p"),
        lambda response: response.encoding,
        lambda response: response.copy().css("p"),
        lambda response: response.original.text,
        lambda response: response.tps.html,
        lambda response: response.urljoin("/a"),
        lambda response: response.follow(Link("https://shop.example/a")),
        lambda response: list(response.follow_all(css="a")),
        lambda response: LinkExtractor().extract_links(response),
        lambda response: LinkExtractor(restrict_css="body").extract_links(response),
        lambda response: response.css("p").getall(),
        lambda response: response.selector.xpath("//p").re("p"),
        lambda response: ItemLoader({}, selector=response.selector),
        get_base_url,
        get_meta_refresh,
    ],
)
def test_other_uses_of_a_page_are_not(read: Callable[[Any], Any]) -> None:
    response = pruned()
    read(response)
    assert response.tps.selector_usage.texts == 0


def test_markup_of_a_part_that_lost_something_is_a_read() -> None:
    menu = "<nav><a href=/>Home</a><a href=/parks>Parks</a></nav>"
    body = f"<div id=wrap><main>{'<p>A sentence of the article.</p>' * 9}</main>{menu}</div>"
    response = prune_response(HtmlResponse("https://a.example", body=body.encode()), {"TPS_MIN_NODES": 5})
    usage = response.tps.selector_usage
    assert response.css("main").get()
    assert usage.texts == 0
    assert "Parks" not in response.css("#wrap").get()
    assert usage.texts == 1
    usage.on_text = lambda *_: True
    assert "Parks" in response.css("#wrap").get()


class NearTheSpider:
    def process_spider_input(self, response: Any) -> None:
        response.meta["near"] = response.cb_kwargs


def test_spider_middlewares_next_to_the_spider_see_the_request(server: MockServer) -> None:
    settings = {"TPS_COMPARE": True, "SPIDER_MIDDLEWARES": {NearTheSpider: 20_000}}
    assert len(crawl(ReadsText, settings, start_urls=[server("/shop")]).items) == 2


class ReadsText(Spider):
    name = "reads_text"

    def parse(self, response: Any) -> Any:
        yield {"title": response.css("title::text").get(), "length": len(response.text) + len(response.body)}
        yield response.follow("/shop?page=2", self.parse_second)

    def parse_second(self, response: Any) -> Any:
        yield {"title": response.css("title::text").get()}


def test_a_crawl_counts_them_by_site_and_callback(server: MockServer) -> None:
    crawled = crawl(ReadsText, start_urls=[server("/shop")])
    assert crawled.stats["tps/text/pages"] == 1
    rows = [row for row in crawled.crawler.stats.sites.uses() if row.name == PAGE_TEXT]
    assert [(row.callback, row.figures.asked) for row in rows] == [("parse", 2)]
