"""A page under construction: its markup and, beside it, what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Content:
    """The part of a page that somebody comes for.

    :param title: heading of the page.
    :param html: markup, goes into the main column of a site.
    :param xpath: selects the records, or the blocks of a text; empty when there are none.
    :param records: for each of them in document order, values that its text must hold.
    :param stay: further snippets that must stay (headings, pagination).
    :param go: snippets inside the markup that should go (advertisements).
    :param kind: sort of page, for the reader of the figures.
    """

    title: str
    html: str
    xpath: str = ""
    records: list[list[str]] = field(default_factory=list)
    stay: list[str] = field(default_factory=list)
    go: list[str] = field(default_factory=list)
    kind: str = "listing"
    encoding: str = "utf-8"


@dataclass
class Page:
    """A whole page and its labels; the markup holds no trace of them."""

    html: str
    content: Content
    go: Sequence[str] = ()

    @property
    def labels(self) -> dict[str, object]:
        content = self.content
        return {
            "kind": content.kind,
            "encoding": content.encoding,
            "records": {"xpath": content.xpath, "fields": content.records},
            "stay": content.stay,
            "go": [*content.go, *self.go],
        }
