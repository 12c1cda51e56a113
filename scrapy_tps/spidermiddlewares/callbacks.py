"""Which callback a page is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.http import Request


def callback_name(request: Request) -> str:
    """The name under which the pages of a callback are counted."""
    callback = request.callback
    if callback is None:
        return "parse"
    name = str(getattr(callback, "__name__", type(callback).__name__))
    number = request.meta.get("rule")
    if name != "_callback" or not isinstance(number, int):
        return name
    # all rules of a CrawlSpider share one callback, which calls their own
    rules = getattr(getattr(callback, "__self__", None), "rules", ())
    own = getattr(rules[number], "callback", None) if number < len(rules) else None
    return str(getattr(own, "__name__", own)) if own else f"{name}:{number}"
