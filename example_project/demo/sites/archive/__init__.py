"""archive.example: the documents that search.example finds, in the table layout of an older site."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from demo.sites.base import Site, chunk, links

PAGE_SIZE = 10


class Archive(Site):
    host = "archive.example"

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        if path == "/new":
            return self._new(query)
        for document in self.data["documents"]:
            if path == f"/doc/{document['id']}":
                return self.fill(
                    "document",
                    document,
                    authors="".join(f"<dd class=author>{escape(author)}" for author in document["authors"]),
                    abstract="".join(f"<p>{escape(text)}</p>" for text in document["abstract"]),
                    keywords=links(document["keywords"], "/keyword/", '<a href="{url}">{text}</a>'),
                    collections=links(self.data["collections"], "/collection/", MENU_LINK),
                )
        return None

    def _new(self, query: Mapping[str, str]) -> str:
        documents, number, pages = chunk(self.data["documents"], query, PAGE_SIZE)
        first = (number - 1) * PAGE_SIZE + 1
        rows = [
            self.fill("scan", document, number=str(at), authors=escape("; ".join(document["authors"])))
            for at, document in enumerate(documents, first)
        ]
        further = [
            f'<a href="/new?page={n}">{n}</a>' if n != number else f"<b>{n}</b>" for n in range(1, pages + 1)
        ]
        if number < pages:
            further.append(f'<a href="/new?page={number + 1}">Next</a>')
        return self.fill(
            "new",
            {"first": first, "last": first + len(documents) - 1, "total": len(self.data["documents"])},
            rows="".join(rows),
            pages=" ".join(further),
            collections=links(self.data["collections"], "/collection/", MENU_LINK),
        )


MENU_LINK = '<tr><td bgcolor="#e8e4d8"><font size="2"><a href="{url}">{text}</a></font></td></tr>'
