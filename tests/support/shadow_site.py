"""A site whose template changes in mid-crawl: what used to be noise holds records from then on.

Pages of a listing hold ten records each and link to the next page and to a page of each record. A page is
pruned by :class:`DropSide`: whatever has the class ``side`` goes.
"""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scrapy_tps.downloadermiddlewares.pruning import THREAD_BYTES
from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.strategies import Selection, Span

PAGES = 12
RECORDS = 10
#: The first page in the new template.
CHANGED = 7


class DropSide:
    """A strategy that was right about the old template."""

    size_ratio = 0.2

    def select(self, sequence: Any, size_ratio: float, settings: Any) -> Selection:
        spans = []
        index = 0
        while index < len(sequence):
            if not sequence.kinds[index] and "side" in (sequence.nodes[index].get("class") or "").split():
                spans.append(Span(index, sequence.end[index], False, "looks like a side bar", "side"))
                index = sequence.end[index]
            else:
                index += 1
        return Selection(PRUNED, spans)


class DropAdvertisements(DropSide):
    """A strategy that is right about both templates."""

    def select(self, sequence: Any, size_ratio: float, settings: Any) -> Selection:
        found = super().select(sequence, size_ratio, settings).spans
        spans = [span for span in found if sequence.nodes[span.start].tag == "div"]
        return Selection(PRUNED, spans)


def name(page: int, record: int) -> str:
    return f"Record {page}-{record}"


def price(page: int, record: int) -> str:
    return f"{page * 100 + record}.50"


def everything(pages: int = PAGES) -> list[tuple[str, str]]:
    return sorted(
        (name(page, record), price(page, record)) for page in range(1, pages + 1) for record in range(RECORDS)
    )


def listing(page: int, changed: int = CHANGED) -> str:
    records = [
        f'<li class="record"><a class="name" href="/record?page={page}&amp;record={record}">{name(page, record)}</a>'
        f' <span class="price">{price(page, record)}</span></li>'
        for record in range(RECORDS)
    ]
    shown = records if page < changed else records[:6]
    moved = "" if page < changed else f'<ul class="more side">{"".join(records[6:])}</ul>'
    following = f'<a class="next" href="/list?page={page + 1}">Next</a>' if page < PAGES else ""
    noise = "".join(f"<p>Advertisement {number}</p>" for number in range(12))
    padding = " " * THREAD_BYTES if page == changed else ""  # its loss is looked into in a thread
    return (
        f"<html><head><title>Page {page}</title></head><body><h1>Records</h1><ul>{''.join(shown)}</ul>"
        f'<div class="side">{noise}</div>{moved}<p>{following}</p></body></html>{padding}'
    )


def detail(page: int, record: int, changed: int = CHANGED) -> str:
    text = f'<span class="amount">{price(page, record)}</span>'
    inside = text if page < changed else ""
    beside = "" if page < changed else text
    noise = "".join(f"<p>Advertisement {number}</p>" for number in range(12))
    return (
        f"<html><body><h1>{name(page, record)}</h1><div>{inside}<p>Text</p></div>"
        f'<div class="side"><div class="box">{beside}</div>{noise}</div></body></html>'
    )


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {key: int(values[0]) for key, values in parse_qs(parts.query).items()}
        if parts.path == "/list":
            text = listing(query["page"])
        elif parts.path == "/record":
            text = detail(query["page"], query["record"])
        elif parts.path == "/picture":
            text = "\x89PNG\r\n\x1a\n" + "".join(map(chr, range(256)))
        else:
            self.send_error(404)
            return
        body = text.encode("latin-1")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


class Site:
    """The site, served from a thread."""

    def __enter__(self) -> Site:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
