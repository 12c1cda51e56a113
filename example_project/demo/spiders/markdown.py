"""Pages as Markdown, a JSON line each: input for a search index or a language model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class MarkdownSpider(CrawlSpider):
    name = "markdown"
    allowed_domains = ["news.example"]
    start_urls = ["http://news.example/"]
    rules = [
        Rule(LinkExtractor(allow=r"/\?page=\d+$")),
        Rule(LinkExtractor(allow=r"/\w+/[\w-]+$", deny=r"/(tag|places)/"), callback="parse_page"),
    ]

    def parse_page(self, response: Response) -> Iterator[dict[str, Any]]:
        yield {
            "url": response.url,
            "title": response.css("h1::text").get(""),
            "markdown": response.tps.markdown(),
        }
