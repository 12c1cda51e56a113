"""Write the generated pages of the quality gate, and their labels, into ``pages``."""

from __future__ import annotations

import json

from .labels import PAGES
from .making.catalogue import GENERATED, make


def generate() -> None:
    PAGES.mkdir(exist_ok=True)
    for name in GENERATED:
        page = make(name)
        labels = json.dumps(page.labels, ensure_ascii=False, indent=1) + "\n"
        (PAGES / f"{name}.html").write_bytes(page.html.encode(page.content.encoding))
        (PAGES / f"{name}.json").write_text(labels, encoding="utf-8")


if __name__ == "__main__":
    generate()
