"""Selections for pages, to measure what it costs that the original answers what pruning took.

Of each page twenty selections by class: ``matching``, all of them find the same on either page; ``nothing``, a
quarter of them find nothing on either page; ``removed``, one of them finds something in removed parts alone.
"""

from __future__ import annotations

from typing import Any

from scrapy.http import HtmlResponse

from benchmarks.crawl_cost import NARROW
from scrapy_tps import prune_response

MIXES = ("matching", "nothing", "removed")
_MOST = 20
_LOOKED_AT = 60
#: Selections that spiders try on pages of any kind, those of which most find nothing.
_TRIED = (*NARROW, ".author::text", ".sku", "#price", ".breadcrumb a", ".rating", "h1.product-title::text")


def mix(kind: str, body: bytes, strategy: str) -> list[str] | None:
    """Return selections for a page; None where it is not pruned, or has none of the kind."""
    whole = HtmlResponse("http://page.example/", body=body)
    pruned: Any = prune_response(whole, {"TPS_STRATEGY": strategy, "TPS_ASK": False})
    if not pruned.tps.pruned:
        return None
    classes = {word for value in whole.css("body *::attr(class)").getall() for word in value.split()}
    names = [f".{word}" for word in sorted(classes) if word.isidentifier()]
    names = names[:: max(1, len(names) // _LOOKED_AT)]
    found = [name for name in names if pruned.css(name) and _texts(pruned, name) == _texts(whole, name)]
    found = found[:: max(1, len(found) // _MOST)][:_MOST]
    if kind == "nothing":
        tried = [name for name in _TRIED if not whole.css(name)][: _MOST // 4]
        return found[: 3 * len(tried)] + tried
    if kind == "removed":
        gone = [name for name in names if not pruned.css(name)]
        return [*found[: _MOST - 1], gone[len(gone) // 2]] if gone else None
    return found


def _texts(response: HtmlResponse, query: str) -> list[str]:
    return ["".join(text.split()) for text in response.css(query).xpath("string()").getall()]
