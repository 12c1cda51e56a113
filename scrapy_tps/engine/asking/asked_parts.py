"""Parts of a page that stay because the spider asks for them: known from other pages of the site."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from lxml import etree
from lxml.html import HtmlElement

from scrapy_tps.engine import native
from scrapy_tps.engine.asking.removed_names import IS_ELEMENT
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies import Span
from scrapy_tps.engine.strategies.auto.masks import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_tps.engine.asking.learnt import Learnt
    from scrapy_tps.engine.asking.page_trees import PageTrees
    from scrapy_tps.engine.asking.queries import Query
    from scrapy_tps.engine.asking.removed_names import Removed
    from scrapy_tps.engine.sequence.columns import TagPathSequence

RULE: Final = "asked"

T = TypeVar("T")


class Later(Sequence[T]):
    """A sequence that is made when somebody looks at it: few do.

    :param make: called at the first look; in threads that look at once it may be called by each.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], list[T]]) -> None:
        self._make: Callable[[], list[T]] | None = make
        self._made: list[T] = []

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, which: int) -> T: ...

    @overload
    def __getitem__(self, which: slice) -> list[T]: ...

    def __getitem__(self, which: int | slice) -> T | list[T]:
        return self._all()[which]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> list[T]:
        make = self._make
        if make is not None:
            self._made = make()
            self._make = None  # and what it holds
        return self._made


def spans_with(spans: Sequence[Span], parts: Sequence[tuple[int, Learnt]], ends: Sequence[int]) -> list[Span]:
    """Return spans with parts that stay as spans of their own, in document order.

    :param parts, ends: what stays, in document order, and where each ends.
    """
    added = [
        Span(place, end, True, f"your spider asks for `{one.asked}` here", RULE)
        for (place, one), end in zip(parts, ends, strict=True)
    ]
    result: list[Span] = []
    for span in spans:
        start = span.start
        for part in added:
            if part.end <= start or part.start >= span.end:
                continue
            if part.start > start:
                result.append(span._replace(start=start, end=part.start))
            start = max(start, part.end)
        if start < span.end:
            result.append(span._replace(start=start))
    return sorted(result + added)


