"""Everything that can be wrong with a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.shop_pages import listing

if TYPE_CHECKING:
    from collections.abc import Callable

HTML = "text/html; charset=utf-8"
MEGABYTE = 1024 * 1024


def empty() -> tuple[bytes, str]:
    return b"", HTML


def white_space() -> tuple[bytes, str]:
    return b" \r\n\t ", HTML


def json_as_html() -> tuple[bytes, str]:
    return json.dumps({"items": [{"id": number, "html": "<b>x</b>"} for number in range(200)]}).encode(), HTML


def page_in_json() -> tuple[bytes, str]:
    return json.dumps({"html": listing(), "next": 2}).encode(), HTML


def pdf_as_html() -> tuple[bytes, str]:
    return b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + b"<</Type /Page>> <p> \x80\xff" * 500, "text/html"


def binary_as_html() -> tuple[bytes, str]:
    return bytes(range(256)) * 40, "text/html"


def feed_as_html() -> tuple[bytes, str]:
    entries = "".join(f"<item><title>Entry {number}</title></item>" for number in range(100))
    return f'<?xml version="1.0"?><rss><channel>{entries}</channel></rss>'.encode(), HTML


def fifty_megabytes() -> tuple[bytes, str]:
    page = listing().encode()
    return page + b"<p>filler</p>" * ((50 * MEGABYTE - len(page)) // 13 + 1), HTML


def nested() -> tuple[bytes, str]:
    return b"<html><body>" + b"<div>" * 200_000 + b"deep" + b"</div>" * 200_000 + b"</body></html>", HTML


def siblings() -> tuple[bytes, str]:
    return b"<html><body><ul>" + b"<li>x" * 1_000_000 + b"</ul></body></html>", HTML


def nul_bytes() -> tuple[bytes, str]:
    return listing().replace("oak", "o\0ak").encode(), HTML


def truncated() -> tuple[bytes, str]:
    page = listing()
    return page[: page.index("Product 20</a>")].encode() + b'<a href="/unfin', HTML


def script_only() -> tuple[bytes, str]:
    return (
        b'<html><head><script src="/app.js"></script></head><body><script>start()</script></body></html>',
        HTML,
    )


def frameset() -> tuple[bytes, str]:
    return (
        b'<html><head><title>t</title></head><frameset cols="50%,50%"><frame src="/a"></frameset></html>',
        HTML,
    )


def invalid_charset() -> tuple[bytes, str]:
    page = listing().replace("solid oak", "ma\xdfives Eichenholz").replace('<meta charset="utf-8">', "")
    return page.encode("cp1252"), "text/html; charset=no-such-charset"


def wrong_charset() -> tuple[bytes, str]:
    return listing().replace("solid oak", "ma\xdfives Eichenholz").encode("cp1252"), HTML


#: By name: the function that makes body and content type.
BAD_PAGES: dict[str, Callable[[], tuple[bytes, str]]] = {
    make.__name__: make
    for make in (
        empty,
        white_space,
        json_as_html,
        page_in_json,
        pdf_as_html,
        binary_as_html,
        feed_as_html,
        fifty_megabytes,
        nested,
        siblings,
        nul_bytes,
        truncated,
        script_only,
        frameset,
        invalid_charset,
        wrong_charset,
    )
}
