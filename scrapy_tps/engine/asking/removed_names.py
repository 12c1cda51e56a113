"""What can be known about the removed parts of a page without parsing it again."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.asking.name_set import NameSet
from scrapy_tps.engine.asking.queries import ANYWHERE, DOWN
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS
from scrapy_tps.engine.strategies.auto.masks import masked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from scrapy_tps.engine.asking.name_set import Names
    from scrapy_tps.engine.asking.queries import Alternative, Query
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: Elements that no browser shows.
_UNSEEN: Final = HIDDEN_TAGS | {"base", "title"}
IS_ELEMENT: Final = bytes([1]) + bytes(255)  # as ELEMENT is 0
#: Words that are the same bytes in the source of a page, upper and lower case aside.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")
#: Elements that the parser adds where the page does not name them, and what second roots are turned into.
_IMPLIED: Final = frozenset({"html", "head", "body", "p", "tbody", "colgroup", "tr", "div"})
#: References to characters that such words are made of.
_WRITTEN_OTHERWISE: Final = re.compile(
    rb"&(?:#0*(?:4[5-9]|5[0-7]|6[5-9]|[78]\d|90|95|9[7-9]|1[01]\d|12[0-2])(?!\d)"
    rb"|#[xX]0*(?:2[dD]|3\d|[4-7][0-9a-fA-F])(?![0-9a-fA-F])"
    rb"|(?:lowbar|UnderBar|hyphen|dash|fjlig))"
)
#: What stands before the value of an id; of more bytes than these all but the end may be white space.
_ID: Final = re.compile(rb"(?:(?:\bid|\Ad?)\s*=|\A)\s*[\"']?\s*\Z")
_ID_ROOM: Final = 32
_AS_ASCII: Final = re.compile(r"utf-?8|ascii|cp125\d|iso-?8859-?\d+|gb18030", re.IGNORECASE)


class Removed:
    """What a cut takes: noted before it is made, worked out when it is asked for.

    It watches the cut.

    :ivar names: of all that goes from the body; `of_head`: from the head; `of_parts`: of what goes from the tree and
        stays beside it (:class:`~scrapy_tps.engine.asking.asked_parts.AskedParts`), or None.
    """

    __slots__ = ("_head", "_kinds", "_lost", "_mask", "names", "of_head", "of_parts")

    def __init__(self, sequence: TagPathSequence, mask: bytearray) -> None:
        self._kinds, self._mask = sequence.kinds, mask
        self.names = new_name_set()
        self.of_head = new_name_set()
        self.of_parts: NameSet | None = None
        self._lost: Any = None
        self._head = False

    def gone(self, element: Any, *, of_head: bool = False, without: Collection[Any] = ()) -> None:
        """Note what goes, from the body or the head, `without` what stays beside the tree."""
        (self.of_head if of_head else self.names).add(element, without)

    def beside(self, element: Any) -> None:
        """Note what goes and stays beside the tree."""
        if self.of_parts is None:
            self.of_parts = new_name_set()
        self.of_parts.add(element)

    def lost(self, elements: Any) -> None:
        """Note what loses something."""
        self._lost = elements

    def may_match(self, names: Names, *, of_page: bool, parts: bool = True) -> bool:
        """Whether an element with these names may be among the removed parts.

        :param of_page: whether those of the head, and what no browser shows, count.
        :param parts: whether what stays beside the tree counts.
        """
        if not of_page and names.tag in _UNSEEN:
            return False
        return (
            self.names.may_match(names)
            or (parts and self.of_parts is not None and self.of_parts.may_match(names))
            or (of_page and self.of_head.may_match(names))
        )

    def hurt(self, root: Any) -> HurtElements | None:
        """Return the elements of the pruned tree that lost something, in them or below them; root and head among them.

        None if the tree is no longer as it was cut.
        """
        body = root.find("body")
        if body is None or self._lost is None:
            return None
        if isinstance(self._lost, list):
            elements = list(_elements(body))
            stayed = masked(self._mask, self._kinds.translate(IS_ELEMENT))
            if stayed.count(1) != len(elements):
                return None
            hurt: Any = HurtElements()
            for place, of_text, text_below in self._lost:
                element = elements[stayed.count(1, 0, place)]
                hurt.add(element, of_text=of_text, text_below=text_below)
            self._lost = hurt
        if not self._head:
            self._head = True
            for element in (root, *root.iterchildren("head")):
                self._lost.add(element)
        return self._lost  # type: ignore[no-any-return]


def _elements(body: Any) -> Iterator[Any]:
    """The elements that are in the sequence of a page, in document order.

    Of the class that spiders expect: selectors find the same objects as long as they are held.
    """
    ahead = [body]
    while ahead:
        element = ahead.pop()
        yield element
        ahead.extend(
            one for one in reversed(element) if isinstance(one.tag, str) and one.tag not in HIDDEN_TAGS
        )


class HurtElements:
    """Elements that lost something: they, or what was in them. The native core has its own.

    :ivar names: of these elements; `beside`: of their children that stayed.
    :ivar texts: of those that lost text of their own.
    """

    def __init__(self) -> None:
        self._elements: set[Any] = set()
        self._emptied: set[Any] = set()
        self.names, self.beside, self.texts = NameSet(), NameSet(), NameSet()

    def __contains__(self, element: object) -> bool:
        return element in self._elements

    def lost_text(self, element: Any) -> bool:
        """Whether text was lost in an element, at whatever depth."""
        return element in self._emptied

    def add(self, element: Any, *, of_text: bool = False, text_below: bool = True) -> None:
        """Add an element; `text_below`: text may have been lost in it."""
        self._elements.add(element)
        if text_below:
            self._emptied.add(element)
        self.names.add_one(element)
        for child in element.iterchildren(etree.Element):
            self.beside.add_one(child)
        if of_text:
            self.texts.add_one(element)


class Source:
    """The bytes of a page, to see which names occur in it at all."""

    def __init__(self, body: bytes, encoding: str | None) -> None:
        self._body, self._encoding = body, encoding
        self._checkable: bool | None = None

    @cached_property
    def _lower(self) -> bytes:
        return self._body.lower()

    def may_match(self, names: Names) -> bool:
        """Whether there may be an element with these names in the page."""
        lower = self._lower
        texts = (
            word
            for text in (*names.classes, *names.class_texts, *names.values)
            for word in _PLAIN.findall(text)
        )
        there = (names.tag is None or names.tag in _IMPLIED or f"<{names.tag}".encode() in lower) and all(
            word.lower().encode() in lower for word in texts
        )
        return (there and all(map(self._may_have_id, names.ids))) or not self._is_checkable()

    def _may_have_id(self, name: str) -> bool:
        if _PLAIN.fullmatch(name) is None:
            return True
        value = name.lower().encode()
        found = re.compile(rb"%s(?![^\"'\s>/])" % value).finditer(self._lower)
        return any(_ID.search(self._lower[max(0, one.start() - _ID_ROOM) : one.start()]) for one in found)

    def _is_checkable(self) -> bool:
        """Whether words are written in it as they are."""
        if self._checkable is None:
            self._checkable = (
                _AS_ASCII.fullmatch(self._encoding or "") is not None
                and b"\0" not in self._body
                and _WRITTEN_OTHERWISE.search(self._body) is None
            )
        return self._checkable


def may_add(
    query: Query, removed: Removed, hurt: HurtElements, source: Source | None, *, parts: bool = True
) -> bool:
    """Whether the whole page may have another answer to a query than the pruned one; on doubt it may.

    :param hurt: what :meth:`Removed.hurt` returned.
    :param source: the page, if nothing was found; else what no browser shows and what is in the head is no part of a
        list, and ids are expected to be those of one element.
    :param parts: as for :meth:`Removed.may_match`.
    """
    of_page = source is not None
    for one in query.alternatives:
        # the page itself is searched last: that takes a hundred times as long as the names of what went
        if _names_may_add(one, removed, hurt, of_page=of_page, parts=parts) and (
            source is None or all(source.may_match(step.names) for step in one.steps)
        ):
            return True
    return not query.alternatives


def _names_may_add(
    one: Alternative, removed: Removed, hurt: HurtElements, *, of_page: bool, parts: bool
) -> bool:
    if not one.steps:
        return True
    # what stayed, and is an answer or is none because of what was removed from it or beside it
    for step in one.steps:
        if step.reads == ANYWHERE:
            return True
        if step.reads is not None:
            near = hurt.names if step.reads == DOWN else hurt.beside
            if near.may_match(step.names):
                return True
    last = one.steps[-1].names
    if one.holds_text and (hurt.texts if one.own_text else hurt.names).may_match(last):
        return True
    # what was removed, or is reached by way of it
    if not one.down:
        return any(
            removed.may_match(step.names, of_page=of_page, parts=parts)
            for step in one.steps
            if not step.upward
        )
    if not removed.may_match(last, of_page=of_page, parts=parts):
        return False
    above = one.steps[:-1]
    return not above or all(
        removed.may_match(step.names, of_page=of_page, parts=parts) or hurt.names.may_match(step.names)
        for step in above
    )


def names_of(sequence: TagPathSequence, mask: bytearray, *, attributes: bool) -> NameSet:
    """Return the names of the elements whose byte is 1.

    :param attributes: whether ids and values of other attributes are wanted, too.
    """
    names: Any = new_name_set()
    if isinstance(sequence, native.NativeSequence):
        names.add_nodes(sequence.native_walk, mask, not attributes and not sequence.held)
    else:
        elements = masked(mask, sequence.kinds.translate(IS_ELEMENT))
        for element in compress(sequence.nodes, elements):
            names.add_one(element)
    return names  # type: ignore[no-any-return]


def new_name_set() -> NameSet:
    """Return an empty set of names, the core's if it is there."""
    cutting = native.extension("cutting")
    return NameSet() if cutting is None else cutting.NameSet()
