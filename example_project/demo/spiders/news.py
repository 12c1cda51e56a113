"""Articles: teasers of the front pages, then the text; callbacks are asynchronous generators."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from demo.items import Article


class NewsSpider(Spider):
    name = "news"
    allowed_domains = ["news.example"]

    async def start(self) -> AsyncIterator[Any]:
        yield Request("http://news.example/", self.parse_front)

    async def parse_front(self, response: Response) -> AsyncIterator[Request]:
        for story in response.css("main article.story"):
            teaser = {
                "headline": story.css(".story__headline a::text").get(""),
                "section": story.css(".story__kicker::text").get(""),
                "teaser": story.css(".story__teaser::text").get(""),
            }
            for link in story.css(".story__headline a"):
                yield response.follow(link, self.parse_article, cb_kwargs={"teaser": teaser})
        for request in response.follow_all(css="a[rel=next]", callback=self.parse_front):
            yield request

    async def parse_article(self, response: Response, teaser: dict[str, str]) -> AsyncIterator[Article]:
        article = response.css("main article")
        yield Article(
            url=response.url,
            **teaser,
            author=article.css(".author::text").get(""),
            published=article.css("time::attr(datetime)").get(""),
            paragraphs=article.css(".article__body > p::text").getall(),
            tags=article.css(".article__tags a.tag::text").getall(),
        )
