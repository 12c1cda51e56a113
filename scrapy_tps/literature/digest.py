"""The remembered part of a page: its tree, and the terms of its texts as numbers. Bounded, whatever the page."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import TEXT
from scrapy_tps.literature.terms import number, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: Attributes that say how an element looks (Yi, Liu & Li: "display properties"), and those that name what it shows.
DISPLAY: Final = ("bgcolor", "background", "width", "height", "align", "valign", "border", "color", "size")
SHOWN: Final = ("src", "href")
READ: Final = frozenset((*DISPLAY, *SHOWN))

MOST_NODES: Final = 20_000
MOST_TERMS: Final = 40_000


@dataclass(slots=True)
class Digest:
    """A page in numbers.

    :ivar key: of its texts: the same page again is the same key.
    :ivar parent, end: as in the tag path sequence, of its first nodes.
    :ivar tags: the tag of each node.
    :ivar labels: a number for each node's tag, class, style and display attributes.
    :ivar terms: the terms of all nodes, as numbers: words of texts; of elements the image file or the link that they
        show.
    :ivar starts: where each node's terms start; one more than there are nodes.
    :ivar whole: whether the page is in it to its end.
    :ivar address: a number for its address; 0 if that is not known.
    """

    key: int
    parent: array[int]
    end: array[int]
    tags: list[str]
    labels: array[int]
    terms: array[int]
    starts: array[int]
    whole: bool
    address: int = 0
    _elements: list[list[int]] = field(default_factory=list, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.parent)

    def is_same(self, other: Digest) -> bool:
        """Whether two are the same page: at one address, or with the same texts."""
        return self.key == other.key or self.address == other.address != 0

    def terms_of(self, start: int, end: int) -> array[int]:
        """The terms of nodes [start, end), in their order."""
        return self.terms[self.starts[start] : self.starts[end]]

    def children(self) -> list[list[int]]:
        """The children of each node."""
        if not self._elements:
            below: list[list[int]] = [[] for _ in range(len(self))]
            for node in range(1, len(self)):
                below[self.parent[node]].append(node)
            self._elements = below
        return self._elements

    def forget_children(self) -> None:
        """Free what :meth:`children` worked out."""
        self._elements = []

    def bytes(self) -> int:
        """Memory that the columns take, in bytes."""
        columns: Sequence[array[int]] = (self.parent, self.end, self.labels, self.terms, self.starts)
        return sum(column.itemsize * len(column) for column in columns) + 8 * len(self.tags)


def digest(
    sequence: TagPathSequence,
    terms_of: Callable[[str], list[str]] = words,
    *,
    most_nodes: int = MOST_NODES,
    most_terms: int = MOST_TERMS,
) -> Digest:
    """Return what is remembered of a page: its first nodes, up to `most_nodes` with up to `most_terms` terms.

    :param terms_of: the terms of a text.
    """
    tag_of, symbols = sequence.symbol_tag, sequence.symbols
    of_symbol = [
        f"{tag}|{names or ''}|{style or ''}"
        for tag, names, style in zip(tag_of, sequence.symbol_class, sequence.symbol_style, strict=True)
    ]
    attributes = dict(sequence.attributes(READ))
    size = min(len(sequence), most_nodes)
    tags: list[str] = []
    labels, terms, starts = array("I"), array("I"), array("i", [0])
    numbers: dict[str, int] = {}
    hashed = blake2b(digest_size=8)
    for node in range(size):
        symbol = symbols[node]
        tag, label = tag_of[symbol], of_symbol[symbol]
        found: list[str] = []
        if tag == TEXT:
            text = sequence.text_of(node)
            hashed.update(text.encode("utf-8", "surrogatepass"))
            found = terms_of(text)
        elif node in attributes:
            values = attributes[node]
            label += "".join(f"|{name}={values[name]}" for name in DISPLAY if values.get(name))
            found = [f"{name}:{values[name]}" for name in SHOWN if values.get(name)]
        if len(terms) + len(found) > most_terms:
            size = node
            break
        tags.append(tag)
        labels.append(_number(label, numbers))
        terms.extend([_number(term, numbers) for term in found])
        starts.append(len(terms))
    parent = array("i", sequence.parent[:size])
    end = array("i", [min(stop, size) for stop in sequence.end[:size]])
    key = int.from_bytes(hashed.digest(), "big")
    return Digest(key, parent, end, tags, labels, terms, starts, size == len(sequence))


def _number(term: str, known: dict[str, int]) -> int:
    found = known.get(term)
    if found is None:
        found = known[term] = number(term)
    return found