class AskedParts:
    """The parts of a page that stay because the spider asks for them, beside its pruned tree.

    The pruned tree is the same with them and without them, and so is what selections give. They are in a tree of their
    own, below copies of their ancestors; in the page as it is written they stand where they stood.

    Made before the tree is cut; it watches the cut, for `removed`, what is known about all that goes, as well.

    :ivar root: the ``html`` element of that tree.
    :ivar stays: a byte for each node of the page's sequence, 1 where it stays, for their sake or anyway.
    :ivar runs: [start, end) of the nodes that stay for their sake: they and their ancestors.
    :ivar ordinals: which elements of the body, as it is written, each of them and its ancestors begin with.
    :ivar removed: what is known about all that went, with what is in them and without it.
    """

    def __init__(
        self, sequence: TagPathSequence, mask: bytearray, removed: Removed, places: Sequence[int]
    ) -> None:
        self.removed = removed
        nodes = sequence.nodes
        body = nodes[0]
        html = body.getparent()
        # root of a document of its own, or `//a` would look at the page
        self.root = html.getroottree().parser.makeelement(html.tag, dict(html.attrib))
        inner = _shell_in(self.root, body)
        # of ancestors: those that stay, and those that go
        self._copies: dict[Any, Any] = {html: self.root, body: inner}
        self._copies_of_gone: dict[Any, Any] = {}
        self._roots: dict[Any, int] = {}
        self._at: dict[int | None, Any] | None = None  # the reverse, once somebody has asked
        self._pieces: list[tuple[Any, Any, Any]] = []
        # the sibling that stays after the last piece, by their parent
        self._following: dict[int, int | None] = {}
        self._originals = [nodes[place] for place in places]
        self._holder: Any = None  # of all that went, where it went at once
        self._in_tops: dict[
            Any, list[Any]
        ] = {}  # the originals, by the outermost element that goes with them
        self.stays = bytearray(mask)
        stays = self.stays
        runs: list[tuple[int, int]] = []
        tops: list[int] = []
        for place, original in zip(places, self._originals, strict=True):
            end = sequence.stop(place)
            stays[place:end] = b"\x01" * (end - place)
            runs.append((place, end))
            part = copy.deepcopy(original)
            part.tail = None
            self._roots[part] = place
            self._add(sequence, mask, place, part)
            outermost, above, is_new = place, sequence.above(place), True
            while not mask[above]:
                is_new = not stays[above]
                if is_new:
                    stays[above] = 1
                    runs.append((above, above + 1))
                outermost, above = above, sequence.above(above)
            if is_new:
                tops.append(outermost)
            self._in_tops.setdefault(nodes[outermost], []).append(original)
        self._that_stayed = {copied: element for element, copied in self._copies.items()}
        self.runs = _joined(runs)
        self.ordinals = Later(partial(_ordinals, stays, sequence.kinds, tops))

    def _add(self, sequence: TagPathSequence, mask: bytearray, place: int, part: Any) -> None:
        """Put the copy of a part below copies of its ancestors; note where the first of them that goes stood."""
        nodes = sequence.nodes
        # ancestors without a copy yet, and where copies of them are
        missing: list[tuple[Any, dict[Any, Any]]] = []
        # how many of these go, and where they stood
        border: tuple[int, Any, int | None] | None = None
        while True:
            outer = sequence.above(place)
            above = nodes[outer]
            if mask[outer] and not mask[place]:
                border = len(missing), above, self._next_that_stays(sequence, mask, outer, place)
            copies = self._copies if mask[outer] else self._copies_of_gone
            twin = copies.get(above)
            if twin is not None:
                break
            missing.append((above, copies))
            place = outer
        for element, copies in reversed(missing):
            twin = copies[element] = _shell_in(twin, element)
        twin.append(part)
        if border is not None:
            going, above, following = border
            piece = self._copies_of_gone[missing[going - 1][0]] if going else part
            self._pieces.append((above, None if following is None else nodes[following], piece))

    def _next_that_stays(
        self, sequence: TagPathSequence, mask: bytearray, outer: int, place: int
    ) -> int | None:
        """Return the next sibling that stays; places are asked for in document order, so each is passed once."""
        known = self._following.get(outer, place)
        if known is not None and known <= place:
            known = next((one for one in _siblings(sequence, place) if mask[one]), None)
            self._following[outer] = known
        return known

    def gone(self, element: Any, *, of_head: bool = False) -> None:
        """Note the names of what goes, with the parts and without them."""
        without: Sequence[Any] = ()
        if not of_head:
            # either what goes comes by itself, or all in one element that is none of the page
            if element.getparent() is None:
                self._holder, without = element, self._originals
            else:
                without = self._in_tops.get(element, ())
        self.removed.gone(element, of_head=of_head, without=without)

    def lost(self, elements: Any) -> None:
        """Note what loses something."""
        self.removed.lost(elements)

    def let_go(self) -> None:
        """Hold nothing of what went any more, now that the tree is cut."""
        # From within outwards: whenever lxml frees the last element that Python holds of a removed part, it searches
        # the whole part for others. The other way round that is done for each: 5 s on a page of which 80,000 elements
        # and 490 parts went, not .2 s.
        outermost = list(self._in_tops)
        self._originals = []
        self._copies_of_gone, self._in_tops = {}, {}
        outermost.clear()
        self._holder = None
        if not all(isinstance(one, HtmlElement) for one in self._copies):
            self._fetch_again()
        for part in self._roots:
            self.removed.beside(part)

    def _fetch_again(self) -> None:
        """Hold elements of the class that spiders expect: what is held of the page's walk in Python is plain.

        lxml makes one anew when nobody holds it any more.
        """
        html = next(iter(self._copies))
        ways = [(_way(one), copied) for one, copied in self._copies.items()]
        pieces = [
            (_way(above), None if following is None else above.index(following), piece)
            for above, following, piece in self._pieces
        ]
        self._copies, self._that_stayed, self._pieces = {}, {}, []
        self._copies = {_at(html, way): copied for way, copied in ways}
        self._that_stayed = {copied: element for element, copied in self._copies.items()}
        self._pieces = [
            (above, None if number is None else above[number], piece)
            for above, number, piece in ((_at(html, way), number, piece) for way, number, piece in pieces)
        ]

    def may_hold(self, query: Query) -> bool:
        """Whether what a query asks for may be in one of the parts, by the names of their elements."""
        names = self.removed.of_parts
        return names is not None and any(
            names.may_match(one.steps[-1].names) for one in query.alternatives if one.steps
        )

    def twin(self, element: Any) -> Any:
        """Return the copy of an element of the pruned tree, if any of the parts was in it; else None."""
        return self._copies.get(element)

    def hold(self, element: Any) -> bool:
        """Whether an element is in one of the parts, or one of them."""
        while element is not None and element not in self._roots:
            element = element.getparent()
        return element is not None

    def stand_in(self, holder: Any, element: Any) -> bool:
        """Whether `holder`, in one of the parts, would stand in an element of the pruned tree: others may have changed
        what its part stood in."""
        while holder not in self._that_stayed:
            holder = holder.getparent()
        above = self._that_stayed[holder]
        while above is not None and above is not element:
            above = above.getparent()
        return above is not None

    def origin(self, element: Any) -> tuple[int, list[int]] | None:
        """Where an element of a part is on the whole page: place of the part, and way down by positions."""
        way: list[int] = []
        while element is not None and element not in self._roots:
            above = element.getparent()
            if above is None:
                return None
            way.append(above.index(element))
            element = above
        return None if element is None else (self._roots[element], way[::-1])

    def counterpart(self, tree: PageTrees, element: Any) -> Any:
        """The element of a part that is this one of the whole page, or None; the reverse of :meth:`origin`."""
        if self._at is None:
            self._at = {place: part for part, place in self._roots.items()}
        element_of_page = element
        way: list[int] = []
        while element is not None and (place := tree.place(element)) not in self._at:
            above = element.getparent()
            if above is not None:
                way.append(above.index(element))
            element = above
        if element is None:
            return None
        found = self._at[place]
        for number in reversed(way):
            if number >= len(found):
                return None
            found = found[number]
        # where others removed one before it from the part, the position leads to the next one
        return found if _says_the_same(found, element_of_page) else None

    @contextmanager
    def inserted(self) -> Iterator[None]:
        """Put copies of the parts into the pruned tree, where they stood, and take them out again."""
        added = []
        try:
            for above, following, piece in self._pieces:
                one = copy.deepcopy(piece)
                if following is not None and following.getparent() is above:
                    following.addprevious(one)
                else:
                    above.append(one)
                added.append(one)
            yield
        finally:
            for one in added:
                one.getparent().remove(one)


