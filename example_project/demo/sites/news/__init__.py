"""news.example: a front page with a lead, teasers of several kinds, and articles interrupted by advertisements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from demo.sites.base import Site, chunk, links, slug

PAGE_SIZE = 10
VARIANTS = ("teaser", "teaser", "teaser_picture", "teaser", "teaser_opinion")


class News(Site):
    host = "news.example"

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        if path == "/":
            return self._front(query)
        for article in self.data["articles"]:
            if path == f"/{slug(article['section'])}/{article['slug']}":
                return self._article(article)
        return None

    def _layout(self, title: str, main: str, structured: object) -> str:
        places = [f"{section} in {town}" for town in self.data["towns"] for section in self.data["sections"]]
        return self.fill(
            "layout",
            {"title": title},
            main=main,
            structured=json.dumps(structured),
            sections=links(
                self.data["sections"], "/", '<li class="nav__item"><a href="{url}">{text}</a></li>'
            ),
            places=links(places, "/places/"),
        )

    def _front(self, query: Mapping[str, str]) -> str:
        articles, number, pages = chunk(self.data["articles"], query, PAGE_SIZE)
        stories = []
        for position, article in enumerate(articles):
            variant = "lead" if position == 0 else VARIANTS[position % len(VARIANTS)]
            stories.append(self.fill(variant, article | {"folder": slug(article["section"]), "at": position}))
            if position in (2, 6):
                stories.append(self.fill("advertisement", {"slot": position}))
        older = (
            f'<a class="older" rel="next" href="/?page={number + 1}">Older stories</a>'
            if number < pages
            else ""
        )
        read = links((article["headline"] for article in self.data["articles"][3:18:3]), "/most-read/")
        main = self.fill("front", stories="".join(stories), older=older, read=read)
        return self._layout("News", main, {"@context": "https://schema.org", "@type": "WebSite"})

    def _article(self, article: Mapping[str, Any]) -> str:
        body = []
        for at, text in enumerate(article["paragraphs"]):
            body.append(f'<p class="article__p">{escape(text)}</p>')
            if at == 1:
                body.append(self.fill("advertisement", {"slot": "mid"}))
            if at == 3:
                body.append(self.fill("promotion"))
        main = self.fill(
            "article",
            article,
            body="\n".join(body),
            tags=links(article["tags"], "/tag/", '<a class="tag" href="{url}">{text}</a>'),
            comments="".join(
                f'<li class="comment"><b>{escape(who)}</b><p>{escape(text)}</p></li>'
                for who, text in self.data["comments"]
            ),
        )
        structured = {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": article["headline"],
        }
        return self._layout(article["headline"], main, structured)
