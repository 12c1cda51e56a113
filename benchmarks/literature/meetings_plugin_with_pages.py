"""The bench's plugin for the meetings' tests, with pages that were pruned before: each by the hash of the page.

The setting ``way`` names a folder of MEETINGS_PAGES; a page that is not in it stays as it is. ``whole`` leaves the
pages there.
"""

from __future__ import annotations

import os
from hashlib import sha1
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import meetings_plugin  # type: ignore[import-not-found]
from meetings_plugin import *  # noqa: F403 (the hooks)
from scrapy.http import HtmlResponse

_PAGES = Path(os.environ["MEETINGS_PAGES"])


class Page(HtmlResponse):
    """A page that comes from a file; the bench asks what became of it."""

    tps = SimpleNamespace(outcome="", reduction=0.0)


def left(response: Any, settings: dict[str, Any]) -> Page:
    """The page as it was left in the way that the settings name."""
    written = response.text.encode()
    path = _PAGES / settings["way"] / f"{sha1(written).hexdigest()}.html"
    if settings["way"] == "whole":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(written)
    elif path.exists():
        # raw carriage returns would not come through another parsing
        written = path.read_bytes().replace(b"\r", b"&#13;")
    return Page(url=response.url, request=response.request, body=written, encoding="utf-8")


meetings_plugin.prune_response = left
