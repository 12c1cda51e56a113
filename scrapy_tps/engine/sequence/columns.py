"""A tag path sequence: a page's DOM in columns with one entry per node of the body, in document order.

Velloso & Dorneles, Definitions 2 and 3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lxml import etree

from scrapy_tps.engine.arrays import flipped
from scrapy_tps.engine.bounded_cache import remembered
from scrapy_tps.engine.journal import Child, Loser, Moves
from scrapy_tps.engine.sequence.region_search import VISITS_PER_NODE, Split, search_region

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, MutableSequence, Sequence

    from scrapy_tps.engine.html.elements import Element
    from scrapy_tps.engine.loops.columns import Columns

T = TypeVar("T")


#: Elements that are never shown, except for shadow roots: they and everything inside them are not part of the sequence.
HIDDEN_TAGS: Final = frozenset({"script", "noscript", "style", "template"})

#: Elements that are removed from elements that lose something.
CODE_TAGS: Final = frozenset({"script", "style"})

#: Attributes that label facts; `rel` labels links only.
LABELS: Final = frozenset({"itemprop", "property", "itemref", "datetime", "rel"})

#: Tag of the symbols of text nodes.
TEXT: Final = "#text"

ELEMENT: Final = 0
TEXT_OF: Final = 1
TAIL_OF: Final = 2

_IS_TEXT: Final = bytes([0, 1, 1, *bytes(253)])
_CODES: Final = 256  # tags that a column of bytes can tell apart
_FEW: Final = 16  # if fewer than one place in so many is wanted, they are searched for, otherwise filtered

_title: Final = etree.XPath("string(preceding-sibling::head/title)", smart_strings=False)
#: The ``type`` of scripts with JSON-LD.
_LINKED_DATA: Final = "application/ld+json"
#: The types of an object in JSON-LD, with their name. A list without end takes the rest, so that it is read once.
_TYPES: Final = re.compile(r'"@type"[\s\x1c-\x1f]*:[\s\x1c-\x1f]*(\[[^\]]*\]?|"[^"]*")', re.ASCII)


@dataclass(slots=True)
class TagPathSequence:
    """A page's tag path sequence; index 0 is the body, every column is in document order.

    :ivar parent: index of each node's parent element, -1 for the body.
    :ivar end: index after the last node of each node's subtree.
    :ivar symbols: each node's tag path with ``class`` and ``style``, as in the paper, as a number.
    :ivar chars: visible characters of each text node (white space around it not counted), 0 for elements.
    :ivar nodes: the lxml element of each node; for a text node, the element that carries it.
    :ivar kinds: ``ELEMENT``, or for a text node its storage: ``TEXT_OF`` or ``TAIL_OF`` its carrier.
    :ivar symbol_parent: for each symbol, the symbol of its parent (-1 for the body's); parents come first.
    :ivar symbol_tag: for each symbol, its last tag (``TEXT`` for text nodes).
    :ivar symbol_class: for each symbol, its last ``class`` attribute or None.
    :ivar symbol_style: for each symbol, its last ``style`` attribute or None.
    :ivar wide: characters of East Asian scripts in the text nodes that have some, by index.
    :ivar data_scripts: (index of the parent, element) of scripts that hold data, in document order.
    :ivar native_walk: the walk of the native core that made the sequence, or None.
    :ivar depth: the deepest level of the tree, with the body at level 1; hidden elements count too.

    Elements and text nodes that hold more than white space are in the sequence; comments and
    what `is_unseen` are not.
    """

    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    symbols: list[int] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)
    nodes: list[Element] = field(default_factory=list)
    kinds: bytearray = field(default_factory=bytearray)
    symbol_parent: list[int] = field(default_factory=list)
    symbol_tag: list[str] = field(default_factory=list)
    symbol_class: list[str | None] = field(default_factory=list)
    symbol_style: list[str | None] = field(default_factory=list)
    wide: dict[int, int] = field(default_factory=dict)
    data_scripts: list[tuple[int, Element]] = field(default_factory=list)
    depth: int = 0
    native_walk: Any = field(default=None, init=False, repr=False, compare=False)
    _tags: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False)
    _tag_column: bytes | bytearray | None = field(default=None, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.symbols)

    def hold(self) -> None:
        """Keep every node alive from now on, even if the tree changes."""
        self.nodes = list(self.nodes)

    def search_region(
        self, size_ratio: float, *, inclusive: bool = False, visits_per_node: int = VISITS_PER_NODE
    ) -> tuple[int, int, list[Split]]:
        """Find the main region of the page with :func:`~.region_search.search_region`."""
        return search_region(self.symbols, size_ratio, inclusive=inclusive, visits_per_node=visits_per_node)

    def above(self, index: int) -> int:
        """Return the index of a node's parent; -1 for the body."""
        return self.parent[index]

    def stop(self, index: int) -> int:
        """Return the index after the subtree of a node."""
        return self.end[index]

    def class_of(self, index: int) -> str | None:
        """Return the ``class`` attribute of a node; None for texts."""
        return self.symbol_class[self.symbols[index]]

    def stem_of(self, index: int) -> object:
        """Return the :func:`stem` of a node's class, for comparison; None for texts and elements without a class."""
        classes = self.class_of(index)
        return stem(classes) if classes else None

    def tag_of(self, index: int) -> str:
        """Return the tag of a node, :data:`TEXT` for texts."""
        return self.symbol_tag[self.symbols[index]]

    def text_of(self, index: int) -> str:
        """Return the text of a text node. The tree must not have been cut."""
        node = self.nodes[index]
        return (node.text if self.kinds[index] == TEXT_OF else node.tail) or ""

    def value_of(self, index: int, name: str) -> str | None:
        """Return an attribute of an element, or None. The native core creates no object for the element."""
        return self.nodes[index].get(name)

    def values_of(self, indexes: Sequence[int], name: str) -> list[str | None]:
        """Return an attribute of each of these elements."""
        value_of = self.value_of
        return [value_of(index, name) for index in indexes]

    def title(self) -> str:
        """Return the text of the page's ``title``, or an empty text. The tree must not have been cut."""
        return _title(self.nodes[0])  # type: ignore[no-any-return]

    def linked_types(self) -> list[str]:
        """Return the types in JSON-LD in the body, as written, of scripts whose own type is written as it is
        registered."""
        scripts = (script for _, script in self.data_scripts if script.get("type") == _LINKED_DATA)
        return [found for script in scripts for found in _TYPES.findall(script.text or "")]

    def head_values(self) -> tuple[str, str, list[str]]:
        """Return the page's canonical address, or else the one it was parsed with; its ``og:type``; and the types in
        JSON-LD, of those in the head."""
        address = kind = None
        types: list[str] = []
        for element in next(self.nodes[0].itersiblings("head", preceding=True), ()):
            if element.tag == "script" and element.get("type") == _LINKED_DATA:
                types += _TYPES.findall(element.text or "")
            elif element.tag == "link" and element.get("rel") == "canonical" and address is None:
                address = element.get("href")
            elif element.tag == "meta" and element.get("property") == "og:url" and address is None:
                address = element.get("content")
            elif element.tag == "meta" and element.get("property") == "og:type" and kind is None:
                kind = element.get("content")
        return address or self.nodes[0].getroottree().docinfo.URL or "", kind or "", types

    def find(self, tags: Collection[str]) -> MutableSequence[int]:
        """Return the indexes of the elements with one of these tags; in the core, as an array."""
        if self._tag_column is None:
            self._tags = tuple(dict.fromkeys(self.symbol_tag))
            self._tag_column = b""
            if len(self._tags) <= _CODES:
                codes = {tag: code for code, tag in enumerate(self._tags)}
                self._tag_column = bytes(self.spread(bytes(map(codes.__getitem__, self.symbol_tag))))
        column = self._tag_column
        wanted = bytes(tag in tags for tag in self._tags)
        if 1 not in wanted:
            return []
        if not column:
            of_tag = [tag in tags for tag in self.symbol_tag]
            return list(compress(range(len(self)), self.spread(of_tag)))
        found = column.translate(wanted.ljust(_CODES, b"\0"))
        if found.count(1) > len(found) // _FEW:
            return list(compress(range(len(found)), found))
        places = []
        place = -1
        while (place := found.find(1, place + 1)) >= 0:
            places.append(place)
        return places

    def joined(self, start: int, stop: int) -> str:
        """Return the visible text of nodes [start, stop) without white space."""
        return "".join(
            "".join(map(self.text_of, compress(range(start, stop), self.chars[start:stop]))).split()
        )

    # The core omits most of those that cannot be meant. It gets the columns of a page under a strategy.

    def texts_with_digits(
        self, columns: Columns, start: int, stop: int, mask: bytes | bytearray, priced: bool = False
    ) -> Iterable[int]:
        """Return the visible texts among nodes [start, stop) whose byte is 1; in the core, those with a digit, or those
        that may have a price."""
        del priced
        return filter(columns.length_column.__getitem__, compress(range(start, stop), mask[start:stop]))

    def removed_numbers(self, columns: Columns, longest: int) -> list[int]:
        """Return the removed texts of at most so many characters, and pictures, in links; in the core, numbers."""
        lengths, alive, linked = columns.length_column, columns.alive, columns.link_mask
        return [
            place
            for place in range(columns.size)
            if linked[place]
            and not alive[place]
            and (0 < lengths[place] <= longest or self.tag_of(place) == "img")
        ]

    def labelling(self, columns: Columns) -> tuple[list[int], list[int]]:
        """Return the elements with labels of facts that stay, and those that do not; the core omits other ``rel``."""
        places, alive = [place for place, _ in self.attributes(LABELS)], columns.alive
        return [one for one in places if alive[one]], [one for one in places if not alive[one]]

    def links_with(
        self,
        columns: Columns,
        links: MutableSequence[int],
        parts: list[Any],
        pieces: tuple[bytes, ...],
    ) -> list[int]:
        """Return those of these links that are in parts; in the core, those whose address has one of the pieces."""
        del pieces
        return [link for start, end, *_ in parts for link in columns.between(links, start, end)]

    def next_links(
        self,
        columns: Columns,
        places: tuple[MutableSequence[int], ...],
        held: bytearray,
        words: Any,
        most: tuple[int, int],
    ) -> list[int]:
        """Return those of places (links, buttons) whose byte is 0, with at most so many characters and nodes; in the
        core, those whose words may lead to another page."""
        del words
        longest, nodes = most
        end = columns.end_column
        return [
            link
            for link in chain(*places)
            if not held[link] and end[link] - link <= nodes and columns.length_of(link, end[link]) <= longest
        ]

    def telling_headings(self, columns: Columns, wanted: int, longest: int, words: Any) -> list[int]:
        """Return the nodes with one of these cues and a text of at most so many characters; in the core, with a word
        of these."""
        del words
        texts, end = columns.text_sums, columns.end_column
        return [one for one in columns.all_with(wanted) if 0 < texts[end[one]] - texts[one] <= longest]

    def symbols_with(self, tags: Collection[str]) -> bytearray:
        """Return a byte for each symbol, 1 if it is an element with one of these tags."""
        return bytearray(tag in tags for tag in self.symbol_tag)

    def count_symbols(self) -> tuple[int, int]:
        """Return how many symbols are elements, and how many of these have a class."""
        elements = len(self.symbol_tag) - self.symbol_tag.count(TEXT)
        return elements, len(self.symbol_class) - self.symbol_class.count(None)

    def spread(self, of_symbols: Sequence[T]) -> list[T]:
        """Return for each node the value in `of_symbols` of its symbol."""
        # twice as fast as `map`, three times as fast for bytes
        return list(itemgetter(0, *self.symbols)(of_symbols)[1:]) if self.symbols else []

    def text_mask(self) -> bytearray:
        """Return a byte for each node, 1 for text nodes."""
        return self.kinds.translate(_IS_TEXT)

    def attributes(self, names: frozenset[str]) -> list[tuple[int, dict[str, str]]]:
        """Return (index, values by name) of the elements that have one of these attributes."""
        disjoint = names.isdisjoint
        return [  # XPath takes twice the time
            (index, {name: node.get(name, "") for name in present if name in names})
            for index, node in compress(enumerate(self.nodes), flipped(self.text_mask()))
            if (present := node.keys()) and not disjoint(present)
        ]

    def labels(self, name: str) -> list[str]:
        """Return the values of an attribute of microdata, such as ``itemprop``, below the body."""
        return [values[name] for index, values in self.attributes(frozenset({name})) if index]

    def locate(self, elements: Iterable[Element | None]) -> list[int]:
        """Return the indexes of elements of the tree, omitting those that are not in the sequence."""
        return [place for place in self.places(elements) if place >= 0]

    def places(self, elements: Iterable[Element | None]) -> list[int]:
        """Return the index of each element of the tree, -1 if it is not in the sequence."""
        places = {node: index for index, node in enumerate(self.nodes) if self.kinds[index] == ELEMENT}
        return [-1 if element is None else places.get(element, -1) for element in elements]

    def visible(self, mask: bytearray | None = None) -> int:
        """Return the number of visible characters, of all nodes or of those whose byte is 1."""
        return sum(self.chars) if mask is None else sum(compress(self.chars, mask))

    def add_ancestors(self, mask: bytearray) -> None:
        """Set the byte of every ancestor of a node whose byte is 1, and that of the body in any case."""
        parent = self.parent
        mask[0] = 1
        index = mask.find(0)
        # in a row of nodes that stay, the first one has all ancestors that the others have outside the row
        while index >= 0 and (index := mask.find(1, index)) >= 0:
            above = parent[index]
            while not mask[above]:
                mask[above] = 1
                above = parent[above]
            index = mask.find(0, index)

    def keep_data(self, mask: bytearray) -> None:
        """Set the byte of every element that contains a script with data."""
        for index, _ in self.data_scripts:
            mask[index] = 1

    def cut(self, mask: bytearray, kept_scripts: Collection[Element], *, keep_data: bool) -> Moves:
        """Take every node whose byte is 0 out of the tree, and return the moves.

        :param mask: a byte for each node, 1 if it stays; ancestors of nodes that stay have to stay.
        :param kept_scripts: script elements that stay even if the element around them loses something; all other
            scripts and styles in such elements are removed.
        :param keep_data: whether scripts that hold data stay too.
        """
        if keep_data:
            kept_scripts = {*kept_scripts, *(script for _, script in self.data_scripts)}
        moves = Moves(self.nodes[0].getroottree().getroot())
        end = self.end
        total = len(mask)
        next_removed = mask.find(0)
        index = 0
        elements = {0: self.nodes[0]}  # nodes that stay below the elements handled so far
        while index < total and next_removed >= 0:
            if not mask[index]:
                index = end[index]  # recorded with the children of its parent
                next_removed = mask.find(0, index)
            elif next_removed >= end[index]:
                index = end[index]  # nothing in this subtree is removed
            else:
                moves.add(self._loser(mask, index, kept_scripts, elements))
                index += 1
        moves.part()
        return moves

    def _loser(
        self, mask: bytearray, index: int, kept_scripts: Collection[Element], elements: dict[int, Element]
    ) -> Loser:
        """Return the losses of an element, and add its children that stay to `elements`."""
        end, kinds = self.end, self.kinds
        element = elements.pop(index)
        place, stop = index + 1, end[index]
        text = left = element.text
        blank = False  # whether the kept content so far is known to end in white space …
        before = None  # … or the kept child whose tail has not been examined
        if place < stop and kinds[place] == TEXT_OF:
            if not mask[place]:
                left = _remains(text or "")
                blank = left is not None
            place += 1
        found = Loser(element, text, left, [])
        for child in element:
            tag, tail = child.tag, child.tail
            left, own = tail, -1
            if tag.__class__ is str and not is_unseen(child):
                stays = mask[place] != 0
                if stays:
                    elements[place] = child
                own, place = place, end[place]
            else:
                stays = tag not in CODE_TAGS or child in kept_scripts
            if tail and place < stop and kinds[place] == TAIL_OF and not tail.isspace():
                if mask[place]:
                    blank = False
                else:
                    left = None if blank else _remains(tail)
                    blank = blank or left is not None
                before = None
                place += 1
            elif stays:
                blank, before = False, child
            elif tail:
                if blank or (before is not None and before.tail):
                    left = None
                blank, before = True, None
            found.children.append(Child(child, tail, left, stays, own))
        return found


def is_unseen(element: Element) -> bool:
    """Whether a browser shows neither an element nor what is in it."""
    return element.tag in HIDDEN_TAGS and not is_shadow_root(element)


def is_shadow_root(element: Element) -> bool:
    """Whether a browser shows a ``template`` as the content of its parent (HTML Standard, section 4.12.3)."""
    return element.tag == "template" and element.get("shadowrootmode") is not None


def _remains(text: str) -> str | None:
    """Return the white space that has to stay of a removed text, to keep the words around it apart."""
    return " " if text[0].isspace() or text[-1].isspace() else None


@remembered
def stem(classes: str) -> str:
    """Return the first class of a ``class`` attribute with all digits as 0, which is the same for per-item classes."""
    tokens = classes.split(None, 1)
    return re.sub(r"\d+", "0", tokens[0]) if tokens else ""
