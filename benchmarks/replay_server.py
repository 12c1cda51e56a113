"""An HTTP server that replays pages at their own host names, as an HTTP proxy does.

    python -m benchmarks.replay_server FOLDER [SAMPLE]

Prints the port it listens on, then a URL for each page, and serves them, whatever query string a URL has, until its
input is closed.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.corpus import pages

_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[a-z]{2,3})?\.(?:com|org|net|edu|gov|info|[a-z]{2})(?=_|$)")


def address(path: Path) -> str:
    """Return the URL of a page: the one in its label, else the host in its name, else one of its own."""
    label = path.parent.parent / "ground-truth" / f"{path.name.split('.')[0]}.json"
    if label.exists():
        found = urlsplit(json.loads(label.read_text(encoding="utf-8")).get("url") or "").hostname
        if found:
            return f"http://{found}/{path.name}"
    named = _HOST.search(path.name.split(".html")[0])
    host = named[0].lower() if named else f"{path.name.split('.')[0].replace('_', '-')}.example"
    return f"http://{host}/{path.name}"


def main() -> None:
    sample = int(sys.argv[2]) if len(sys.argv) > 2 else None
    bodies = {address(path): body for path, body in pages(Path(sys.argv[1]), sample)}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = bodies.get(self.path.partition("?")[0])
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1])
    print("\n".join(bodies), flush=True)
    print(flush=True)
    sys.stdin.read()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
