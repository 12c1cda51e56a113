"""The removed parts of a page, and how to put them back for a moment.

A cut frees nothing: it moves nodes below a separate element, the bin, and keeps a list of the moves. Undoing the moves
in reverse order restores the page as downloaded, byte for byte, in microseconds; redoing them gives the pruned page.
Elements remain the same objects, so an element of the pruned page *is* its own counterpart.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from threading import RLock
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import ref

from lxml import etree

from scrapy_tps.engine.html.elements import PageParser

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from typing_extensions import Self

    from scrapy_tps.engine.html.elements import Element

#: Holds the text after an element while the element is out.
_CARRIER: Final = "scrapy-tps-carrier"
_TWO_ELEMENTS: Final = "<div><i></i>{}</div>"

#: The places that :meth:`Moves.has` searches: the removed elements, those that lost something, or all that stay.
REMOVED, TOUCHED, KEPT = range(3)

#: The ways to compare the value of an attribute: equal, with this word, or with this part.
EQUAL, WORD, PART = range(3)


class Needs(NamedTuple):
    """The needs of an element, in UTF-8.

    :ivar tags: one of these tags; empty for any.
    :ivar tests: for each needed attribute, the name, a value, and the way to compare it; any value has an empty part.
    """

    tags: tuple[bytes, ...] = ()
    tests: tuple[tuple[bytes, bytes, int], ...] = ()


class Journal:
    """The removed parts of a page, and the lock to hold for reading its tree while other threads may join it.

    Inside ``with journal:`` the tree is the page as downloaded; elsewhere it is the pruned page. An element stays out
    if other code removed or filled its place. Contexts may be nested.

    All readers in this package hold the lock (:func:`~scrapy_tps.engine.html.elements.reads_tree`), for lxml lets other
    threads run while it reads. No user code runs meanwhile, except functions that an XPath calls.

    :param body: an element of the tree.
    """

    __slots__ = ("_depth", "_removed", "lock", "moves")

    def __init__(self, moves: Moves, body: Element) -> None:
        self.moves = moves
        self.lock = RLock()
        parser = body.getroottree().parser
        if isinstance(parser, PageParser):
            parser.lock = ref(self.lock)
        self._depth = 0
        # whether a removed element meets needs: nobody changes these, and each of a page's rows asks for the same
        self._removed: dict[Needs, bool] = {}
        moves.close()

    def __enter__(self) -> Self:
        self.lock.acquire()
        if not self._depth:
            try:
                self.moves.join()
            except BaseException:
                self.lock.release()
                raise
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        try:
            if not self._depth:
                self.moves.part()
        finally:
            self.lock.release()

    def has(self, needs: Needs, where: int) -> bool:
        """Whether an element there may meet the needs, by :meth:`Moves.has`."""
        with self.lock:
            if where != REMOVED:
                return self.moves.has(needs, where)
            known = self._removed.get(needs)
            if known is None:
                known = self._removed[needs] = self.moves.has(needs, REMOVED)
            return known

    def drop(self, elements: Iterable[Element]) -> bool:
        """Take elements permanently out of the pruned page and the page as downloaded; False if none is in a tree."""
        with self.lock:
            with self:
                found = [element for element in elements if element.getparent() is not None]
                if found:
                    self.moves.drop(found)
            if found:
                self.moves.close()
        return bool(found)


@dataclass(slots=True)
class Child:
    """A child of an element that loses something.

    :ivar tail: the text after it on the page as downloaded; `left`: the part of that text that stays.
    :ivar stays: whether the child itself stays; `place`: its place in the sequence, or -1.
    """

    element: Element
    tail: str | None
    left: str | None
    stays: bool
    place: int


@dataclass(slots=True)
class Loser:
    """An element that loses children or texts; `text` and `left` are those before its first child."""

    element: Element
    text: str | None
    left: str | None
    children: list[Child]
    joined: bool = True

    def join(self, bin_: Element) -> None:
        """Put back what is still in the bin, each part before the child that followed it, or at the end. Children that
        other code has put there stay, and so do its texts."""
        element, present = self.element, set(self.element)
        self._heed_texts(present)
        self.children = [
            child
            for child in self.children
            if (child.element in present if child.stays else child.element.getparent() is bin_)
        ]
        following: Element | None = None
        for child in reversed(self.children):
            if not child.stays:
                if following is None:
                    _append(element, child.element)
                else:
                    following.addprevious(child.element)
            following = child.element
        # the text was after the element that now precedes it
        if (element.text or None) != self.text:
            _set(element, "text", self.text)
        for child in self.children:
            if (child.element.tail or None) != child.tail:
                _set(child.element, "tail", child.tail)
        self.joined = True

    def _heed_texts(self, present: Collection[Element]) -> None:
        """Forget the removed texts where other code has changed the text that was left."""
        first = Child(self.element, self.text, self.left, stays=True, place=-1)
        places = [[first]]  # a child that stays, and removed ones, the texts after which now follow it
        for child in self.children:
            if child.stays:
                places.append([])
            places[-1].append(child)
        for place in places:
            at, *removed = place
            text = at.element.text if at is first else at.element.tail
            if (at is first or at.element in present) and (text or None) == _joined(
                child.left for child in place
            ):
                continue
            at.tail = at.left = text or None
            for child in removed:
                if child.left:
                    child.tail = child.left = None
        self.text, self.left = first.tail, first.left

    def forget(self, dropped: Collection[Element]) -> None:
        """Forget dropped children; the texts after them follow what now precedes them."""
        first = Child(self.element, self.text, self.left, stays=True, place=-1)
        kept: list[tuple[Child, list[str | None], list[str | None]]] = []
        for child in (first, *self.children):
            if child is first or child.element not in dropped:
                kept.append((child, [], []))
            kept[-1][1].append(child.tail)
            kept[-1][2].append(child.left)
        for child, tails, lefts in kept:
            child.tail, child.left = _joined(tails), _joined(lefts)
        self.text, self.left = first.tail, first.left
        self.children = [child for child, _, _ in kept[1:]]

    def loses(self) -> bool:
        """Whether something of it is removed."""
        return self.left != self.text or not all(
            child.stays and child.left == child.tail for child in self.children
        )


class Moves:
    """The moves of a cut in one tree, with lxml's own functions, which know texts only as properties of elements.

    The native core has a class with the same methods.

    :param root: the ``html`` element.
    """

    def __init__(self, root: Element) -> None:
        self._root = root
        self._bin = etree.SubElement(root, "removed")
        root.remove(self._bin)
        self._last: Element = etree.Comment()
        self._bin.append(self._last)
        self._losers: list[Loser] = []
        self._places: dict[Element, int] = {}
        self._touched: set[Element] | None = None
        self._removed: list[tuple[str, dict[str, str]]] | None = None

    def add(self, loser: Loser) -> None:
        """Record an element that loses something; :meth:`part` takes the parts out."""
        self._losers.append(loser)

    def part(self) -> None:
        """Take everything out."""
        carried = False
        for loser in self._losers:
            if not loser.joined:
                continue
            if loser.left != loser.text:
                _set(loser.element, "text", loser.left)
            for child in loser.children:
                if child.stays:
                    if child.left != child.tail:
                        _set(child.element, "tail", child.left)
                    continue
                if child.left:  # a carrier, because lxml moves the text after an element with it
                    child.element.addprevious(carrier_of(child.left))
                    carried = True
                child.element.tail = None
                self._last.addprevious(child.element)
            loser.joined = False
        if carried:  # one pass over the tree, because lxml moves a text only with the element before it
            etree.strip_elements(self._root, _CARRIER, with_tail=False)

    def join(self) -> None:
        """Put everything back whose links still hold."""
        for loser in reversed(self._losers):
            if any(one is self._root for one in (loser.element, *loser.element.iterancestors())):
                loser.join(self._bin)

    def hold(self, controls: bool, /) -> None:
        """Hold references to the elements that lost something: the parts of forms, or the others. Here they are held
        from the start."""

    def close(self) -> None:
        """Remember how the tree is linked, so that later changes by others are noticed. Here each move checks its
        links."""

    def drop(self, elements: list[Element]) -> None:
        """Take elements out permanently, and forget the parts removed with or from them. Call it while all is in.

        The texts around each become one, as lxml's ``drop_tree`` does.

        :param elements: in document order.
        """
        dropped = set(elements)
        gone = {one for element in elements for one in element.iter()}
        for loser in self._losers:
            loser.forget(dropped)
        self._losers = [loser for loser in self._losers if loser.element not in gone and loser.loses()]
        self._touched = self._removed = None
        texts: dict[tuple[Element, str], list[str | None]] = {}  # by what they become a part of
        for element in elements:
            parent, before, tail = element.getparent(), element.getprevious(), element.tail
            assert parent is not None
            element.tail = None
            parent.remove(element)
            place = (parent, "text") if before is None else (before, "tail")
            if tail:
                texts.setdefault(place, [getattr(*place)]).append(tail)
        for place, parts in texts.items():
            _set(*place, _joined(parts))

    def touches(self, element: Element) -> bool:
        """Whether an element lost something, or holds an element that did."""
        return element in self._all_touched()

    def _all_touched(self) -> set[Element]:
        if self._touched is None:
            touched: set[Element] = set()
            for loser in self._losers:
                one: Element | None = loser.element
                while one is not None and one not in touched:
                    touched.add(one)
                    one = one.getparent()
            self._touched = touched
        return self._touched

    def has(self, needs: Needs, where: int, /) -> bool:
        """Whether an element there may meet the needs; with TOUCHED, one for which :meth:`touches` is true."""
        if where == KEPT:
            return True  # XPath itself is faster
        elements: Iterable[tuple[str, dict[str, str]]] | None = self._removed
        if where == TOUCHED:
            elements = _read(self._all_touched())
        elif elements is None:
            self._removed = elements = list(_read(self._bin.iterdescendants(etree.Element)))
        tags = set(map(_text, needs.tags))
        tests = [(_text(name), _text(value), how) for name, value, how in needs.tests]
        return any((not tags or tag in tags) and _passes(values, tests) for tag, values in elements)

    def part_of(self, element: Element) -> Element | None:
        """Return the removed part that holds an element; None if it stayed. Call it while all is out."""
        part: Element | None = element
        while part is not None and part.getparent() is not self._bin:
            part = part.getparent()
        return part

    def place_of(self, part: Element) -> int:
        """Return the place of such a part in the sequence; -1 if it has none."""
        if not self._places:
            removed = (child for loser in self._losers for child in loser.children if not child.stays)
            self._places = {child.element: child.place for child in removed}
        return self._places.get(part, -1)


def _joined(texts: Iterable[str | None]) -> str | None:
    return "".join(filter(None, texts)) or None


def _read(elements: Iterable[Element]) -> Iterator[tuple[str, dict[str, str]]]:
    return ((str(one.tag), dict(one.items())) for one in elements)  # looking up a name may fail


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def _passes(values: Mapping[str, str], tests: Iterable[tuple[str, str, int]]) -> bool:
    """Whether the attributes of an element may pass these tests; words are not told from parts of words."""
    return all(
        name in values and value in values[name] and (how != EQUAL or value == values[name])
        for name, value, how in tests
    )


def _append(parent: Element, child: Element) -> None:
    """Append a child to an element. XPath's ``id()`` forgets elements that lxml appends, but not those that it puts
    next to others."""
    carrier = carrier_of(None)
    parent.append(carrier)
    carrier.addprevious(child)
    parent.remove(carrier)


def _set(element: Element, name: str, text: str | None) -> None:
    """Set the ``text`` or the ``tail`` of an element."""
    try:
        setattr(element, name, text)
    except ValueError:
        setattr(element, name, None)
        carrier = carrier_of(text)
        if name == "text":
            element.insert(0, carrier)
        else:
            element.addnext(carrier)
        around = carrier.getparent()
        assert around is not None
        etree.strip_elements(around, _CARRIER, with_tail=False)


def carrier_of(text: str | None) -> Element:
    """Return an element of a document of its own with this text after it."""
    carrier = etree.Element(_CARRIER)
    try:
        carrier.tail = text
    except ValueError:  # lxml rejects control characters, which its own parser accepts
        carrier = etree.HTML(_TWO_ELEMENTS.format(escape(text or "").replace("\r", "&#13;")))[0][0][0]
        carrier.tag = _CARRIER
    return carrier
