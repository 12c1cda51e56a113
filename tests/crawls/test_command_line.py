"""As a user runs it: processes of their own, each kind of reactor."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.crawling import handler_of_scrapy_is_there, project, scrapy
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

SPIDER = """
class Shop(scrapy.Spider):
    name = "shop"
    start_urls = [{url!r}]

    def parse(self, response):
        for product in response.css("div.product"):
            yield {{"title": product.css("h2 a::text").get(), "outcome": response.tps.outcome,
                    "navs": response.text.count("<nav"), "original": len(response.original.css("nav"))}}
"""
ITEM = {"title": "Product 1", "outcome": "pruned", "navs": 0, "original": 2}

MODES = {
    "asyncio reactor": "",
    "no reactor, in threads": "TWISTED_REACTOR_ENABLED = False\n",
    "another reactor, in threads": "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'\n",
}


@pytest.mark.parametrize("mode", MODES)
def test_crawl(tmp_path: Path, server: MockServer, mode: str) -> None:
    if mode.startswith("no reactor") and not handler_of_scrapy_is_there():
        pytest.skip("the package that Scrapy downloads with is not installed")
    page = "/large" if mode.endswith("threads") else "/shop"
    directory = project(tmp_path, SPIDER.format(url=server(page)), f"TPS_COMPARE = False\n{MODES[mode]}")
    done = scrapy("crawl", "shop", "-O", "items.json", cwd=directory)
    items = json.loads((directory / "items.json").read_text())
    assert len(items) == PRODUCTS
    assert items[0] == ITEM
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr
    assert "DOM reduction per site" in done.stderr
    assert "127.0.0.1" in done.stderr


def test_the_advised_command_reads_the_file_of_this_crawl(tmp_path: Path, server: MockServer) -> None:
    directory = project(tmp_path, SPIDER.format(url=server("/shop")))
    done = scrapy("crawl", "shop", "-s", "TPS_STATS_FILE=my crawls.sqlite", cwd=directory)
    [command] = re.findall("All sites: (.+)", done.stderr)
    assert "127.0.0.1" in scrapy(*shlex.split(command)[1:], cwd=directory).stdout


PROGRAM = """
import sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess

class Titles(scrapy.Spider):
    name = "titles"
    start_urls = [{url!r}]

    def parse(self, response):
        yield from ({{"title": title}} for title in response.css("div.product h2 a::text").getall())

process = AsyncCrawlerProcess({{"ADDONS": {{"scrapy_tps.Addon": 500}}, "TPS_STATS_FILE": "tps.sqlite"}})
process.crawl(Titles)
process.start()
print(sorted({{{names}}} & {{*sys.modules}}))
"""


def test_the_command_that_a_program_without_a_project_advises_reads_its_file(
    tmp_path: Path, server: MockServer
) -> None:
    source = PROGRAM.format(url=server("/shop"), names='"scrapy"')
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    [command] = re.findall("All sites: (.+)", done.stderr)
    assert "127.0.0.1" in scrapy(*shlex.split(command)[1:], cwd=tmp_path).stdout


def test_a_crawl_imports_only_what_it_needs(tmp_path: Path, server: MockServer) -> None:
    """Not records, not the search for lost selectors, not what tells items from others (with pydantic: 7 MiB)."""
    names = '"scrapy_tps.records", "scrapy_tps.proposals.search", "itemadapter", "itemloaders", "pydantic"'
    source = PROGRAM.format(url=server("/shop"), names=names)
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n", done.stderr
    assert "DOM reduction per site" in done.stderr
