"""CSS selectors and XPaths in settings: one string, either language, compiled once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

if TYPE_CHECKING:
    from collections.abc import Callable

# what no CSS selector starts with
_XPATH_STARTS = ("/", "./", "(", "..", "descendant", "self::", "ancestor", "id(")


@lru_cache(maxsize=1024)
def compile_selector(selector: str) -> Callable[[Any], list[Any]]:
    """Return a function from an element to the list of elements that match in its *document*.

    `selector` is an XPath if it starts with ``/``, ``./``, ``(``, ``id(`` or an axis, else CSS. Raises
    ``ValueError`` where it is neither.
    """
    text = selector.strip()
    try:
        path = text if text.startswith(_XPATH_STARTS) else HTMLTranslator().css_to_xpath(text, prefix="//")
        found = etree.XPath(path)
    except (SelectorError, etree.XPathError) as error:
        raise ValueError(f"{selector!r} is neither a CSS selector nor an XPath: {error}") from None

    def matches(element: Any) -> list[Any]:
        result = found(element)
        nodes = result if isinstance(result, list) else []
        return [node for node in nodes if isinstance(getattr(node, "tag", None), str)]

    return matches
