"""Code that the demo sites share: templates, data, links."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from math import ceil
from string import Template
from typing import Any, ClassVar
from urllib.parse import quote


class Site:
    """One host: a data file and templates in the folder of the subclass's module, and its pages."""

    host: ClassVar[str]

    def __init__(self) -> None:
        folder = files(type(self).__module__)  # in an egg there are no paths
        self.data: dict[str, Any] = json.loads((folder / "data.json").read_text(encoding="utf-8"))
        self._templates = {
            file.name.removesuffix(".html"): Template(file.read_text(encoding="utf-8"))
            for file in folder.iterdir()
            if file.name.endswith(".html")
        }

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        """Return the page at that path, or None if there is none."""
        raise NotImplementedError

    def fill(self, template: str, values: Mapping[str, object] | None = None, /, **markup: object) -> str:
        """Fill a template: ``values`` are data and are escaped, ``markup`` is HTML already."""
        escaped = {name: escape(str(value)) for name, value in (values or {}).items()}
        return self._templates[template].substitute(escaped | markup)

    def fill_each(self, template: str, records: Iterable[Mapping[str, object]]) -> str:
        """Fill a template once for every record."""
        return "".join(self.fill(template, record) for record in records)


def slug(text: str) -> str:
    """``"Over-ear & more"`` -> ``"over-ear-more"``."""
    return "-".join("".join(char if char.isalnum() else " " for char in text.lower()).split())


def links(texts: Iterable[str], prefix: str, template: str = '<li><a href="{url}">{text}</a></li>') -> str:
    """A link per text, as menus and footers have them by the hundred."""
    return "\n".join(template.format(url=f"{prefix}{quote(slug(text))}", text=escape(text)) for text in texts)


def chunk(records: Sequence[Any], query: Mapping[str, str], size: int) -> tuple[Sequence[Any], int, int]:
    """Return the records of the page in ``?page=``, its number, and the number of pages."""
    pages = max(1, ceil(len(records) / size))
    asked = query.get("page", "1")
    number = min(max(1, int(asked)), pages) if asked.isdigit() else 1
    return records[(number - 1) * size : number * size], number, pages
