"""Labels of a page (title, author, date …), as YAML for the front of its Markdown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator

#: By key: XPaths, the surest first. None is guessed from texts.
_LABELS: Final = {
    "title": ("//meta[@property='og:title']/@content", "//head/title/text()", "//body//h1//text()[1]"),
    "canonical": ("//link[@rel='canonical']/@href", "//meta[@property='og:url']/@content"),
    "author": (
        "//meta[@name='author' or @property='article:author' or @itemprop='author']/@content",
        "//*[@itemprop='author']//*[@itemprop='name']//text()",
        "//*[@itemprop='author' or @rel='author']//text()",
    ),
    "date": (
        "//meta[@property='article:published_time' or @itemprop='datePublished' or @name='date']/@content",
        "//*[@itemprop='datePublished']/@datetime",
        "//time[@pubdate]/@datetime",
    ),
    "language": ("/html/@lang", "/html/@xml:lang", "//meta[@http-equiv='content-language']/@content"),
}
#: Where JSON-LD says the same.
_IN_DATA: Final = {"author": "author", "date": "datePublished", "language": "inLanguage"}
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]+")


def front_matter(root: Any, url: str | None) -> str:
    """Return title, address, canonical address, author, date of publication and language, if labelled.

    An empty string where nothing is.
    """
    found = {"title": "", "address": url or "", "canonical": "", "author": "", "date": "", "language": ""}
    for key, paths in _LABELS.items():
        found[key] = next((value for path in paths for one in root.xpath(path) if (value := _plain(one))), "")
    if found["canonical"]:
        found["canonical"] = urljoin(url or "", found["canonical"])
    if not all(found[key] for key in _IN_DATA):
        for part in _data(root):
            for key, name in _IN_DATA.items():
                found[key] = found[key] or _plain(_name(part.get(name)))
    # strings of JSON are strings of YAML
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in found.items() if value]
    return f"---\n{''.join(lines)}---\n" if lines else ""


def _plain(text: str) -> str:
    return " ".join(_UNPRINTABLE.sub(" ", text).split())


def _name(value: Any) -> str:
    """The name that JSON-LD gives somebody, the first of several."""
    while isinstance(value, (list, dict)) and value:
        value = value[0] if isinstance(value, list) else value.get("name")
    return value if isinstance(value, str) else ""


def _data(root: Any) -> Iterator[dict[str, Any]]:
    """Yield the top objects of JSON-LD, and those of their graphs."""
    for script in root.xpath("//script[@type='application/ld+json']"):
        try:
            waiting = [json.loads(script.text or "")]
        except (ValueError, RecursionError):
            continue
        for part in waiting:
            if isinstance(part, list):
                waiting += part
            elif isinstance(part, dict):
                waiting += [part["@graph"]] if "@graph" in part else []
                yield part
