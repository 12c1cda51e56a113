"""A headless browser for what people look at; without one, its tests are skipped with the reason."""

from __future__ import annotations

import shutil
import threading
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

import pytest

#: Milliseconds that a browser may take for one step. Playwright's 30,000 were too few for a page of 51 views on a
#: machine that ran six other tests.
PATIENCE = 180_000

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",  # the browser's own, which root cannot use; frames stay sandboxed
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    # one per module: while it is open, Playwright's event loop counts as running in this thread
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found: none of {', '.join(BROWSERS)} is on the path")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def new_context(browser):
    """Make a context of the browser; all are closed at the end."""
    with ExitStack() as contexts:

        def new_context(**options):
            context = contexts.enter_context(browser.new_context(**options))
            context.set_default_timeout(PATIENCE)
            return context

        yield new_context


class Shown:
    """A file shown in a browser: its page, and what went wrong or out."""

    def __init__(self, page, path, ready):
        self.page = page
        self.errors = []
        self.requests = []
        self.responses = []
        self.dialogs = []
        self.popups = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._console)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("response", lambda response: self.responses.append(response.url))
        page.on("dialog", self._dialog)
        page.on("popup", lambda popup: self.popups.append(popup.url))
        self.url = path.as_uri()
        page.goto(self.url)
        page.wait_for_selector(ready)

    def _console(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.fixture
def show(new_context, tmp_path):
    numbers = count()

    def show(html, ready=".pane[data-ready]", **options):
        path = tmp_path / f"shown{next(numbers)}.html"
        path.write_text(html, encoding="utf-8")
        context = new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        return Shown(context.new_page(), path, ready)

    return show


@pytest.fixture
def web():
    """A server that answers every path with a tiny image, and remembers the paths."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/svg+xml")
            self.end_headers()
            self.wfile.write(b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')

        do_POST = do_GET  # noqa: N815

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.paths = []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
