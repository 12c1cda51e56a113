"""Distinguish JSON, JSON lines, JSONP and scripts that a server declares as HTML from HTML pages.

Nothing is parsed. For bodies that do not start with ``<``, the form of the first value or statement and the last
character decide, within some microseconds. An HTML page that starts with text (``[News] <b>``, ``{{ title }}``) does
not have that form. A page that starts with a leaked script or debug dump still ends with a tag.
"""

from __future__ import annotations

import re
from typing import Final

# the repetitions are deterministic, so that no body causes long backtracking
_STRING: Final = r"""(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')"""
_OPEN_STRING: Final = r'"[^"\\]*(?:\\.[^"\\]*)*\\?\Z'
_WORD: Final = r"(?:-?\d[\d.eE+-]*|true|false|null)"
_MEMBER: Final = rf"{_STRING}\s*:|[\w$]{{1,100}}\s*:\s*(?:[\"'\[{{]|{_WORD}\s*[,}}])"
_NAME: Final = r"[A-Za-z_$][\w$]{0,200}(?:\.[\w$]{1,200}|\[\d{1,9}\]){0,20}"

#: An object with a member, possibly in arrays: page text does not start like this.
_OBJECT: Final = re.compile(rf"(?:\[\s*)*\{{\s*(?:{_MEMBER}|{_OPEN_STRING}|\}}\s*(?:[,\]]|\Z))", re.DOTALL)
_ARRAY: Final = re.compile(
    rf"(?:\[\s*)+(?:(?:{_STRING}|{_WORD})(?:\s*\])*\s*,|\]\s*(?:,|\]|\Z)|{_OPEN_STRING})", re.DOTALL
)
#: The whole body is a string, or an array of one: page text may only start with these.
_ONE_STRING: Final = re.compile(rf"(?:\[\s*)*(?:{_STRING}(?:\s*\])*\s*;?\s*\Z|{_OPEN_STRING})", re.DOTALL)
_SCRIPT: Final = re.compile(
    rf"""
    {_NAME}\s*\(\s*(?:[\[{{"'$)]|function\b|\w+\s*=>|document\b|window\b)  # JSONP, $("#list").html("…")
    | {_NAME}\s*=\s*(?:[\[{{"'(]|function\b|new\s|JSON\.|{_NAME}\s*\|\|)
    | (?:var|let|const)\s+[\w$]+\s*[=;,]
    | (?:async\s+)?function\b\s*[\w$]*\s*\(
    | [!;+]*\(\s*(?:async\s*)?(?:function\b|\(\s*\)\s*=>)
    | [!;+]+function\b
    | ["']use\ strict["']
    | try\s*\{{
    | if\s*\(\s*(?:!|typeof\b|window\b|self\b|top\b)
    """,
    re.VERBOSE,
)
#: Comments, and prefixes of JSON that keep other sites from running it as a script.
_BEFORE: Final = re.compile(
    r"\s+|/\*.*?\*/|//[^\n]*\n|\)\]\}'?,?|for\s*\(;;\);|while\s*\((?:1|true)\);", re.DOTALL
)
_LAST: Final = frozenset(");}]\"'`/")


def is_data(start: str, end: str) -> bool:
    """Whether a body is JSON, JSON lines, JSONP or a script.

    :param start: its first characters, some thousand or all of them, without leading white space.
    :param end: its last characters, without trailing white space.
    """
    end = _without_comments(end)
    if not end or end.endswith(">"):
        return False
    position = 0
    while found := _BEFORE.match(start, position):
        position = found.end()
    if _OBJECT.match(start, position):
        return True
    # page text may start like the other forms; these also end like this
    shapes = (_ARRAY, _ONE_STRING, _SCRIPT)
    return end[-1] in _LAST and any(shape.match(start, position) for shape in shapes)


def _without_comments(end: str) -> str:
    """Return the end of a body without the comments that caches append to everything declared as HTML."""
    end = end.rstrip()
    while end.endswith("-->") and (opened := end.rfind("<!--")) >= 0:
        end = end[:opened].rstrip()
    return end
