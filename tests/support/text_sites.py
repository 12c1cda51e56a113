"""Sites made by chance: item pages whose fields stand in the article, or in parts that look like noise.

A site has a listing and item pages. A field stands on all pages, on some, or on the last ones only; in a part of its
own, in a row among others, in a script, or as one text among two. What a spider gets without pruning is what the page
has, so a crawl with and one without pruning must give the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

PAGES: Final = 24
#: The names of the fields that pages hold outside of the article.
FIELDS: Final = ("seller", "stock", "delivery", "rating", "code")

_WORDS: Final = (
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbour",
    "island",
    "jetty",
    "kiln",
)
_SHARES: Final = ("all", "some", "late")
_PLACES: Final = ("aside", "footer", "header", "related")
_SHAPES: Final = ("class", "id", "itemprop", "row", "text", "script")


@dataclass(frozen=True)
class Field:
    """A field outside of the article: on which pages it stands, where, and in which shape."""

    name: str
    share: str
    place: str
    shape: str

    def is_on(self, number: int) -> bool:
        if self.share == "late":
            return number >= 2 * PAGES // 3
        return self.share == "all" or (number * 7 + len(self.name)) % 4 == 0

    def html(self, number: int) -> str:
        value = f"{self.name.title()} {number * 13 % 17 + 3}"
        if self.shape == "text":  # on every page, with another text
            return f'<p class="note-{self.name}x">{value if self.is_on(number) else f"No {self.name}"}</p>'
        if self.shape == "attribute":  # likewise
            return f'<b class="dot" title="{value if self.is_on(number) else "none"}"></b>'
        if not self.is_on(number):
            return ""
        return {
            "class": f'<div class="{self.name}"><b>{self.name}</b> <span>{value}</span></div>',
            "id": f'<div id="{self.name}"><span>{value}</span></div>',
            "itemprop": f'<span itemprop="{self.name}">{value}</span>',
            "row": f"<dl><dt>{self.name}</dt><dd>{value}</dd></dl>",
            "script": f'<script>var {self.name} = "{value}";</script>',
        }[self.shape]


class RandomSite:
    """The pages of one site; equal seeds give equal sites.

    :param menus: the names of its menus.
    """

    def __init__(self, seed: int, fields: tuple[Field, ...] = (), menus: tuple[str, ...] = ("main",)) -> None:
        self._random = random.Random(seed)
        self.fields = fields or tuple(self._field(name) for name in FIELDS)
        self.sold_out = self._random.choice(["class", "id", "text"])
        self._menus = menus
        self._menu = [self._words(2) for _ in range(self._random.randint(8, 40))]
        self._related = self._random.randint(3, 8)

    def _field(self, name: str) -> Field:
        choose = self._random.choice
        return Field(name, choose(_SHARES), choose(_PLACES), choose(_SHAPES))

    def _words(self, number: int) -> str:
        return " ".join(self._random.choice(_WORDS) for _ in range(number))

    def listing(self) -> str:
        cards = "".join(
            f'<li class="card"><a href="/item/{number}">Item {number}</a> <span>{number}.50</span></li>'
            for number in range(PAGES)
        )
        return self._page("Items", f"<h1>Items</h1><ul>{cards}</ul>", 0, with_fields=False)

    def item(self, number: int) -> str:
        texts = random.Random(number)
        paragraphs = "".join(
            f"<p>{' '.join(texts.choice(_WORDS) for _ in range(40)).capitalize()}.</p>" for _ in range(6)
        )
        article = (
            f'<article><h1>Item {number}</h1><p class="price">£{number}.50</p>'
            f'<div class="description">{paragraphs}</div></article>'
        )
        return self._page(f"Item {number}", article, number, with_fields=True)

    def _page(self, title: str, main: str, number: int, *, with_fields: bool) -> str:
        parts = dict.fromkeys(_PLACES, "")
        if with_fields:
            for field in self.fields:
                parts[field.place] += field.html(number)
            parts["aside"] += self._sold_out(number)
        menu = "".join(f'<li><a href="/{one.replace(" ", "-")}">{one}</a></li>' for one in self._menu)
        menus = "".join(f'<nav class="menu {name}"><ul>{menu}</ul></nav>' for name in self._menus)
        related = "".join(
            f'<li class="mini"><a href="/item/{(number + step) % PAGES}">Item {(number + step) % PAGES}</a></li>'
            for step in range(1, self._related + number % 3)
        )
        return (
            f"<!DOCTYPE html><html><head><title>{title}</title><meta charset=utf-8></head><body>"
            f'<header class="top"><a href="/">Home</a>{parts["header"]}</header>{menus}'
            f'<main>{main}</main><aside class="sidebar"><h2>More</h2><ul><li><a href="/a">About</a></li></ul>'
            f'{parts["aside"]}</aside><section class="related"><h2>Related items</h2><ul>{related}</ul>'
            f'{parts["related"]}</section><footer class="foot"><ul>{menu}</ul><p>© 2026 All rights reserved</p>'
            f"{parts['footer']}</footer></body></html>"
        )

    def _sold_out(self, number: int) -> str:
        sold_out = number % 6 == 4
        if self.sold_out == "text":
            return f'<p class="state">{"Sold out" if sold_out else "On sale"}</p>'
        return f'<p {self.sold_out}="sold-out">Sold out</p>' if sold_out else ""


class _Handler(BaseHTTPRequestHandler):
    site: RandomSite

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        name, _, rest = path.lstrip("/").partition("/")
        if path == "/":
            text = self.site.listing()
        elif name == "item" and rest.isdigit():
            text = self.site.item(int(rest))
        else:
            self.send_error(404)
            return
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass


class SiteServer:
    """A site, served from a thread."""

    def __init__(self, site: RandomSite) -> None:
        self._site = site

    def __enter__(self) -> str:
        handler = type("Handler", (_Handler,), {"site": self._site})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
