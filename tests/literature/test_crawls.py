"""Crawls with each method, chosen by its name and by nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider

from scrapy_tps.engine.strategies import BUILT_IN, GUARDED, LITERATURE
from tests.support.crawling import crawl
from tests.support.demo_sites import ToDemoSites, demo_sites

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.support.mockserver import MockServer

pytestmark = pytest.mark.slow

METHODS = [f"{name}{guard}" for name in LITERATURE for guard in ("", GUARDED)]
#: The first page of some demo sites, and what is in the addresses of their pages about one thing.
FRONTS = {
    "http://shop.example/c/headphones": "/p/",
    "http://archive.example/new": "/doc/",
    "http://news.example/": "/environment/",
    "http://jobs.example/jobs": "/job/",
}
#: Of such pages, so many are visited; all but one method need two others.
MORE = 3


class Browsing(Spider):
    """Visits a few pages of each demo site."""

    name = "browsing"

    async def start(self) -> AsyncIterator[Request]:
        for front, part in FRONTS.items():
            yield Request(front, cb_kwargs={"part": part})

    def parse(self, response: Any, part: str | None = None) -> Iterator[Any]:
        yield {"url": response.url, "outcome": response.tps.outcome, "error": response.tps.error}
        if part is not None:
            links = dict.fromkeys(response.original.css(f"a[href*='{part}']::attr(href)").getall())
            yield from response.follow_all(list(links)[:MORE])


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    with demo_sites() as address:
        yield address


@pytest.mark.parametrize("name", [*BUILT_IN, *METHODS])
def test_a_name_is_all_that_a_crawl_needs(name: str, proxy: str) -> None:
    settings = {"DOWNLOADER_MIDDLEWARES": {ToDemoSites: 740}, "DEMO_SITES": proxy, "LOG_LEVEL": "WARNING"}
    crawled = crawl(Browsing, {"TPS_STRATEGY": name, **settings})
    outcomes = Counter(item["outcome"] for item in crawled.items)
    assert [item for item in crawled.items if item["error"] is not None] == []
    assert outcomes.total() == len(FRONTS) * (1 + MORE)
    assert outcomes["pruned"] > 0
    assert set(outcomes) <= {"pruned", "no_region", "ambiguous"}


class Sites(Spider):
    """Visits three pages of each of some sites, all sites by turns."""

    name = "sites"
    count: int

    async def start(self) -> AsyncIterator[Request]:
        for page in range(3):
            for site in range(self.count):
                yield Request(f"http://site-{site}.example/story/{page}", priority=-page)

    def parse(self, response: Any) -> Iterator[Any]:
        yield {"outcome": response.tps.outcome}


@pytest.mark.parametrize(("sites", "pruned"), [(20, 20), (21, 0)])
def test_pages_of_twenty_sites_are_remembered_at_most(sites: int, pruned: int, server: MockServer) -> None:
    settings = {
        "DOWNLOADER_MIDDLEWARES": {ToDemoSites: 740},
        "DEMO_SITES": server.url,
        "CONCURRENT_REQUESTS": 1,
    }
    crawled = crawl(Sites, {"TPS_STRATEGY": "shingles", "TPS_MIN_NODES": 0, **settings}, count=sites)
    outcomes = Counter(item["outcome"] for item in crawled.items)
    assert outcomes == Counter(no_region=3 * sites - pruned, pruned=pruned)
