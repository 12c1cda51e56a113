"""Callbacks with selectors alone give what they give without pruning, with default settings."""

from __future__ import annotations

from typing import Any

from tests.support.text_crawls import Serve, same
from tests.support.text_sites import Field, RandomSite
from tests.support.text_spiders import TextSpider


class Picks(TextSpider):
    """Names a place and takes tags there, names a class that related items have, too, and searches in tags."""

    name = "picks"

    def read(self, response: Any) -> dict[str, Any]:
        aside, related = response.css("aside.sidebar"), response.xpath("//section[@class='related']")
        return {
            "code": response.css(".code span::text").get(),
            "about": aside.css("a::attr(href)").getall(),
            "state": aside.css("p::text, div").getall(),
            "text": aside.xpath("normalize-space(.)").get(),
            "foot": response.xpath("string(//footer[@class='foot'])").get(),
            "minis": related.css("li a::text").getall(),
            "behind": related.css("h2").xpath("following-sibling::ul//a/@href").getall(),
            "items": response.css("a::attr(href)").re(r"/item/(\d+)"),
            "rights": response.xpath("//p/text()").re_first("© (.*)"),
        }


def test_callbacks_with_selectors_lose_nothing(serve: Serve) -> None:
    for seed, place in enumerate(("aside", "footer", "header", "related")):
        site = RandomSite(seed, (Field("code", "all", place, "class"),))
        stats = same(Picks, serve(site))
        assert "tps/text/pages" not in stats  # nothing was compared
