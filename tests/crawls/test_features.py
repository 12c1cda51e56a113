"""Scrapy's own features with the add-on enabled, over real HTTP."""

from __future__ import annotations

import gc
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider
from scrapy.http import FormRequest
from scrapy.spiders import SitemapSpider

from tests.support.crawling import Crawled, crawl
from tests.support.shop_pages import PRODUCTS, listing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer


class Shop(Spider):
    """Gives an item per page: what the callback saw."""

    name = "shop"
    url: str
    urls: Any = ()

    async def start(self) -> Any:
        for url in self.urls or [self.url]:
            yield Request(url, dont_filter=True, meta=getattr(self, "meta", None))

    def parse(self, response: Any) -> Any:
        yield self.seen(response)

    def seen(self, response: Any) -> dict[str, Any]:
        tps = getattr(response, "tps", None)
        return {
            "url": response.url,
            "status": response.status,
            "outcome": tps.outcome if tps else None,
            "flags": response.flags,
            "products": len(response.css("div.product")),
            "navs": response.tps.html.count("<nav"),
        }


def only(crawled: Crawled) -> dict[str, Any]:
    (item,) = crawled.items
    assert isinstance(item, dict)
    return item


def is_pruned(item: dict[str, Any]) -> bool:
    return (item["outcome"], item["products"], item["navs"]) == ("pruned", PRODUCTS, 0)


def test_compressed_page(server: MockServer) -> None:
    assert is_pruned(only(crawl(Shop, url=server("/gzip"))))


@pytest.mark.parametrize("policy", ["DummyPolicy", "RFC2616Policy"])
def test_http_cache_holds_raw_pages_and_its_hits_are_pruned_again(
    server: MockServer, tmp_path: Path, policy: str
) -> None:
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": f"scrapy.extensions.httpcache.{policy}",
    }
    first, second = (crawl(Shop, settings, url=server("/shop")) for _ in range(2))
    assert first.stats["httpcache/store"] == second.stats["httpcache/hit"] == 1
    assert is_pruned(only(first))
    assert is_pruned(only(second))
    assert only(second)["flags"] == ["cached", "tps"]
    (body,) = tmp_path.rglob("response_body")
    assert body.read_bytes() == listing().encode()
    assert second.stats["tps/outcome/pruned"] == 1


def test_page_that_comes_after_retries(server: MockServer) -> None:
    crawled = crawl(Shop, url=server("/flaky?key=retry"))
    assert is_pruned(only(crawled))
    assert crawled.stats["retry/count"] == 2
    assert crawled.stats["tps/pages"] == 1


def test_redirects_and_meta_refresh(server: MockServer) -> None:
    crawled = crawl(Shop, urls=[server("/redirect"), server("/refresh")], url="")
    assert sorted(item["url"] for item in crawled.items) == [server("/shop"), server("/shop?page=2")]
    assert all(map(is_pruned, crawled.items))
    assert crawled.stats["tps/pages"] == 2


def test_override_of_a_request_survives_redirect_and_retry(server: MockServer) -> None:
    crawled = crawl(
        Shop, urls=[server("/redirect"), server("/flaky?key=override")], url="", meta={"tps": False}
    )
    assert [item["outcome"] for item in crawled.items] == ["excluded"] * 2


def test_error_pages_for_those_who_want_them(server: MockServer) -> None:
    settings = {"HTTPERROR_ALLOWED_CODES": [404]}
    assert only(crawl(Shop, settings, url=server("/status/404")))["outcome"] == "excluded"
    assert is_pruned(only(crawl(Shop, settings | {"TPS_STATUS_CODES": [404]}, url=server("/status/404"))))


def test_robots_txt_that_is_a_page_is_left_alone(server: MockServer) -> None:
    crawled = crawl(Shop, {"ROBOTSTXT_OBEY": True}, url=server("/shop"))
    assert is_pruned(only(crawled))
    assert crawled.stats["robotstxt/response_count"] == 1
    assert crawled.stats["tps/pages"] == 1


@pytest.mark.parametrize("file", ["sitemap.xml", "sitemap.xml.gz"])
def test_sitemap_that_the_server_calls_html(server: MockServer, file: str) -> None:
    port = server.url.rpartition(":")[2]

    class Sitemaps(SitemapSpider):
        name = "sitemaps"
        sitemap_urls = (server(f"/sitemaps/{port}/{file}"),)

        def parse(self, response: Any) -> Any:
            yield {"title": response.css("h1::text").get(), "price": response.css(".price::text").get()}

    crawled = crawl(Sitemaps)
    assert len(crawled.items) == 40
    assert {"title": "Product 7", "price": "7.99"} in crawled.items
    assert crawled.stats["tps/outcome/not_html"] == 1


class Login(Shop):
    def parse(self, response: Any) -> Any:
        assert "<nav" not in response.tps.html
        yield FormRequest.from_response(
            response, formdata={"user": "me", "password": "pass"}, callback=self.account
        )

    def account(self, response: Any) -> Any:
        yield {"url": response.url, "title": response.css("h1::text").get()}


