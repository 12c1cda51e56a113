"""A local HTTP proxy that answers for the demo sites itself and never contacts another server."""

from __future__ import annotations

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, unquote, urlsplit

from demo.sites import SITES

ROBOTS = "User-agent: *\nDisallow: /cart\n"


class SitesHandler(BaseHTTPRequestHandler):
    """Answers ``GET http://host/path`` (proxy form) and ``GET /path`` with a ``Host`` header."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        host = url.hostname or self.headers.get("Host", "").partition(":")[0]
        site = SITES.get(host)
        if url.path == "/robots.txt":
            self.reply(HTTPStatus.OK, ROBOTS, "text/plain")
        elif site and (page := site.page(unquote(url.path), dict(parse_qsl(url.query)))) is not None:
            self.reply(HTTPStatus.OK, page)
        else:
            self.reply(HTTPStatus.NOT_FOUND, "<!DOCTYPE html><title>Not found</title><h1>Not found</h1>")

    def reply(self, status: HTTPStatus, text: str, content_type: str = "text/html") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{content_type}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Log nothing: Scrapy logs the requests."""


class SitesServer:
    """:class:`SitesHandler` on a free port of 127.0.0.1, in threads of its own."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), SitesHandler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop listening; connections that are still open end with their clients."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
