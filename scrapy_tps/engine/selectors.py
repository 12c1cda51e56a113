"""CSS selectors and XPaths in settings: one string in either language, checked and compiled once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.engine.xpath_check import check_xpath

if TYPE_CHECKING:
    from collections.abc import Callable

_SET_FUNCTIONS: Final = ("difference", "intersection", "distinct", "leading", "trailing")
# no CSS selector starts like this
_XPATH_STARTS: Final = (
    "/",
    "./",
    "(",
    "descendant",
    "self::",
    "child::",
    "id(",
    *(f"set:{name}(" for name in _SET_FUNCTIONS),
)
#: Prefixes in parsel's selectors: functions of EXSLT. Its ``has-class()`` has no prefix, nor do functions of
#: ``parsel.xpathfuncs.set_xpathfunc``.
_NAMESPACES: Final = {
    "re": "http://exslt.org/regular-expressions",
    "set": "http://exslt.org/sets",
}


@lru_cache(maxsize=1024)
def compile_selector(selector: str) -> Callable[[Any], list[Any]]:
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
    wrong = check_xpath(path, namespaces)
    if wrong:
        raise ValueError(f"{selector!r} {wrong}")

    def matches(element: Any) -> list[Any]:
        try:
            result = found(element.getroottree().getroot())
        except Exception as error:  # any function that the user registered
            raise ValueError(f"{selector!r} fails on this page: {type(error).__name__}: {error}") from error
        return [node for node in result if isinstance(getattr(node, "tag", None), str)]

    return matches
