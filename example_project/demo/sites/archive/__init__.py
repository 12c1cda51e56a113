"""archive.example: the documents that search.example finds, in the table layout of an older site."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from demo.sites.base import Site, links


class Archive(Site):
    host = "archive.example"

    def page(self, path: str, query: Mapping[str, str]) -> str | None:  # noqa: ARG002 - documents have one page
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


MENU_LINK = '<tr><td bgcolor="#e8e4d8"><font size="2"><a href="{url}">{text}</a></font></td></tr>'
