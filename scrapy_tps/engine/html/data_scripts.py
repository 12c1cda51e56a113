"""Recognise scripts that hold data rather than code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.engine.html.elements import Element

_DECLARING: Final = ("var", "let", "const")
_GLOBAL: Final = ("window", "self", "globalThis")
# `window.__STATE__ = {`, `var products = [`, `self.__next_f.push(`: data that a spider may read
_DECLARED: Final = rf"""(?:(?:{"|".join(_DECLARING)})\s+|(?:{"|".join(_GLOBAL)})\s*[.\[])[\w$.\[\]"' ]"""
_STATE_AT_START: Final = re.compile(rf"""\s*{_DECLARED}{{1,80}}=\s*(?:[\[{{]|JSON\.parse)""")
# the same in a function, after a comment or a library, where one-letter names are those of minified code; searching for
# the sign first takes a tenth of the time
_LITERAL: Final = re.compile(r"""=\s*[\[{]\s*[\[{"'\d]""")
_NAME_BEFORE: Final = re.compile(rf"(?<![\w$.]){_DECLARED}{{2,80}}$")
_STATE_NAME = re.compile(r"\b__[A-Za-z][A-Za-z0-9_]{2,60}(?:__\b|\s*=|\.push)")
#: The number of characters of a script that are examined.
STATE_PREFIX: Final = 2000


def is_data_script(script: Element) -> bool:
    """Whether a ``script`` element holds data rather than code (JSON-LD, ``type*=json``, page state)."""
    return says_data(script.get("type"), script.get("id"), (script.text or "")[:STATE_PREFIX])


def says_data(kind: str | None, identifier: str | None, start: str) -> bool:
    """Whether a script with this ``type``, ``id`` and beginning holds data."""
    if kind and "json" in kind.lower():
        return True
    if (identifier and identifier.startswith("__")) or _STATE_AT_START.match(start):
        return True
    # searching for the underscores alone is twenty times faster than for the pattern
    place = start.find("__")
    while place >= 0:
        if _STATE_NAME.match(start, place):
            return True
        place = start.find("__", place + 1)
    return any(
        _NAME_BEFORE.search(start, max(0, literal.start() - 100), literal.start())
        for literal in _LITERAL.finditer(start)
    )
