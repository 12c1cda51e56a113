"""Everything that can go wrong with a page leaves the crawl alive and the page whole."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider

from tests.support.crawling import Crawled, crawl
from tests.support.mockserver.bad_pages import BAD_PAGES

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer

#: The page that must still come after all the others.
LAST = "/shop"

#: What may come of each page. "pruned" stands for: as any other page.
OUTCOMES = {
    "empty": {"empty"},
    "white_space": {"empty"},
    "json_as_html": {"not_html"},
    "page_in_json": {"not_html"},
    "pdf_as_html": {"not_html"},
    "binary_as_html": {"too_small", "no_body", "not_html", "no_region"},
    "feed_as_html": {"not_html"},
    "fifty_megabytes": {"too_large"},
    "nested": {"too_deep"},
    "siblings": {"too_large"},
    "nul_bytes": {"pruned"},
    "truncated": {"pruned"},
    "script_only": {"too_small"},
    "frameset": {"no_body", "too_small"},
    "invalid_charset": {"pruned"},
    "wrong_charset": {"pruned"},
}


class BadPages(Spider):
    name = "bad"
    server: str

    async def start(self) -> Any:
        for name in BAD_PAGES:
            yield Request(f"{self.server}/bad/{name}", cb_kwargs={"page": name})
        yield Request(self.server + LAST, cb_kwargs={"page": LAST})

    def parse(self, response: Any, page: str) -> Any:
        body = response.body
        yield {
            "page": page,
            "outcome": response.tps.outcome,
            "error": response.tps.error,
            "size": len(body),
            "digest": hashlib.sha256(body).hexdigest(),
            "original": hashlib.sha256(response.original.body).hexdigest(),
            "products": len(response.css("div.product")) if response.tps.outcome == "pruned" else 0,
        }


@pytest.fixture(scope="module")
def crawled(server: MockServer) -> Crawled:
    settings = {"DOWNLOAD_MAXSIZE": 0, "DOWNLOAD_WARNSIZE": 0, "LOG_LEVEL": "ERROR", "CONCURRENT_REQUESTS": 4}
    return crawl(BadPages, settings, server=server.url)


@pytest.fixture(scope="module")
def items(crawled: Crawled) -> dict[str, dict[str, Any]]:
    return {item["page"]: item for item in crawled.items}


def test_every_page_and_the_one_after_them_arrive(crawled: Crawled, items: dict[str, Any]) -> None:
    assert set(items) == {*BAD_PAGES, LAST}
    assert items[LAST]["outcome"] == "pruned"
    assert crawled.stats["finish_reason"] == "finished"
    assert not [key for key in crawled.stats if key.startswith("spider_exceptions")]
    assert crawled.stats["tps/pages"] == len(BAD_PAGES) + 1


@pytest.mark.parametrize("name", BAD_PAGES)
def test_outcome(items: dict[str, Any], name: str) -> None:
    assert items[name]["outcome"] in OUTCOMES[name], items[name]["error"]


@pytest.mark.parametrize("name", BAD_PAGES)
def test_original_arrives_byte_by_byte(items: dict[str, Any], name: str) -> None:
    body, _ = BAD_PAGES[name]()
    digest = hashlib.sha256(body).hexdigest()
    assert items[name]["original"] == digest
    if items[name]["outcome"] != "pruned":
        assert (items[name]["digest"], items[name]["size"]) == (digest, len(body))


@pytest.mark.parametrize(
    ("name", "products"),
    [("nul_bytes", 24), ("truncated", 20), ("invalid_charset", 24), ("wrong_charset", 24)],
)
def test_records_of_broken_pages_are_all_there(items: dict[str, Any], name: str, products: int) -> None:
    assert items[name]["products"] == products
