"""``python -m tests.support.mockserver``: prints its address, serves until its standard input closes."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.support.mockserver.site import Site


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self._answer(dict(parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True)))

    def _answer(self, form: dict[str, str]) -> None:
        parts = urlsplit(self.path)
        page = self.site.answer(
            parts.path, dict(parse_qsl(parts.query)), form, self.headers.get("Cookie") or ""
        )
        self.send_response(page.status)
        for name, value in {"Content-Type": page.content_type, **page.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page.body)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


def main() -> None:
    Handler.site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)  # noqa: T201
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
