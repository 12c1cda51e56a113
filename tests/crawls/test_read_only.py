"""A crawl where nothing can be written, as in a container with a read-only file system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawling import project, scrapy
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
            yield {{"name": product.css("a::text").get()}}
"""


@pytest.mark.parametrize("samples", [0, 2])
def test_a_data_directory_that_cannot_be_made_does_not_stop_the_crawl(
    tmp_path: Path, server: MockServer, samples: int
) -> None:
    directory = project(tmp_path, SPIDER.format(url=server("/shop")), f"TPS_SAMPLES = {samples}\n")
    # for root, who runs many tests, no directory is read-only: a file in its way keeps it from being made
    (tmp_path / "file").touch()
    with (directory / "scrapy.cfg").open("a") as configuration:
        configuration.write(f"[datadir]\ndefault = {tmp_path / 'file' / 'data'}\n")
    log = scrapy("crawl", "shop", cwd=directory).stderr
    assert f"'item_scraped_count': {PRODUCTS}" in log
    assert "Traceback" not in log
    assert log.count("figures of this crawl will not be kept") == 1
    assert "'tps/store/errors': 1" in log
