"""Pages that a browser rendered for scrapy-playwright are pruned like others."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.crawling import project, scrapy
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

SPIDER = """
from scrapy_tps import prune

class Shop(scrapy.Spider):
    name = "shop"

    async def start(self):
        yield scrapy.Request({url!r}, meta={{"playwright": True, "playwright_include_page": True}})

    async def parse(self, response):
        page = response.meta["playwright_page"]
        title = await page.title()
        content = await page.content()
        await page.close()
        yield {{"title": title, "class": type(response).__name__, "from_browser": prune(content).html.count("<nav"),
                "browser_navs": content.count("<nav"), "products": len(response.css("div.product")),
                "navs": response.tps.html.count("<nav"),
                "outcome": response.tps.outcome, "original": len(response.original.css("nav"))}}
"""
SETTINGS = """
DOWNLOAD_HANDLERS = {{"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"}}
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
PLAYWRIGHT_LAUNCH_OPTIONS = {{"executable_path": {chromium!r}, "args": ["--no-sandbox"]}}
PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT = 180_000  # a machine that runs other tests is slow
"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_rendered_page(tmp_path: Path, server: MockServer) -> None:
    pytest.importorskip("scrapy_playwright", reason="scrapy-playwright is not installed")
    directory = project(tmp_path, SPIDER.format(url=server("/shop")), SETTINGS.format(chromium=CHROMIUM))
    done = scrapy("crawl", "shop", "-O", "items.json", cwd=directory)
    assert "Traceback" not in done.stderr, done.stderr
    (item,) = json.loads((directory / "items.json").read_text())
    assert item == {
        "title": "Shop, page 1",
        "class": "PrunedHtmlResponse",
        "from_browser": 0,
        "browser_navs": 2,
        "products": PRODUCTS,
        "navs": 0,
        "outcome": "pruned",
        "original": 2,
    }
