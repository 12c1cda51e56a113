"""search.example: mixed results (plain, with a picture, with further links) between advertisements."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from demo.sites.archive import Archive
from demo.sites.base import Site, links

PAGE_SIZE = 10
VARIANTS = ("plain", "plain", "picture", "plain", "links")


class Search(Site):
    host = "search.example"

    def __init__(self) -> None:
        super().__init__()
        self._documents = Archive().data["documents"]

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        if path != "/search":
            return None
        start = int(query.get("start", "0")) if query.get("start", "0").isdigit() else 0
        found = self._documents[start : start + PAGE_SIZE]
        results = []
        for position, document in enumerate(found):
            variant = VARIANTS[(start + position) % len(VARIANTS)]
            results.append(self.fill(variant, document, byline=escape(", ".join(document["authors"]))))
            if position == 4:
                results.append(self.fill("asked", questions="".join(map(self._question, self.data["asked"]))))
        advertisements = "".join(
            self.fill("advertisement", {"title": title, "shown": shown, "text": text})
            for title, shown, text in self.data["ads"]
        )
        starts = range(0, len(self._documents), PAGE_SIZE)
        numbers = "".join(
            f'<td><a class="fl" aria-label="Page {n}" href="/search?q=parish&amp;start={at}">{n}</a></td>'
            for n, at in enumerate(starts, 1)
        )
        following = NEXT.format(start + PAGE_SIZE) if start + PAGE_SIZE < len(self._documents) else ""
        return self.fill(
            "layout",
            {"query": query.get("q", ""), "total": len(self._documents)},
            advertisements=advertisements,
            results="".join(results),
            numbers=numbers + following,
            related=links(
                self.data["related"], "/search?q=", '<a class="k8XOCe" href="{url}"><b>{text}</b></a>'
            ),
            languages=links(self.data["languages"], "/preferences?lang=", '<a href="{url}">{text}</a>'),
        )

    def _question(self, pair: tuple[str, str]) -> str:
        question, answer = map(escape, pair)
        return f"<details><summary>{question}</summary><div class='wDYxhc'>{answer}</div></details>"


NEXT = '<td><a id="pnnext" rel="next" href="/search?q=parish&amp;start={}"><span>Next</span></a></td>'
