"""Serve the demo sites until interrupted, to view them in a browser: ``python -m demo.sites``."""

from __future__ import annotations

from contextlib import suppress
from threading import Event

from demo.sites import SITES
from demo.sites.server import SitesServer

server = SitesServer()
server.start()
print(f"HTTP proxy at {server.url} for {', '.join(SITES)}; Ctrl-C ends it")  # noqa: T201
with suppress(KeyboardInterrupt):
    Event().wait()
server.stop()
