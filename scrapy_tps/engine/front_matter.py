"""Labels of a page (title, author, date …), as YAML for the front of its Markdown."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from parsel import Selector

from scrapy_tps.engine.html.elements import reads_tree
from scrapy_tps.engine.markdown import safe_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.engine.html.elements import Element

#: XPaths by key, the most reliable first. Nothing is guessed from texts.
_LABELS: Final = {
    "title": ("//meta[@property='og:title']/@content", "//head/title/text()", "//body//h1//text()[1]"),
    "address": (),
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
    "language": ("/html/@lang", "//meta[@http-equiv='content-language']/@content"),
}
_NAMES_IN_DATA: Final = {"author": "author", "date": "datePublished", "language": "inLanguage"}
#: JMESPath to such names in the objects of JSON-LD and of their graphs: texts, and names of people.
_IN_DATA: Final = """[[@][], [@][]."@graph"[]][][].[%s][][].[name, @][] | [?type(@) == 'string']"""
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]+")


@reads_tree
def front_matter(root: Element, url: str | None) -> str:
    """Return title, address, canonical address, author, date of publication and language, if labelled.

    An empty string if nothing is labelled.
    """
    page = Selector(root=root, type="html")
    found = {}
    for key, paths in _LABELS.items():
        found[key] = _first(label for path in paths for label in page.xpath(path).getall())
    with suppress(RecursionError):  # data that are nested too deeply for a parser
        scripts = root.xpath("//script[@type='application/ld+json']/text()")
        data = [Selector(text=str(script), type="json") for script in scripts]
        for key, name in _NAMES_IN_DATA.items():
            texts = (text for one in data for text in one.jmespath(_IN_DATA % name).getall())
            found[key] = found[key] or _first(texts)
    found.update(address=url or "", canonical=safe_address(found["canonical"], url))
    # strings of JSON are strings of YAML
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in found.items() if value]
    return f"---\n{''.join(lines)}---\n" if lines else ""


def _first(texts: Iterable[str]) -> str:
    """Return the first text that is not blank, in one line."""
    return next(filter(None, (" ".join(_UNPRINTABLE.sub(" ", text).split()) for text in texts)), "")
