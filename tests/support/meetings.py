"""A page of meetings and products with a menu, a carousel, and topics beside it; pruned without them."""

from __future__ import annotations

from typing import Any

from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from tests.support.cuts import without

ROWS = "".join(
    f"<tr class='row r{number}'><td>Meeting of the board, number {number}<td class=d>2026-01-{number:02}"
    for number in range(1, 21)
)
CARDS = "".join(f"<div class=product><b class=price>{number} EUR</b></div>" for number in range(20))
CAROUSEL = "".join(f"<span><i class='price x'>{number} EUR</i></span>" for number in range(12))
TOPICS = "".join(f"<li class=topic><a href=/t/{number}>Topic {number}</a>" for number in range(5))
PAGE = f"""<html><head><title>Meetings</title><link rel=stylesheet href=/style.css></head><body>
<nav><a class=menu href=/a>About</a><a class=menu href=/b>Contact</a></nav>
<div id=main><h1 class=head>All meetings</h1>
<table><tr class=heading><th>Meeting<th>Date</tr>{ROWS}</table>
<div class=products>{CARDS}</div></div>
<div class=carousel>{CAROUSEL}</div>
<aside><h2 class=head>Topics</h2><ul>{TOPICS}</ul><form action=/s><input name=q></form></aside>
</body></html>"""
CUT = without("nav", "aside", ".carousel", "tr.heading", "tr.r3 td.d")


def page(text: str = PAGE) -> HtmlResponse:
    return HtmlResponse("http://a.example/", body=text.encode(), encoding="utf-8")


def pruned(settings: dict[str, Any] | None = None, text: str = PAGE) -> Any:
    return prune_response(page(text), {**CUT, **(settings or {})})
