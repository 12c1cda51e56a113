"""The labelled pages: markup in ``NAME.html``, labels in ``NAME.json`` next to it.

A label file has these keys:

``kind``
    sort of page (listing, table, thread, article …), for the reader of the figures;
``set``
    ``first`` where it is missing, or ``second``: floors are kept for each set, so that further pages, which are
    harder or easier, neither hide a fall nor make one; nothing was fitted to the second set before it was scored. A
    third, ``few``, is made of both (:mod:`.few`);
``encoding``
    encoding of the file, given to the pruner as Scrapy would take it from the header;
``records``
    ``xpath`` selects the records of the page, or the blocks of text of a page without records, in
    document order, and is empty when there are none; ``fields`` holds for each of them the values that its
    text must hold, so that a label that selects something else is noticed;
``stay``
    snippets outside the records that must stay: headings, pagination, messages;
``go``
    snippets that should go: consent texts, footers, advertisements.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = Path(__file__).resolve().parent / "pages"


@dataclass(frozen=True)
class LabelledPage:
    """One page of the gate; see the module for the labels."""

    name: str
    body: bytes
    kind: str
    encoding: str
    xpath: str
    fields: list[list[str]]
    stay: list[str]
    go: list[str]
    set: str = "first"

    @property
    def url(self) -> str:
        return f"http://{self.name}.example/"


def labelled_pages(folder: Path = PAGES) -> Iterator[LabelledPage]:
    """Read every page that has labels, by name."""
    for path in sorted(folder.glob("*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        yield LabelledPage(
            name=path.stem,
            body=path.with_suffix(".html").read_bytes(),
            kind=label["kind"],
            encoding=label["encoding"],
            xpath=label["records"]["xpath"],
            fields=label["records"]["fields"],
            stay=label["stay"],
            go=label["go"],
            set=label.get("set", "first"),
        )
