"""Documents: found on one host, described on another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from demo.items import Document


class SearchSpider(Spider):
    name = "search"
    allowed_domains = ["search.example", "archive.example"]

    async def start(self) -> AsyncIterator[Any]:
        yield Request("http://search.example/search?q=parish", self.parse_results)

    def parse_results(self, response: Response) -> Iterator[Request]:
        for result in response.css("#rso div.g"):
            document = Document(
                url=result.css("a[data-ved]::attr(href)").get(""),
                title=result.css("h3::text").get(""),
                snippet=result.css(".st::text").get(""),
                type=result.css(".type::text").get(""),
                published=result.css(".date::text").get(""),
            )
            yield Request(document.url, self.parse_document, cb_kwargs={"document": document})
        yield from response.follow_all(css="#pnnext", callback=self.parse_results)

    def parse_document(self, response: Response, document: Document) -> Iterator[Document]:
        record = response.css("dl.record")
        document.authors = [text.strip() for text in record.css("dd.author::text").getall()]
        document.publisher = record.css("dd.publisher::text").get()
        document.pages = int(record.css("dd.pages::text").re_first(r"\d+") or 0)
        document.licence = record.css("dd.licence::text").get()
        document.abstract = response.css(".abstract p::text").getall()
        document.keywords = response.css(".keywords a::text").getall()
        yield document
