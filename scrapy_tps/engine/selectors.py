"""CSS selectors and XPaths in settings: one string in either language, checked and compiled once."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.engine.html.elements import reads_tree
from scrapy_tps.engine.xpath_syntax import (
    Call,
    LocationStep,
    Number,
    Operation,
    Path,
    XPathSyntaxError,
    operands,
    parse_xpath,
    parts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.html.elements import Element
    from scrapy_tps.engine.xpath_syntax import Expression

#: Functions that return some nodes of their first argument, and one that returns new nodes.
_OF_SETS: Final = ("set:difference", "set:intersection", "set:distinct", "set:leading", "set:trailing")
_MAKING: Final = "re:match"
# no CSS selector starts like this
_XPATH_STARTS: Final = (
    *("/", "./", "(", "descendant", "self::", "child::", "id("),
    *(f"{name}(" for name in _OF_SETS),
)
#: Prefixes in parsel's selectors: functions of EXSLT. Its ``has-class()`` has no prefix, nor do functions of
#: ``parsel.xpathfuncs.set_xpathfunc``.
_NAMESPACES: Final = {
    "re": "http://exslt.org/regular-expressions",
    "set": "http://exslt.org/sets",
}
#: Steps that select no elements, by axis or by test.
_NO_ELEMENTS: Final = {
    "attribute": "attributes",
    "namespace": "namespaces",
    "text()": "texts",
    "comment()": "comments",
    "processing-instruction()": "processing instructions",
}
#: Errors caused by the expression.
_ERRORS: Final = (etree.XPathError, ValueError, TypeError, re.error)
_CAPITAL: Final = re.compile("[A-Z]")


@lru_cache(maxsize=1024)
def compile_selector(selector: str) -> Callable[[Element], list[Element]]:
    """Return a function from an element to the list of elements that match in its *document*.

    `selector` is an XPath if it starts with ``/``, ``./``, ``(``, ``id(``, ``set:…(`` or an axis, else CSS. It means
    the same as in ``response.xpath()`` and ``response.css()``: the context is the ``html`` element, and the functions
    are those of parsel (``re:test()``, ``set:distinct()``, ``has-class()``).

    Raises ``ValueError`` if it is neither, would fail on a page (unknown functions, prefixes and variables, wrong
    arguments), or can't match an element (``a::text``, ``//a/@href``, ``count(//a)``). The returned function raises
    ``ValueError`` if evaluation still fails.
    """
    text = selector.strip()
    try:
        path = text if text.startswith(_XPATH_STARTS) else HTMLTranslator().css_to_xpath(text, prefix="//")
        # lxml registers the functions of a namespace with every evaluation
        namespaces = {prefix: uri for prefix, uri in _NAMESPACES.items() if f"{prefix}:" in path}
        found = etree.XPath(path, namespaces=namespaces, regexp="re" in namespaces)
    except (SelectorError, etree.XPathError, ValueError) as error:
        raise ValueError(
            f"{selector!r} is neither a CSS selector nor an XPath (which starts with /, ./ or a bracket): {error}"
        ) from None
    wrong = _fault_of(path, namespaces)
    if wrong:
        raise ValueError(f"{selector!r} {wrong}")

    @reads_tree
    def matches(element: Element) -> list[Element]:
        try:
            result = found(element.getroottree().getroot())
        except Exception as error:  # any function that the user registered
            raise ValueError(f"{selector!r} fails on this page: {type(error).__name__}: {error}") from error
        return [node for node in result if isinstance(getattr(node, "tag", None), str)]

    return matches


def _fault_of(path: str, namespaces: dict[str, str]) -> str:
    """Return why an XPath that compiles fails on every page, or never matches an element; empty if it may match.

    libxml2 looks up functions, prefixes and variables during evaluation, and evaluates a predicate only for a node that
    matches so far. So each part that may fail is evaluated alone, on a document of one element.

    :param namespaces: prefixes that it may use.
    """
    try:
        tree, sources = parse_xpath(path)
    except (XPathSyntaxError, RecursionError):
        tree, sources = None, []
    for part in () if tree is None else parts(tree):
        name = part.test if isinstance(part, LocationStep) else part.name if isinstance(part, Call) else ""
        prefix = name.rpartition(":")[0]
        if prefix and prefix not in namespaces:
            return f"has the unknown prefix {prefix!r} (HTML pages have no namespaces)"
    for source in sources:
        _, error = _on_one_element(f"/*[{source}]", namespaces)
        if error:
            return f"fails on every page: {error} in {source}"
    result, error = _on_one_element(path, namespaces)
    if error:
        return f"fails on every page: {error}"
    if not isinstance(result, list):
        kind = {bool: "true or false", float: "a number"}.get(type(result), "a text")
        return f"gives {kind}, not elements"
    return _misses(tree)


def _on_one_element(path: str, namespaces: dict[str, str]) -> tuple[Any, str]:
    """Return the result of an XPath on a document of one element, and the error that the XPath itself causes."""
    try:
        return etree.XPath(path, namespaces=namespaces)(etree.Element("html")), ""
    except _ERRORS as error:
        return [], str(error)
    except Exception:  # a user's function may need the pages that it was written for
        return [], ""


def _misses(tree: Expression | None) -> str:
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