def take_out(root: Any, ordinals: Iterable[int]) -> None:
    """Take the parts out of a page that was written with them and parsed again.

    :param ordinals: :attr:`AskedParts.ordinals`.
    """
    walked = native.walk(root.find("body"), None)
    elements = [place for place, kind in enumerate(walked.kinds) if kind == ELEMENT]
    for one in [walked.nodes[elements[number]] for number in ordinals if number < len(elements)]:
        one.drop_tree()


def _joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same [start, end), in order; those next to each other as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(runs):
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _ordinals(stays: bytearray, kinds: bytearray, places: Iterable[int]) -> list[int]:
    """How many elements that stay are before each of these places, which are in document order."""
    elements = masked(stays, kinds.translate(IS_ELEMENT))
    ordinals = []
    number = last = 0
    for place in places:
        number += elements.count(1, last, place)
        ordinals.append(number)
        last = place
    return ordinals


def _says_the_same(one: Any, other: Any) -> bool:
    return (
        one.tag == other.tag
        and one.items() == other.items()
        and "".join(one.itertext()) == "".join(other.itertext())
    )


def _way(element: Any) -> list[int]:
    """The way from the root down to an element, by positions."""
    way = []
    while (above := element.getparent()) is not None:
        way.append(above.index(element))
        element = above
    return way[::-1]


def _at(element: Any, way: Iterable[int]) -> Any:
    """The element that a way leads to."""
    for number in way:
        element = element[number]
    return element


def _shell_in(above: Any, element: Any) -> Any:
    """Add a copy of an element alone to another one; made on its own, it would come with a document."""
    return etree.SubElement(above, element.tag, dict(element.items()))


def _siblings(sequence: TagPathSequence, place: int) -> Iterator[int]:
    stop = sequence.stop(sequence.above(place))
    place = sequence.stop(place)
    while place < stop:
        if sequence.kinds[place] == ELEMENT:
            yield place
        place = sequence.stop(place)