@pytest.mark.filterwarnings("ignore:FormRequest.from_response")
def test_login_form_in_a_region_that_goes(server: MockServer) -> None:
    assert crawl(Login, url=server("/login")).items == [{"url": server("/account"), "title": "Welcome"}]


class Inline(Shop):
    async def parse(self, response: Any) -> Any:
        request = response.follow("/shop?page=2")
        other = await self.crawler.engine.download_async(request)
        yield self.seen(response)
        yield self.seen(other)


def test_inline_download_in_a_callback(server: MockServer) -> None:
    crawled = crawl(Inline, url=server("/shop"))
    assert [item["url"] for item in crawled.items] == [server("/shop"), server("/shop?page=2")]
    assert all(map(is_pruned, crawled.items))


class Files(Shop):
    def parse(self, response: Any) -> Any:
        yield {"file_urls": [response.urljoin("/image_png"), response.urljoin("/shop?page=3")]}


def test_media_pipelines_get_files_as_they_are(server: MockServer, tmp_path: Path) -> None:
    settings = {"ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1}, "FILES_STORE": str(tmp_path)}
    crawled = crawl(Files, settings, url=server("/shop"))
    assert [one["status"] for one in only(crawled)["files"]] == ["downloaded"] * 2
    bodies = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert listing(3).encode() in bodies
    assert crawled.stats["tps/pages"] == 1


def test_feed_export(server: MockServer, tmp_path: Path) -> None:
    feed = tmp_path / "items.json"
    settings = {"FEEDS": {str(feed): {"format": "json"}}}
    crawl(Shop, settings, url=server("/shop"))
    (item,) = json.loads(feed.read_text())
    assert item["outcome"] == "pruned"


class Paged(Shop):
    def parse(self, response: Any) -> Any:
        yield self.seen(response)
        if response.meta["depth"] < 4:
            page = response.meta["depth"] + 2
            yield response.follow(f"/shop?page={page}", meta={"tps": {"TPS_KEEP": ["nav.mega"]}})


# Scrapy 2.15 leaves the files of its queues to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_stopped_and_resumed(server: MockServer, tmp_path: Path) -> None:
    settings = {"JOBDIR": str(tmp_path), "CONCURRENT_REQUESTS": 1}
    first = crawl(Paged, settings | {"CLOSESPIDER_ITEMCOUNT": 2}, url=server("/shop"))
    second = crawl(Paged, settings, url=server("/shop"))
    gc.collect()
    assert first.stats["finish_reason"] == "closespider_itemcount"
    assert second.stats["finish_reason"] == "finished"
    pages = [*first.items, *second.items]
    # the first request is not filtered, so that it comes again
    assert {item["url"] for item in pages} == {
        server("/shop"),
        *(server(f"/shop?page={n}") for n in range(2, 6)),
    }
    assert {item["outcome"] for item in pages} == {"pruned"}
    assert {item["navs"] for item in pages if "?" in item["url"]} == {1}


# Scrapy 2.15 leaves the files of its queues to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("resumed", [True, False])
def test_items_of_a_resumed_crawl_are_not_compared_with_those_of_whole_ones(
    resumed: bool, server: MockServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Rows(Paged):
        def parse(self, response: Any) -> Any:
            for one in super().parse(response):
                yield from [one] if isinstance(one, Request) else [one] * 5

    settings = {"TPS_STATS_FILE": str(tmp_path / "figures.db"), "CONCURRENT_REQUESTS": 1}
    crawl(Rows, settings, url=server("/shop"))
    if resumed:
        settings["JOBDIR"] = str(tmp_path / "job")
        crawl(Rows, settings | {"CLOSESPIDER_PAGECOUNT": 4}, url=server("/shop"))
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        last = crawl(Rows, settings | ({} if resumed else {"DEPTH_LIMIT": 1}), url=server("/shop"))
    gc.collect()
    assert last.stats["finish_reason"] == "finished"
    assert len(last.items) == 10
    assert ("less than half of the 25 items" in caplog.text) is not resumed


class OtherMiddleware:
    """Another plugin that replaces responses, on either side."""

    def process_response(self, request: Request, response: Any) -> Any:
        return response.replace(headers={**response.headers, "X-Seen": type(response).__name__})


@pytest.mark.parametrize(("priority", "seen"), [(540, b"PrunedHtmlResponse"), (546, b"HtmlResponse")])
def test_other_middlewares_may_replace_responses(server: MockServer, priority: int, seen: bytes) -> None:
    class Headers(Shop):
        def parse(self, response: Any) -> Any:
            yield self.seen(response) | {
                "x": response.headers["X-Seen"],
                "original": len(response.original.css("nav")),
            }

    settings = {"DOWNLOADER_MIDDLEWARES": {OtherMiddleware: priority}}
    item = only(crawl(Headers, settings, url=server("/shop")))
    assert is_pruned(item)
    assert (item["x"], item["original"]) == (seen, 2)


def test_log_line_shows_what_was_pruned(server: MockServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    crawl(Shop, url=server("/shop"))
    assert any("Crawled (200)" in line and "['tps']" in line for line in caplog.messages)
