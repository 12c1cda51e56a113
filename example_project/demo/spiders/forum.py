"""Topics and posts of every board."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from demo.items import Post, Topic


class ForumSpider(Spider):
    name = "forum"
    allowed_domains = ["forum.example"]

    async def start(self) -> AsyncIterator[Any]:
        yield Request("http://forum.example/", self.parse_boards)

    def parse_boards(self, response: Response) -> Iterator[Request]:
        yield from response.follow_all(css="a.forumtitle", callback=self.parse_board)

    def parse_board(self, response: Response) -> Iterator[Request | Topic]:
        for row in response.css("ul.topics > li.row"):
            topic = Topic(
                url=response.urljoin(row.css("a.topictitle::attr(href)").get("")),
                board=response.css("h2.forum-title a::text").get(""),
                title=row.css("a.topictitle::text").get(""),
                author=row.css(".topic-poster .username::text").get(""),
                replies=int(row.css("dd.posts::text").get("")),
                views=int(row.css("dd.views::text").get("")),
            )
            yield topic
            yield Request(topic.url, self.parse_thread)
        yield from response.follow_all(css=".bar-bottom li.next a", callback=self.parse_board)

    def parse_thread(self, response: Response) -> Iterator[Request | Post]:
        for post in response.css("div.post"):
            yield Post(
                url=response.urljoin(post.css("p.author a.unread::attr(href)").get("")),
                topic=response.css("h2.topic-title a::text").get(""),
                author=post.css("p.author .username::text").get(""),
                posted=post.css("p.author time::text").get(""),
                text=[text.strip() for text in post.css(".content::text").getall() if text.strip()],
                quote=post.css(".content blockquote div::text").get(),
            )
        yield from response.follow_all(css=".bar-bottom li.next a", callback=self.parse_thread)
