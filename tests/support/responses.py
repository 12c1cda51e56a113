"""Responses of a shop's listing, as downloaded and as pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse

from scrapy_tps.response import prune_html
from scrapy_tps.settings.definitions import page_settings
from tests.support.shop_pages import PRODUCTS, listing

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings

URL = "http://shop.example/list/index.html"
PAPER = page_settings({"TPS_STRATEGY": "paper"})


def page(text: str | bytes | None = None, cls: type[Any] = HtmlResponse, **kwargs: Any) -> Any:
    body = listing() if text is None else text
    kwargs.setdefault("headers", {"Content-Type": "text/html; charset=utf-8"})
    return cls(url=URL, body=body.encode() if isinstance(body, str) else body, **kwargs)


def pruned(response: Any = None, settings: PageSettings = PAPER) -> Any:
    response = page() if response is None else response
    return prune_html(response, settings)


def is_pruned_page(response: Any) -> bool:
    # not by a selector, which the original would answer
    return len(response.css("div.product")) == PRODUCTS and "<nav" not in response.text
