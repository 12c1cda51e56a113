"""The record extractor's view of a page: the tag path sequence and the columns derived from it.

Derived columns are computed once per *symbol* and looked up per node, so that their cost depends on the number of
different tag paths rather than on the number of nodes.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from contextlib import suppress
from functools import cached_property, reduce
from itertools import accumulate, compress, count
from operator import mul, or_
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from scrapy_tps.engine.bounded_cache import remembered
from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.sequence.columns import ELEMENT, TEXT, TagPathSequence
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WEIGHT
from scrapy_tps.records.regularity import density_of, fits_of, regularity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.records.regularity import Bag, Regularity


Span: TypeAlias = tuple[int, int]

_DIGITS = re.compile(r"\d+")

_BOILERPLATE_CUES: Final = reduce(or_, reading.WORDS.values()) & ~(
    reading.FORM | reading.COMMENTS | reading.ASIDE
)
#: Elements that are boilerplate by their meaning (HTML Standard, sections 4.3 and 4.10).
BOILERPLATE_TAGS: Final = frozenset({"nav", "footer", "aside", "header", "select", "textarea", "button"})

#: Elements whose end tag authors omit, or that old parsers allowed to nest.
OPEN_TAGS: Final = frozenset({"a", "b", "blockquote", "center", "dd", "dt", "font", "li", "ol", "p", "ul"})

# Bits of a symbol: its kind, or the kind of an ancestor.
_BOILERPLATE_TAG: Final = 1
_BOILERPLATE_CLASS: Final = 2
_OPEN_BITS: Final = {tag: 4 << number for number, tag in enumerate(sorted(OPEN_TAGS))}
_OPEN: Final = sum(_OPEN_BITS.values())
#: Those of elements by tag.
FLAGS: Final = {
    tag: (_BOILERPLATE_TAG * (tag in BOILERPLATE_TAGS)) | _OPEN_BITS.get(tag, 0)
    for tag in BOILERPLATE_TAGS | OPEN_TAGS
}

#: Nodes in cached bags, per node of the page: deeply nested lists must not fill the memory.
_BAGS_PER_NODE: Final = 16


#: Bytes of a gram in the string that is the key of a span's bag.
_GRAM_BYTES: Final = array("q").itemsize


class Totals(NamedTuple):
    """The contents of records: weighted text, visible characters, visible characters in links; number of records with a
    link."""

    weight: float
    chars: int
    linked: int
    with_link: int


class RecordPage:
    """A tag path sequence with the columns that record extraction needs.

    :ivar paths: for each node, its tag path without classes, as a number.
    :ivar kinds: for each node its tag path with normalised classes (digits and order do not count).
    :ivar signatures: for each node, its own tag and normalised classes, regardless of its place.
    :ivar grams: for each node (tag of grandparent, of parent, its own) as a number: the stems of the
        pq-grams of Augsten, Böhlen & Gamper (VLDB 2005) with p = 3, whose bags approximate tree edit
        distance in linear time.
    :ivar nested_tags: those of `OPEN_TAGS` that stand inside an element of the same tag.
    :ivar signature_tag, signature_class: for each signature its tag and its normalised classes.
    :ivar kind_above, signature_of_kind: for each kind, that of the parent and its own signature; kind 0 is above the
        body.
    :ivar text_nodes: indexes of the text nodes.
    :ivar weight, text, link_text, links, texts: prefix sums, one entry more than nodes: weighted and visible
        characters, those in links, links, text nodes.
    """

    def __init__(self, sequence: TagPathSequence) -> None:
        self.sequence = sequence
        # properties of a native sequence, looked up once
        self.parent = sequence.parent
        self.end = sequence.end
        self.symbols = symbols = sequence.symbols
        self.chars = sequence.chars
        self.nodes = sequence.nodes
        self.node_kinds = sequence.kinds
        self._tags = sequence.symbol_tag
        self._strings: dict[int, str] = {}
        self._bags: dict[Span, Bag] = {}
        self._bags_of_strings: dict[bytes, Bag] = {}
        self._room_for_bags = _BAGS_PER_NODE * len(symbols)
        self._derive(sequence)

    def __len__(self) -> int:
        return len(self.parent)

    def _derive(self, sequence: TagPathSequence) -> None:
        """Compute the columns."""
        chars = self.chars
        kind_of_symbol = self._number_kinds(sequence)
        path_of_kind, gram_of_kind, flags = self._describe_kinds()
        spread, signatures = sequence.spread, self.signature_of_kind
        self.kinds = kinds = spread(kind_of_symbol)
        self.paths = spread([path_of_kind[kind] for kind in kind_of_symbol])
        self.signatures = spread([signatures[kind] for kind in kind_of_symbol])
        self.grams = spread([gram_of_kind[kind] for kind in kind_of_symbol])
        self._string_of_grams = array("q", self.grams).tobytes()
        self._flags = flags
        self.count_of_path, self.count_of_kind = Counter(self.paths), Counter(kinds)
        self.text_nodes = list(compress(range(len(chars)), chars))
        in_link = bytearray(spread(reading.linked_symbols(sequence)))
        weights = map(TEXT_WEIGHT.of, chars, in_link)
        self.weight = list(accumulate(weights, initial=0.0))
        self.text = list(accumulate(chars, initial=0))
        self.link_text = list(accumulate(map(mul, chars, in_link), initial=0))
        self.links = list(accumulate(spread([1 if tag == "a" else 0 for tag in self._tags]), initial=0))
        self.texts = list(accumulate(spread([1 if tag == TEXT else 0 for tag in self._tags]), initial=0))

    def _number_kinds(self, sequence: TagPathSequence) -> list[int]:
        """Number the signatures and kinds, with kind 0 above the body; return each symbol's kind."""
        classes = {raw: read_class(raw or "") for raw in set(sequence.symbol_class)}
        signatures: dict[tuple[str, tuple[str, bool]], int] = defaultdict(count().__next__)
        of_symbol = [
            signatures[tag, classes[raw]]
            for tag, raw in zip(sequence.symbol_tag, sequence.symbol_class, strict=True)
        ]
        self.signature_tag = [tag for tag, _ in signatures]
        self.signature_class = [normal for _, (normal, _) in signatures]
        self._own_flags = [
            FLAGS.get(tag, 0) | (_BOILERPLATE_CLASS if is_boilerplate else 0)
            for tag, (_, is_boilerplate) in signatures
        ]
        width = len(signatures)
        kinds: dict[int, int] = defaultdict(count(1).__next__)  # by the parent's kind and the signature
        kind_of = [0] * (len(of_symbol) + 1)  # the last entry is for -1, the parent of the body's symbol
        for symbol, (parent, signature) in enumerate(zip(sequence.symbol_parent, of_symbol, strict=True)):
            kind_of[symbol] = kinds[kind_of[parent] * width + signature]
        kind_of.pop()
        self.kind_above = [0, *(key // width for key in kinds)]
        self.signature_of_kind = [0, *(key % width for key in kinds)]
        return kind_of

    def _describe_kinds(self) -> tuple[list[int], list[int], list[int]]:
        """Return the tag path, the gram and the flags of each kind, derived from those of its parent."""
        tags = self.signature_tag
        digits = {tag: digit for digit, tag in enumerate(dict.fromkeys(tags), 1)}
        own_parts = [(digits[tag], flags) for tag, flags in zip(tags, self._own_flags, strict=True)]
        base = len(digits) + 1
        square = base * base
        paths: dict[int, int] = defaultdict(count(1).__next__)
        path, gram, flags = [0], [0], [0]
        self.nested_tags: set[str] = set()
        kinds = zip(self.kind_above, self.signature_of_kind, strict=True)
        next(kinds)
        for above, signature in kinds:
            number, own = own_parts[signature]
            path.append(paths[path[above] * base + number])
            # a number of three digits: the last two of the parent, and a new one
            gram.append(gram[above] % square * base + number)
            around = flags[above]
            if own:
                if own & around & _OPEN:
                    self.nested_tags.add(tags[signature])
                around |= own
            flags.append(around)
        return path, gram, flags

    def tag(self, index: int) -> str:
        """Return the tag of a node (``#text`` for text nodes)."""
        return self._tags[self.symbols[index]]

    def is_element(self, index: int) -> bool:
        return self.node_kinds[index] == ELEMENT

    @cached_property
    def count_of_signature(self) -> dict[int, int]:
        """The number of nodes with each signature."""
        found: dict[int, int] = defaultdict(int)
        for kind, times in self.count_of_kind.items():
            found[self.signature_of_kind[kind]] += times
        return found

    @cached_property
    def cell_nodes(self) -> list[int]:
        """The text nodes, links, images and line breaks in document order, from which cells are made."""
        return sorted([*self.text_nodes, *self.sequence.find(("a", "br", "img"))])

    @cached_property
    def itemprops(self) -> dict[int, str]:
        """The last ``itemprop`` of the elements that have one, except those that only repeat the type of the value."""
        found = {}
        for place, values in self.sequence.attributes(frozenset({"itemprop"})):
            names = [name for name in values["itemprop"].split() if name not in ("url", "image")]
            if names:
                found[place] = names[-1]
        return found

    def class_names(self, signature: int) -> frozenset[str]:
        """Return the normalised classes of a signature one by one."""
        return frozenset(self.signature_class[signature].split())

    def children(self, index: int) -> list[int]:
        """Return the children of a node in document order, text nodes included."""
        end = self.end
        child, stop = index + 1, end[index]
        found = []
        while child < stop:
            found.append(child)
            child = end[child]
        return found

    def string(self, index: int) -> str:
        """Return the text of a text node, with white space collapsed."""
        string = self._strings.get(index)
        if string is None:
            string = self._strings[index] = " ".join(self.sequence.text_of(index).split())
        return string

    def density(self, spans: Sequence[Span]) -> float:
        """Return the mean share of records that have a gram, over all grams that occur in them."""
        return density_of(self.bags_of(spans))

    def regularity(self, spans: Sequence[Span]) -> Regularity:
        """Return the profile of records."""
        return regularity_of(self.bags_of(spans))

    def fits(self, spans: Sequence[Span], typical: dict[int, int]) -> list[float]:
        """Return the share of the typical bag of a list that each span has, from 0 to 1."""
        return fits_of(self.bags_of(spans), typical)

    def bags_of(self, spans: Sequence[Span]) -> list[Bag]:
        """Return the frequency of each gram in spans: mostly one object for all spans with the same structure."""
        cached = self._bags
        return [cached.get(span) or self._new_bag(span) for span in spans]

    def _new_bag(self, span: Span) -> Bag:
        start, end = span
        grams = self._string_of_grams[_GRAM_BYTES * start : _GRAM_BYTES * end]
        bag = self._bags_of_strings.get(grams)
        if bag is None:
            bag = Counter(self.grams[start:end])
            if self._room_for_bags < end - start:
                return bag
            self._room_for_bags -= end - start
            self._bags_of_strings[grams] = bag
        self._bags[span] = bag
        return bag

    def totals(self, spans: Sequence[Span]) -> Totals:
        """Return the total contents of the records."""
        weight, text, link_text, links = self.weight, self.text, self.link_text, self.links
        chars = linked = with_link = 0
        total = 0.0  # added one at a time, because `sum` of floats differs between Python versions
        for start, end in spans:
            total += weight[end] - weight[start]
            chars += text[end] - text[start]
            linked += link_text[end] - link_text[start]
            with_link += links[end] > links[start]
        return Totals(total, chars, linked, with_link)

    def boilerplate(self, spans: Sequence[Span]) -> tuple[int, int]:
        """Return how many records are in boilerplate, by element and by class name."""
        flags = [self._flags[self.kinds[start]] for start, _ in spans]
        return (
            sum([flag & _BOILERPLATE_TAG != 0 for flag in flags]),
            sum([flag & _BOILERPLATE_CLASS != 0 for flag in flags]),
        )

    def different_texts(self, spans: Sequence[Span]) -> int:
        """Return the number of spans that do not have the same texts as an earlier one."""
        texts, places = self.texts, self.text_nodes
        similar: dict[tuple[int, str], list[Span]] = {}
        for start, end in spans:
            first, last = texts[start], texts[end]
            head = self.string(places[first]) if first < last else ""
            similar.setdefault((last - first, head), []).append((first, last))
        different = len(similar)
        for (length, _), same in similar.items():
            if length > 1 and len(same) > 1:
                rests = {tuple(map(self.string, places[first + 1 : last])) for first, last in same}
                different += len(rests) - 1
        return different

    def places(self, path: int, signature: int | None) -> list[int]:
        """Return the nodes of a tag path, and those of a signature (None for no signature), in document order."""
        found = _places_of(path, self.paths)
        return found if signature is None else sorted({*found, *_places_of(signature, self.signatures)})

    def strings(self, start: int, end: int) -> list[str]:
        """Return the texts of the text nodes of a span, in document order."""
        cached = self._strings
        return [
            cached.get(place) or self.string(place)
            for place in self.text_nodes[self.texts[start] : self.texts[end]]
        ]


def _places_of(value: int, column: list[int]) -> list[int]:
    """Return the places of a value in a column."""
    found: list[int] = []
    place = -1
    with suppress(ValueError):
        while True:
            place = column.index(value, place + 1)
            found.append(place)
    return found


@remembered
def read_class(value: str) -> tuple[str, bool]:
    """Return a normalised ``class`` attribute, and whether one of its words names boilerplate: a cue for ranking
    only."""
    cues = reading.of_names(value)
    return normalise_class(value), (cues | cues >> reading.WEAK) & _BOILERPLATE_CUES != 0


def normalise_class(value: str) -> str:
    """Return a ``class`` attribute with digits as 0 and sorted names, which is the same for every record of a list."""
    names = _DIGITS.sub("0", value).split()
    return " ".join(sorted(set(names))) if len(names) > 1 else names[0] if names else ""
