"""Parts of a page that stay because the spider asks for them: known from other pages of the site."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.asking.queries import analyse
from scrapy_tps.engine.asking.removed_names import IS_ELEMENT, names_of
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies import Span
from scrapy_tps.engine.strategies.auto.masks import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_tps.engine.asking.learnt import Learnt
    from scrapy_tps.engine.asking.queries import Query
    from scrapy_tps.engine.asking.removed_names import Removed
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: At most this share of the nodes that would go stays because of what was learnt, or so many: pruning is not undone.
_MOST_STAYS: Final = 1 / 2
_ALWAYS_STAY: Final = 100
#: So many parts stay at most, each of them a copy: whoever asks for thousands gets them from the whole page.
_MOST_PARTS: Final = 500
RULE: Final = "asked"

T = TypeVar("T")


def find_parts(
    sequence: TagPathSequence, mask: bytearray, learnt: Iterable[Learnt]
) -> list[tuple[int, Learnt]]:
    """Return what stays of a page for what was learnt about its site: places in the sequence, in document order.

    :param mask: a byte for each node, 1 where it stays anyway.

    What a query found nothing of stays only where it would again find nothing: a carousel's prices don't come to a
    page that has prices of its own. What was asked of a part, or is the rest of a list, stays where that part or list
    does. Of a query that finds so much that there would be more than :data:`_MOST_PARTS` nothing stays.
    """
    room = max(_ALWAYS_STAY, int(mask.count(0) * _MOST_STAYS))
    found: dict[int, Learnt] = {}
    for one in learnt:
        for place in sequence.follow(one.place.steps):
            found.setdefault(place, one)
    if not found:
        return []
    whole = {one.query for one in found.values() if not one.place.inside}
    again = _found_anyway(sequence, mask, whole) if whole else whole
    wanted = [
        (place, one)
        for place, one in sorted(found.items(), key=itemgetter(0))
        if not mask[place]
        and _is_inside(sequence, mask, place, one)
        and (one.place.inside or one.query not in again)
    ]
    few = _few_enough([one.query for _, one in wanted])
    chosen: list[tuple[int, Learnt]] = []
    stop = 0
    for place, one in wanted:
        if place < stop or one.query not in few:
            continue
        size = sequence.stop(place) - place
        if size <= room:
            room -= size
            stop = place + size
            chosen.append((place, one))
    return chosen


def _few_enough(queries: Sequence[str]) -> set[str]:
    """Return the queries of which all parts may stay, those with the fewest parts first."""
    if len(queries) <= _MOST_PARTS:
        return set(queries)
    room = _MOST_PARTS
    few: set[str] = set()
    for query, number in sorted(Counter(queries).items(), key=lambda one: (one[1], one[0])):
        room -= number
        if room < 0:
            break
        few.add(query)
    return few


def _found_anyway(sequence: TagPathSequence, mask: bytearray, queries: Iterable[str]) -> set[str]:
    """Return the queries that may find something in what stays anyway."""
    paths = {query: [path.elements for path in analyse(query).alternatives] for query in queries}
    attributes = any(
        step.ids or step.value_keys for of_query in paths.values() for path in of_query for step in path
    )
    stays = names_of(sequence, mask, attributes=attributes)
    return {
        query
        for query, of_query in paths.items()
        if not of_query or any(all(map(stays.may_match, path)) for path in of_query)
    }


def _is_inside(sequence: TagPathSequence, mask: bytearray, place: int, one: Learnt) -> bool:
    """Whether the part or list that lacked something stays here."""
    if not one.place.inside:
        return True
    for _ in range(len(one.place.steps) - one.place.inside):
        place = sequence.above(place)
    return bool(mask[place])


class Later(Sequence[T]):
    """A sequence that is made when somebody looks at it: few do.

    :param make: called once.
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
        for part in self._roots:
            self.removed.beside(part)

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
