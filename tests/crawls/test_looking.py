"""Commands that fetch pages to look at leave nothing behind and say nothing of a crawl."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from scrapy_tps.stats.samples import SampleStore
from scrapy_tps.stats.store import FiguresStore
from tests.support.crawling import project, scrapy

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

SPIDER = """
class Shop(scrapy.Spider):
    name = "shop"
    start_urls = [{url!r}]
    allowed_domains = ["127.0.0.1"]

    def parse(self, response):
        '''
        @url {url}
        @returns items 1
        '''
        yield {{"url": response.url, "original": len(response.original.css("nav"))}}
"""
SETTINGS = """
TPS_SAMPLES = 1
TPS_REPORT = "report.json"
LOG_ENABLED = True
LOG_LEVEL = "INFO"
"""
LOUD = ("-s", "LOG_ENABLED=1", "-L", "INFO")

NAVS = "[response.text.count('<nav'), len(response.original.css('nav')), response.tps.outcome]"
#: Arguments of each command, and what it prints.
LOOKS = {
    "fetch": (["fetch", "URL"], "Product 48"),
    "fetch with a spider": (["fetch", "--spider", "shop", "URL"], "Product 48"),
    "shell": (["shell", "URL", "-c", NAVS], "[0, 2, 'pruned']"),
    "parse": (["parse", "URL", "--spider", "shop", "--nocolour"], "'original': 2"),
    "check": (["check", "shop"], ""),
    "tps-view --html": (["tps-view", "--html", "URL"], "Product 48"),
    "tps-view": (["tps-view", "URL", "--no-browser", "-o", "view.html"], "view.html"),
    "tps-records": (["tps-records", "URL"], "Product 48"),
    "tps-check": (["tps-check", "shop", "URL"], "1 the same with and without pruning"),
}


def kept(directory: Path) -> tuple[int, int, str]:
    """The crawls and samples that the project has, and its last report."""
    data = directory / ".scrapy"
    with closing(FiguresStore(data / "tps-stats.sqlite", create=False)) as store:
        crawls = len(store.crawls())
    with closing(SampleStore(data / "tps-samples.sqlite", create=False)) as samples:
        return crawls, len(samples.samples()), (directory / "report.json").read_text()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, server: MockServer) -> Path:
    """A project that has been crawled once."""
    directory = project(tmp_path_factory.mktemp("project"), SPIDER.format(url=server("/shop")), SETTINGS)
    done = scrapy("crawl", "shop", cwd=directory)
    assert "DOM reduction per site" in done.stderr
    assert kept(directory)[:2] == (1, 1)
    return directory


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_is_no_crawl(crawled: Path, server: MockServer, look: str) -> None:
    before = kept(crawled)
    # another page than the crawl's, so that a sample of it would show
    arguments, prints = LOOKS[look]
    done = scrapy(*(server("/shop?page=2") if one == "URL" else one for one in arguments), *LOUD, cwd=crawled)
    assert prints in done.stdout
    assert "<nav" not in done.stdout
    assert kept(crawled) == before
    assert "DOM reduction per site" not in done.stderr
    assert "Wrote the report" not in done.stderr


def test_a_shell_says_what_came_from_the_original(crawled: Path, server: MockServer) -> None:
    code = "[response.css('a.only::attr(href)').get(), response.css('h2.title').get() is None]"
    done = scrapy("shell", server("/shop?page=3"), "-c", code, *LOUD, "-s", "TPS_STRATEGY=paper", cwd=crawled)
    assert "['/only/3', False]" in done.stdout
    (told,) = [line for line in done.stderr.splitlines() if "found on the original" in line]
    assert "a.only::attr(href): found on the original only; removed: /html/body/header" in told
