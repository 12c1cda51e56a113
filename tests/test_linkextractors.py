from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import HtmlResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_tps.engine.prune import prune_page
from scrapy_tps.response import PrunedHtmlResponse, prune_response
from scrapy_tps.settings.definitions import page_settings
from tests.support.crawling import crawl
from tests.support.shop_pages import listing

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer

URL = "http://shop.example/"


class NavExtractor:
    """A user's own: counts on the menu being there."""

    def extract_links(self, response: Any) -> list[Link]:
        nav = response.css("nav.mega")[0]
        return [Link(response.urljoin(href)) for href in nav.css("a::attr(href)").getall()[:2]]


class Shop(CrawlSpider):
    name = "shop"
    url: str
    rules = (
        Rule(LinkExtractor(allow=r"/shop\?page=\d$"), follow=True, callback="parse_page"),
        Rule(LinkExtractor(allow="/only/"), callback="parse_page"),
    )

    async def start(self) -> Any:
        yield Request(self.url, meta={"tps": getattr(self, "override", None)})

    def parse_page(self, response: Any) -> Any:
        yield {"path": response.url.rpartition("127.0.0.1:")[2].partition("/")[2]}


class FollowingAll(Spider):
    name = "following_all"
    url: str

    async def start(self) -> Any:
        yield Request(self.url)

    def parse(self, response: Any) -> Any:
        if "/only/" in response.url or "/shop" in response.url:
            yield {"path": response.url.rpartition("127.0.0.1:")[2].partition("/")[2]}
        yield from response.follow_all(css="a")


class OwnExtractor(Shop):
    rules = (Rule(NavExtractor(), callback="parse_page"),)  # type: ignore[arg-type]


def paths(crawled: Any) -> list[str]:
    return sorted(item["path"] for item in crawled.items)


def pruned(**settings: Any) -> PrunedHtmlResponse:
    page = HtmlResponse(URL, body=listing().encode(), encoding="utf-8")
    values = page_settings({"TPS_STRATEGY": "paper", **settings})
    pruned = prune_page(page.body, values, url=URL, encoding=page.encoding, decoded=page.text)
    return PrunedHtmlResponse.from_response(page, pruned)


def links(extractor: Any, response: Any) -> list[str]:
    return [link.url for link in extractor.extract_links(response)]


@pytest.mark.parametrize("restrict", [{}, {"restrict_css": "body"}])
def test_link_extractors_read_the_original_page(restrict: dict[str, str]) -> None:
    response = pruned()
    assert links(LinkExtractor(allow="/only/", **restrict), response) == ["http://shop.example/only/1"]
    assert links(LinkExtractor(allow="/only/"), response.original) == ["http://shop.example/only/1"]


@pytest.mark.parametrize(("setting", "number"), [("original", 78), ("pruned", 24)])
def test_follow_all_finds_the_links_that_link_extractors_find(setting: str, number: int) -> None:
    response = pruned(TPS_LINKS=setting)
    response.request = Request(URL)
    found = links(LinkExtractor(unique=False), response)
    assert len(found) == number
    chosen: tuple[dict[str, Any], ...] = (
        {"css": "a"},
        {"xpath": "//a/@href"},
        {"urls": response.css("body a")},
    )
    for urls in chosen:
        assert [request.url for request in response.follow_all(**urls)] == found
    with pytest.raises(ValueError, match="exactly one"):
        response.follow_all(css="a", xpath="//a")
    with pytest.raises(ValueError, match="exactly one"):
        response.follow_all()


def test_link_extractors_read_the_pruned_page_where_set() -> None:
    assert links(LinkExtractor(allow="/only/"), pruned(TPS_LINKS="pruned")) == []
    assert len(links(LinkExtractor(), pruned(TPS_LINKS="pruned"))) == 24


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
def test_a_form_that_was_removed_can_be_sent() -> None:
    form = '<form action="/find"><input name="token" value="secret"><input name="q"></form>'
    page = HtmlResponse(URL, body=listing().replace("<nav", form + "<nav", 1).encode(), encoding="utf-8")
    response = prune_response(page, {"TPS_STRATEGY": "paper"})
    assert "secret" not in response.tps.html
    sent = FormRequest.from_response(response, formdata={"q": "lamp"}, formxpath="//form[@action='/find']")
    assert sent.url == "http://shop.example/find?token=secret&q=lamp"


def test_the_original_stays_for_its_links_without_fallback() -> None:
    assert links(LinkExtractor(allow="/only/"), pruned(TPS_FALLBACK=False)) == ["http://shop.example/only/1"]


def test_rules_follow_the_links_of_original_pages(server: MockServer) -> None:
    crawled = crawl(Shop, url=server("/shop"))
    assert paths(crawled) == ["only/1", "only/2", "only/3", "shop?page=2", "shop?page=3"]


def test_a_spider_that_follows_every_link_fetches_all_pages(server: MockServer) -> None:
    crawled = crawl(FollowingAll, url=server("/shop"))
    assert paths(crawled) == paths(crawl(FollowingAll, {"TPS_ENABLED": False}, url=server("/shop")))
    assert "only/3" in paths(crawled)


def test_rules_follow_the_links_of_pruned_pages_where_set(server: MockServer) -> None:
    crawled = crawl(Shop, {"TPS_LINKS": "pruned", "TPS_KEEP": ".pagination"}, url=server("/shop"))
    assert paths(crawled) == ["shop?page=2", "shop?page=3"]


def test_request_decides_about_its_links(server: MockServer) -> None:
    crawled = crawl(Shop, url=server("/shop"), override={"TPS_LINKS": "pruned"})
    assert paths(crawled) == []


def test_own_extractor_never_sees_the_pruned_page(server: MockServer) -> None:
    crawled = crawl(OwnExtractor, url=server("/shop"))
    assert paths(crawled) == ["category/0", "category/1"]
    assert "spider_exceptions/IndexError" not in crawled.stats


def test_rules_of_the_class_stay_as_they_were(server: MockServer) -> None:
    crawl(Shop, url=server("/shop"))
    assert all(type(rule.link_extractor) is LinkExtractor for rule in Shop.rules)


@pytest.mark.parametrize("attribute", ["allow_res", "restrict_xpaths"])
def test_wrapped_extractors_still_show_what_they_are(server: MockServer, attribute: str) -> None:
    crawled = crawl(Shop, url=server("/shop"))
    assert all(hasattr(rule.link_extractor, attribute) for rule in crawled.spider._rules)
