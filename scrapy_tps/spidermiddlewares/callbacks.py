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
    rule = request.meta.get("rule")
    # all rules of a CrawlSpider share one callback
    return f"{name}:{rule}" if name == "_callback" and isinstance(rule, int) else name
