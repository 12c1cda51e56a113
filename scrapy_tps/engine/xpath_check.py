"""Check whether an XPath that compiles would fail on every page, or match no element.

libxml2 looks up functions, prefixes and variables during evaluation, and evaluates a predicate only for a node that
matches so far. So each part that may fail is evaluated alone, on a document of one element.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree

from scrapy_tps.engine.xpath_syntax import (
    Call,
    Number,
    Operation,
    Path,
    Step,
    XPathSyntaxError,
    operands,
    parse_xpath,
    parts,
)

#: Steps that select no elements, by axis or by test.
_NO_ELEMENTS: Final = {
    "attribute": "attributes",
    "namespace": "namespaces",
    "text()": "texts",
    "comment()": "comments",
    "processing-instruction()": "processing instructions",
}
#: Functions that return some nodes of their first argument, and one that returns new nodes.
_OF_SETS: Final = frozenset(
    {"set:difference", "set:intersection", "set:distinct", "set:leading", "set:trailing"}
)
_MAKING: Final = "re:match"
#: Errors caused by the expression.
_ERRORS: Final = (etree.XPathError, ValueError, TypeError, re.error)
_CAPITAL: Final = re.compile("[A-Z]")


def check_xpath(path: str, namespaces: dict[str, str]) -> str:
    """Return why an XPath that compiles fails on every page, or never matches an element; empty if it may match.

    :param namespaces: prefixes that it may use.
    """
    try:
        tree, sources = parse_xpath(path)
    except (XPathSyntaxError, RecursionError):
        tree, sources = None, []
    for part in parts(tree):
        name = part.test if isinstance(part, Step) else part.name if isinstance(part, Call) else ""
        prefix = name.rpartition(":")[0]
        if prefix and prefix not in namespaces:
            return f"has the unknown prefix {prefix!r} (HTML pages have no namespaces)"
    for source in sources:
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
    return _misses(tree)


def _failure(path: str, namespaces: dict[str, str]) -> str:
    try:
        etree.XPath(path, namespaces=namespaces)(etree.Element("html"))
    except _ERRORS as error:
        return str(error)
    except Exception:  # a user's function may need the pages that it was written for
        return ""
    return ""


def _misses(tree: Any) -> str:
    """Return why an expression, or an alternative of it, holds no elements; empty if all may."""
    if isinstance(tree, Operation) and tree.sign == "|":
        return next(filter(None, map(_misses, operands(tree, "|"))), "")
    if isinstance(tree, Call):
        if tree.name == _MAKING:
            return "returns computed texts, not elements of the page"
        return _misses(tree.arguments[0]) if tree.name in _OF_SETS else ""
    if not isinstance(tree, Path):
        return ""
    predicates = (*tree.predicates, *(one for step in tree.steps for one in step.predicates))
    if any(one == Number("0") for one in predicates):
        return "matches nothing on any page: [0], as of :hover and :visited, is never true"
    names = [step.test for step in tree.steps if _CAPITAL.search(step.test)]
    if names:
        return f"matches nothing on any page: names such as {names[0]!r} are in lower case in the tree"
    if not tree.steps:
        return "matches the document, not elements" if tree.start is None else _misses(tree.start)
    last = tree.steps[-1]
    kind = _NO_ELEMENTS.get(last.axis) or _NO_ELEMENTS.get(last.test)
    return f"matches {kind}, not elements" if kind else ""
