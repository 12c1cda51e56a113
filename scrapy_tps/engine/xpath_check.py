"""Check whether an XPath that compiles would fail on every page, or match no element.

libxml2 looks up functions, prefixes and variables during evaluation, and evaluates a predicate only for a node that
matches so far. So each part that may fail is evaluated alone, on a document of one element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Collection

_NAME: Final = r"[^\W\d][\w.-]*"
_TOKEN: Final = re.compile(
    rf"""
    "[^"]*" | '[^']*'
    | \d+(?:\.\d*)? | \.\d+
    | \$\s*{_NAME}(?::(?!:){_NAME})?
    | {_NAME}(?::(?!:)(?:{_NAME}|\*))?
    | :: | // | \.\. | != | <= | >= | [^\s]
    """,
    re.VERBOSE,
)
_IS_NAME: Final = re.compile(rf"{_NAME}(?::(?:{_NAME}|\*))?")
_PREFIXED: Final = re.compile(rf"({_NAME}):")
_CLOSING: Final = {"(": ")", "[": "]"}
#: Names before a bracket that are not function calls.
_OPERATORS: Final = frozenset({"and", "or", "mod", "div"})
#: Node tests and axes that select no elements.
_NO_ELEMENTS: Final = {
    "@": "attributes",
    "attribute": "attributes",
    "namespace": "namespaces",
    "text": "texts",
    "comment": "comments",
    "processing-instruction": "processing instructions",
}
#: Functions that return some nodes of their first argument, and one that returns new nodes.
_OF_SETS: Final = frozenset(
    {"set:difference", "set:intersection", "set:distinct", "set:leading", "set:trailing"}
)
_MAKING: Final = "re:match"
#: Errors caused by the expression.
_ERRORS: Final = (etree.XPathError, ValueError, TypeError, re.error)
_CAPITAL: Final = re.compile("[A-Z]")


@dataclass(slots=True)
class _Part:
    """The part between two brackets, or the whole XPath: names, signs, literals, and nested parts."""

    bracket: str
    start: int
    end: int = 0
    items: list[str | _Part] = field(default_factory=list)


def check_xpath(path: str, namespaces: dict[str, str]) -> str:
    """Return why an XPath that compiles fails on every page, or never matches an element; empty if it may match.

    :param namespaces: prefixes that it may use.
    """
    whole = _parse(path)
    for part in _all_parts(whole):
        for item in part.items:
            prefixed = _PREFIXED.match(item) if isinstance(item, str) else None
            if prefixed and prefixed[1] not in namespaces:
                return f"has the unknown prefix {prefixed[1]!r} (HTML pages have no namespaces)"
    for source in _calls_and_predicates(path, whole):
        error = _failure(f"/*[{source}]", namespaces)
        if error:
            return f"fails on every page: {error} in {source}"
    try:
        result = etree.XPath(path, namespaces=namespaces)(etree.Element("html"))
    except _ERRORS as error:
        return f"fails on every page: {error}"
    if not isinstance(result, list):
        kind = {bool: "true or false", float: "a number"}.get(type(result), "a text")
        return f"gives {kind}, not elements"
    return _misses(whole.items)


def _parse(path: str) -> _Part:
    opened = [_Part("", 0, len(path))]
    for found in _TOKEN.finditer(path):
        token = found[0]
        if token in _CLOSING:
            part = _Part(token, found.end())
            opened[-1].items.append(part)
            opened.append(part)
        elif token == _CLOSING.get(opened[-1].bracket):
            opened.pop().end = found.start()
        else:
            opened[-1].items.append(token)
    return opened[0]


def _all_parts(whole: _Part) -> list[_Part]:
    """Return a part and all nested parts, outer ones first."""
    parts = [whole]
    for part in parts:
        parts.extend(item for item in part.items if isinstance(item, _Part))
    return parts


def _calls_and_predicates(path: str, whole: _Part) -> list[str]:
    """Return the parts that may fail alone, inner ones first, so that a message names the smallest."""
    sources = []
    for part in _all_parts(whole):
        before: str | _Part = ""
        for item in part.items:
            if isinstance(item, _Part):
                if item.bracket == "[":
                    sources.append(path[item.start : item.end])
                elif isinstance(before, str) and _IS_NAME.fullmatch(before) and before not in _OPERATORS:
                    sources.append(f"{before}({path[item.start : item.end]})")
            before = item
    return sources[::-1]


def _failure(path: str, namespaces: dict[str, str]) -> str:
    try:
        etree.XPath(path, namespaces=namespaces)(etree.Element("html"))
    except _ERRORS as error:
        return str(error)
    except Exception:  # a user's function may need the pages that it was written for
        return ""
    return ""


def _misses(items: list[str | _Part]) -> str:
    """Return why one of the alternatives of a node set holds no elements; empty if all may."""
    return next(filter(None, map(_misses_alone, _split(items, {"|"}))), "")


def _misses_alone(items: list[str | _Part]) -> str:
    steps = _split(items, {"/", "//"})
    for step in steps:
        if any(isinstance(item, _Part) and item.bracket == "[" and item.items == ["0"] for item in step):
            return "matches nothing on any page: [0], as of :hover and :visited, is never true"
        called = len(step) > 1 and isinstance(step[1], _Part) and step[1].bracket == "("
        names = [item for item in step if isinstance(item, str) and _CAPITAL.search(item)]
        if names and not called:
            return f"matches nothing on any page: names such as {names[0]!r} are in lower case in the tree"
    return _misses_step(steps[-1])


def _misses_step(step: list[str | _Part]) -> str:
    """Return the same for the last step of a path, or the expression in its place."""
    if not step:
        return "matches the document, not elements"
    first, *rest = step
    if isinstance(first, _Part):
        return _misses(first.items)
    if first in _OF_SETS and rest and isinstance(rest[0], _Part):
        return _misses(_split(rest[0].items, {","})[0])
    axis = rest[:1] == ["::"]
    test = step[2] if axis and len(step) > len(("axis", "::")) else first
    if first in ("@", "attribute", "namespace") and (axis or first == "@"):
        return f"matches {_NO_ELEMENTS[first]}, not elements"
    called = step[step.index(test) + 1 :][:1]
    if called and isinstance(called[0], _Part) and called[0].bracket == "(":
        if test in _NO_ELEMENTS:
            return f"matches {_NO_ELEMENTS[str(test)]}, not elements"
        if test == _MAKING:
            return "returns computed texts, not elements of the page"
    return ""


def _split(items: list[str | _Part], signs: Collection[str]) -> list[list[str | _Part]]:
    pieces: list[list[str | _Part]] = [[]]
    for item in items:
        if isinstance(item, str) and item in signs:
            pieces.append([])
        else:
            pieces[-1].append(item)
    return pieces
