"""Evidence in a page or an exception for why a callback gave less than others."""

from __future__ import annotations

import traceback
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_tps.report.terminal import printable

if TYPE_CHECKING:
    from scrapy.selector import Selector

    from scrapy_tps.response import PrunedMixin

#: Folders of code that is not the user's.
_NOT_OWN: Final = ("site-packages", "scrapy_tps")


def page_title(response: PrunedMixin) -> str:
    """The title of a page, at most 100 characters; empty if it has none or was not parsed."""
    root = response._tps_root
    if root is None:
        return ""
    # by tag, which lxml does in C: a path costs ten times as much
    title = next(root.iter("title"), None)
    if title is None or not title.text:
        title = next(root.iter("h1"), None)
    text = " ".join((title.text or "").split())[:100] if title is not None else ""
    return text if response.status == HTTPStatus.OK else f"HTTP {response.status} {text}".rstrip()


def finds(selector: Selector, query: str) -> int:
    """1 where a query of a page or of one of its parts finds something on the whole page, else 0."""
    anywhere = f".//{query[2:]}" if query.startswith("./") else query
    for select in (selector.css, selector.xpath):
        with suppress(Exception):  # an XPath is no CSS selector, and may need variables
            return int(bool(select(anywhere)))
    return 0


def told(error: Exception) -> str:
    """An exception, and where in the user's code it was raised, in a line."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not any(name in Path(frame.filename).parts for name in _NOT_OWN)]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno}, in {own[-1].name})" if own else ""
    return printable(f"{type(error).__name__}: {error}"[:150] + where)
