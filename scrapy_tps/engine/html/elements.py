"""The parser of a page, the lock of its tree, and the classes of its elements: lxml's lookup in Python is expensive."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import wraps
from threading import Condition
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from lxml import etree
from lxml.html import HtmlElement, HtmlElementClassLookup, HTMLParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import RLock

#: A node of a tree: an element, a comment or a processing instruction; what lxml calls ``etree._Element``.
Element: TypeAlias = etree._Element

#: A document; what lxml calls ``etree._ElementTree``.
Tree: TypeAlias = etree._ElementTree

#: A result of an XPath: an element, a text (those of pages know their element), a number, or whether something holds.
Value: TypeAlias = Element | str | float

F = TypeVar("F", bound="Callable[..., Any]")

#: Whether each reader of a tree checks that its lock is held; for tests.
_CHECKS_LOCKS: Final = bool(os.environ.get("SCRAPY_TPS_CHECK_LOCKS"))

_PLAIN_ELEMENTS: Final = etree.ElementDefaultClassLookup()
#: The same classes as in ``lxml.html``, except for parts of forms, which have special classes there.
MOST_HTML_ELEMENTS: Final = etree.ElementDefaultClassLookup(element=HtmlElement)
_HTML_ELEMENTS: Final = HtmlElementClassLookup()


class PageParser(HTMLParser):
    """The parser of one page, configured like parsel's; no other page uses it.

    :ivar plain: whether its elements may be plain for a while (:func:`plain_elements`).
    :ivar lock: returns the lock to hold while the tree is read, because another thread may put removed parts back; None
        if there are none.
    """

    plain = True
    lock: Callable[[], RLock | None] = staticmethod(lambda: None)


def reads_tree(function: F) -> F:
    """Mark a function that reads the tree of an element, or a list of elements, among its arguments.

    The caller holds the lock of the tree. If ``SCRAPY_TPS_CHECK_LOCKS`` is set in the environment, each call checks
    that, and raises ``RuntimeError``.
    """
    if not _CHECKS_LOCKS:
        return function

    @wraps(function)
    def checked(*args: object, **kwargs: object) -> object:
        for argument in args:
            for one in argument if isinstance(argument, (list, tuple)) else (argument,):
                parser = one.getroottree().parser if etree.iselement(one) else None
                if isinstance(parser, PageParser) and (lock := parser.lock()) is not None:
                    Condition(lock).notify()  # raises if this thread does not hold it
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


@contextmanager
def plain_elements(
    element: Element | None, lookup: etree.ElementDefaultClassLookup = _PLAIN_ELEMENTS
) -> Iterator[None]:
    """Make lxml return plain elements of a parsed page while the context is open.

    ``lxml.html`` looks up a class in Python whenever an element is touched, which takes a fifth of the time of the
    parse. Elements that nobody holds any more become ``HtmlElement`` on the next access.

    :param element: an element of the page; if its parser is not a :class:`PageParser`, or not `plain`, nothing changes.
    :param lookup: the classes of the elements, if not plain ones.
    """
    parser = None if element is None else element.getroottree().parser
    if not isinstance(parser, PageParser) or not parser.plain:
        yield
        return
    parser.set_element_class_lookup(lookup)
    try:
        yield
    finally:
        parser.set_element_class_lookup(_HTML_ELEMENTS)


class Behind:
    """A sentinel after the last node, as another child of the body's parent, so that all elements are closed."""

    tag = None

    def __init__(self, parent: Element) -> None:
        self._parent = parent

    def getparent(self) -> Element:
        return self._parent

    def keys(self) -> tuple[str, ...]:
        return ()

    def get(self, name: bytes) -> None:
        """Have no attributes."""
