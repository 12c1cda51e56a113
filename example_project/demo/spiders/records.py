"""Records of all demo sites without a single selector: the spider finds the sites' lists, page after page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request
from scrapy.http import TextResponse

from scrapy_tps.spiders import ListingSpider


class RecordsSpider(ListingSpider):
    """Crawls the listings; the forum's boards and topics are lists of links to other lists."""

    name = "records"
    allowed_domains = [f"{site}.example" for site in ("archive", "forum", "jobs", "news", "search", "shop")]
    start_urls = [
        "http://archive.example/new",
        "http://jobs.example/jobs",
        "http://news.example/",
        "http://search.example/search?q=parish",
        "http://shop.example/c/headphones",
    ]
    max_pages = 0

    async def start(self) -> AsyncIterator[Any]:
        async for request in super().start():
            yield request
        yield Request("http://forum.example/", self.parse_boards)

    def parse_boards(self, response: TextResponse) -> Iterator[Any]:
        for board in self.items(response):
            yield board
            yield response.follow(board["url"], self.parse_topics)

    def parse_topics(self, response: TextResponse) -> Iterator[Any]:
        for topic in self.items(response):
            yield topic
            yield response.follow(topic["url"], self.parse_listing)
        yield self.next_request(response)
