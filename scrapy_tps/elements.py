"""The parser of a page, and which classes its elements have: lxml's lookup of classes in Python is dear."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from lxml.html import HtmlElementClassLookup, HTMLParser

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN_ELEMENTS: Final = etree.ElementDefaultClassLookup()
_HTML_ELEMENTS: Final = HtmlElementClassLookup()


class PageParser(HTMLParser):
    """The parser of one page, as parsel's; nobody else has it."""


@contextmanager
def plain_elements(element: Any) -> Iterator[None]:
    """Make lxml hand out plain elements of a parsed page while the context is open.

    ``lxml.html`` looks up a class in Python whenever an element is touched: a fifth of the time of the
    parse. Elements that are dropped afterwards come back as ``HtmlElement`` to whoever asks next.
    """
    parser = element.getroottree().parser
    if not isinstance(parser, PageParser):
        yield
        return
    parser.set_element_class_lookup(_PLAIN_ELEMENTS)
    try:
        yield
    finally:
        parser.set_element_class_lookup(_HTML_ELEMENTS)


class Behind:
    """Stands behind the last node, as a further child of the body's parent, so that all elements are closed."""

    tag = None

    def __init__(self, parent: Any) -> None:
        self._parent = parent

    def getparent(self) -> Any:
        return self._parent

    def keys(self) -> tuple[str, ...]:
        return ()

    def get(self, name: bytes) -> None:
        """Have no attributes."""
