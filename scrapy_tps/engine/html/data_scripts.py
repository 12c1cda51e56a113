"""Which scripts of a page hold data rather than code."""

from __future__ import annotations

import re
from typing import Any, Final

#: Words that declare a name.
DECLARING: Final = ("var", "let", "const")
_GLOBAL: Final = ("window", "self", "globalThis")
#: A script that assigns page state starts with one of these, or has two underscores near its start.
STATE_WORDS: Final = (*DECLARING, *_GLOBAL)
# `window.__STATE__ = {`, `var products = [`, `self.__next_f.push(`: data that a spider may read
_STATE_AT_START = re.compile(
    rf"""\s*(?:(?:{"|".join(DECLARING)})\s+|(?:{"|".join(_GLOBAL)})\s*[.\[])"""
    r"""[\w$.\[\]"' ]{1,80}=\s*(?:[\[{]|JSON\.parse)"""
)
_STATE_NAME = re.compile(r"\b__[A-Za-z][A-Za-z0-9_]{2,60}(?:__\b|\s*=|\.push)")
#: Characters of a script that are looked at.
STATE_PREFIX: Final = 2000


def is_data_script(script: Any) -> bool:
    """Whether a ``script`` element holds data rather than code (JSON-LD, ``type*=json``, page state)."""
    kind = script.get("type")
    if kind and "json" in kind.lower():
        return True
    identifier = script.get("id")
    if identifier and identifier.startswith("__"):
        return True
    text = script.text
    return bool(text) and is_page_state(text[:STATE_PREFIX])


def is_page_state(start: str) -> bool:
    """Whether a script that starts like this assigns page state."""
    if _STATE_AT_START.match(start):
        return True
    # a search for the underscores alone is twenty times as fast as one for the pattern
    place = start.find("__")
    while place >= 0:
        if _STATE_NAME.match(start, place):
            return True
        place = start.find("__", place + 1)
    return False
