"""Which scripts of a page hold data rather than code."""

from __future__ import annotations

import re
from typing import Any, Final

_DECLARING: Final = ("var", "let", "const")
_GLOBAL: Final = ("window", "self", "globalThis")
# `window.__STATE__ = {`, `var products = [`, `self.__next_f.push(`: data that a spider may read
_STATE_AT_START = re.compile(
    rf"""\s*(?:(?:{"|".join(_DECLARING)})\s+|(?:{"|".join(_GLOBAL)})\s*[.\[])"""
    r"""[\w$.\[\]"' ]{1,80}=\s*(?:[\[{]|JSON\.parse)"""
)
_STATE_NAME = re.compile(r"\b__[A-Za-z][A-Za-z0-9_]{2,60}(?:__\b|\s*=|\.push)")
#: Characters of a script that are looked at.
STATE_PREFIX: Final = 2000


def is_data_script(script: Any) -> bool:
    """Whether a ``script`` element holds data rather than code (JSON-LD, ``type*=json``, page state)."""
    return says_data(script.get("type"), script.get("id"), (script.text or "")[:STATE_PREFIX])


def says_data(kind: str | None, identifier: str | None, start: str) -> bool:
    """Whether a script with this ``type`` and ``id`` that starts like this holds data."""
    if kind and "json" in kind.lower():
        return True
    if (identifier and identifier.startswith("__")) or _STATE_AT_START.match(start):
        return True
    # a search for the underscores alone is twenty times as fast as one for the pattern
    place = start.find("__")
    while place >= 0:
        if _STATE_NAME.match(start, place):
            return True
        place = start.find("__", place + 1)
    return False
