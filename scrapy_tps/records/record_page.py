"""The record extractor's view of a page: the tag path sequence and the columns derived from it.

Derived columns are computed once per *symbol* and looked up per node, so that their cost depends on the number of
different tag paths rather than on the number of nodes.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from functools import cache, cached_property, reduce
from itertools import accumulate, compress, count
from operator import mul, not_, or_
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from scrapy_tps.engine.bounded_cache import remembered
from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.sequence.columns import ELEMENT, TEXT, TagPathSequence
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


Span: TypeAlias = tuple[int, int]
#: The frequency of each gram, or class, in a record.
Bag: TypeAlias = "Counter[Any]"

_DIGITS = re.compile(r"\d+")

#: Cues of parts that hold no records of their own: controls, site navigation, and what class names or ids call so.
_BOILERPLATE: Final = reduce(
    or_, reading.WORDS.values(), reading.NAVIGATION | reading.CONTROL | reading.BUTTON
) & ~(reading.FORM | reading.COMMENTS)

#: Nodes in cached bags, per node of the page: deeply nested lists must not fill the memory.
_BAGS_PER_NODE: Final = 16


#: Starts of addresses that lead to no other page.
NO_TARGETS: Final = ("#", "javascript:", "mailto:")
_LETTERS: Final = 3  # of a title
_MADE_UP: Final = 3  # so many elements of one tag path have classes of their own

#: Bytes of a gram in the string that is the key of a span's bag.
_GRAM_BYTES: Final = array("q").itemsize


class Regularity:
    """The similarity of the records of a list, and the fit of other elements, given the bag of each.

    Bags are compared with the typical record, not in pairs. This is linear in the size of the list, while a tree edit
    distance of every pair is quadratic. Records with the same structure share one bag object, which is examined once.

    :ivar density: mean share of the records that have a gram, over all grams that occur.
    """

    def __init__(self, bags: Sequence[Bag]) -> None:
        self._bags = bags
        self._different = {id(bag): bag for bag in bags}
        grams = frozenset().union(*self._different.values())
        self.density = sum(map(len, bags)) / len(bags) / max(1, len(grams))

    @cached_property
    def typical(self) -> dict[Any, int]:
        """Each gram that at least half of the records have, and its median count."""
        count, middle = len(self._bags), len(self._bags) // 2
        times = Counter(map(id, self._bags))
        having: dict[Any, int] = {}  # records with a gram, and with a gram several times
        again: dict[Any, int] = {}
        for key, bag in self._different.items():
            records = times[key]
            for gram, held in bag.items():
                having[gram] = having.get(gram, 0) + records
                if held > 1:
                    again[gram] = again.get(gram, 0) + records
        typical = {gram: 1 for gram, records in having.items() if 2 * records >= count}
        for gram, records in again.items():
            if records >= count - middle:
                typical[gram] = sorted([bag.get(gram, 0) for bag in self._bags])[middle]
        return typical

    def fits(self, bags: Sequence[Bag]) -> list[float]:
        """Return the share of the typical bag that each bag has, from 0 to 1."""
        typical = self.typical
        grams, total = typical.keys(), sum(typical.values()) or 1
        often = [(gram, usual) for gram, usual in typical.items() if usual > 1]
        fits = {}
        for key, bag in {id(bag): bag for bag in bags}.items():
            held = len(grams & bag.keys())  # once each …
            for gram, usual in often:
                held += min(usual, bag.get(gram, 1)) - 1  # … and again
            fits[key] = held / total
        return [fits[id(bag)] for bag in bags]


class RecordPage:
    """A tag path sequence with the columns that record extraction needs.

    :ivar paths: for each node, its tag path without classes, as a number.
    :ivar kinds: for each node its tag path with normalised classes (digits and order do not count).
    :ivar signatures: for each node, its own tag and normalised classes, regardless of its place.
    :ivar grams: for each node (tag of grandparent, of parent, its own) as a number, within its row: the stems
        of the pq-grams of Augsten, Böhlen & Gamper (VLDB 2005) with p = 3, whose bags approximate tree edit
        distance in linear time.
    :ivar signature_tag, signature_class: for each signature its tag and its normalised classes.
    :ivar kind_above, signature_of_kind: for each kind, that of the parent and its own signature; kind 0 is above the
        body.
    :ivar boilerplate: a byte for each node, 1 inside boilerplate by element, class name or id.
    :ivar text_nodes: indexes of the text nodes.
    :ivar weight, text, own_text, links, texts: prefix sums, one entry more than nodes: weighted and visible
        characters, those outside links, links, text nodes.
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
        chars, end, spread = self.chars, self.end, sequence.spread
        kind_of_symbol, gram_of_symbol = self._describe_symbols(sequence)
        self.kinds = spread(kind_of_symbol)
        self.paths = reading.tag_symbols(sequence)
        self.signatures = spread([self.signature_of_kind[kind] for kind in kind_of_symbol])
        self.grams = spread(gram_of_symbol)
        self._string_of_grams = array("q", self.grams).tobytes()
        self.count_of_kind = Counter(self.kinds)
        self.text_nodes = list(compress(range(len(chars)), chars))
        in_link = bytearray(spread(reading.linked_symbols(sequence)))
        weights = map(cache(TEXT_WEIGHT.of), chars, in_link)  # a page has few lengths
        self.weight = list(accumulate(weights, initial=0.0))
        self.text = list(accumulate(chars, initial=0))
        self.own_text = list(accumulate(map(mul, chars, map(not_, in_link)), initial=0))
        self.links = list(accumulate(spread([1 if tag == "a" else 0 for tag in self._tags]), initial=0))
        self.texts = list(accumulate(spread([1 if tag == TEXT else 0 for tag in self._tags]), initial=0))
        self.boilerplate = bytearray(len(chars))
        cues, _ = reading.cue_columns(sequence)
        for place, cue in enumerate(cues):
            if (cue | cue >> reading.WEAK) & _BOILERPLATE:
                self.boilerplate[place : end[place]] = b"\x01" * (end[place] - place)

    def _describe_symbols(self, sequence: TagPathSequence) -> tuple[list[int], list[int]]:
        """Number the signatures and kinds, with kind 0 above the body; return the kind and the gram of each symbol."""
        tags, parents = sequence.symbol_tag, sequence.symbol_parent
        digits = {tag: digit for digit, tag in enumerate(dict.fromkeys(tags), 1)}
        base = len(digits) + 1
        square = base * base
        signatures: dict[tuple[str, str], int] = defaultdict(count().__next__)
        # by the parent's kind and the signature
        kinds: dict[tuple[int, int], int] = defaultdict(count(1).__next__)
        # the last is for -1, the body's parent
        kind_of, gram_of = [0] * (len(tags) + 1), [0] * (len(tags) + 1)
        for symbol, (tag, raw, parent) in enumerate(zip(tags, sequence.symbol_class, parents, strict=True)):
            kind_of[symbol] = kinds[kind_of[parent], signatures[tag, normalise_class(raw or "")]]
            # a number of three digits: the last two of the parent, and a new one;
            # rows of one kind are in a table, in a tbody, or in the row before them that is not closed
            above = 0 if tag == "tr" else gram_of[parent] % square
            gram_of[symbol] = above * base + digits[tag]
        self.signature_tag = [tag for tag, _ in signatures]
        self.signature_class = [names for _, names in signatures]
        self.kind_above = [0, *(above for above, _ in kinds)]
        self.signature_of_kind = [0, *(signature for _, signature in kinds)]
        return kind_of[:-1], gram_of[:-1]

    def tag(self, index: int) -> str:
        """Return the tag of a node (``#text`` for text nodes)."""
        return self._tags[self.symbols[index]]

    def is_element(self, index: int) -> bool:
        return self.node_kinds[index] == ELEMENT

    def title_is_link(self, span: Span) -> bool:
        """Whether the first text of a span that is more than a number is in a link."""
        start, end = span
        own_text = self.own_text
        for place in self.text_nodes[self.texts[start] : self.texts[end]]:
            if sum(map(str.isalpha, self.string(place))) >= _LETTERS:
                return bool(own_text[place + 1] == own_text[place])
        return False

    @cached_property
    def places_of_path(self) -> Mapping[int, list[int]]:
        """The nodes of each tag path in document order."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, path in enumerate(self.paths):
            found[path].append(place)
        return found

    @cached_property
    def cell_nodes(self) -> list[int]:
        """The text nodes, links, images and line breaks in document order, from which cells are made."""
        return sorted([*self.text_nodes, *self.sequence.find(("a", "br", "img"))])

    @cached_property
    def kinds_apart(self) -> set[int]:
        """The kinds of elements with classes that were made up for each: several of one tag path have different ones.

        Two may be alike, because digits do not count.
        """
        number = Counter(self.signatures)
        apart = [place for place, signature in enumerate(self.signatures) if number[signature] <= 2]
        of_path = Counter(self.paths[place] for place in apart)
        return {self.kinds[place] for place in apart if of_path[self.paths[place]] >= _MADE_UP}

    @cached_property
    def itemprops(self) -> dict[int, str]:
        """The last ``itemprop`` of the elements that have one, except those that only repeat the type of the value."""
        found = {}
        elements = [place for place, kind in enumerate(self.node_kinds) if kind == ELEMENT]
        # a third of the time of an XPath
        for place, value in zip(elements, self.sequence.values_of(elements, "itemprop"), strict=True):
            names = [name for name in value.split() if name not in ("url", "image")] if value else ()
            if names:
                found[place] = names[-1]
        return found

    @cached_property
    def class_names(self) -> list[frozenset[str]]:
        """For each signature its normalised classes one by one."""
        return [frozenset(classes.split()) for classes in self.signature_class]

    def classes_inside(self, index: int) -> Bag:
        """Return the normalised ``class`` attributes of the elements inside an element, each once."""
        names = self.signature_class
        return Counter({names[one] for one in {*self.signatures[index + 1 : self.end[index]]}} - {""})

    def children(self, index: int) -> list[int]:
        """Return the children of a node in document order, text nodes included."""
        return self.tops(index + 1, self.end[index])

    def tops(self, start: int, stop: int) -> list[int]:
        """Return the nodes of a span that are not inside another one of it."""
        end = self.end
        found = []
        while start < stop:
            found.append(start)
            start = end[start]
        return found

    def ancestor_of(self, spans: Sequence[Span]) -> int:
        """Return the smallest common ancestor of records in document order."""
        parent, end = self.parent, self.end
        above, last = max(0, parent[spans[0][0]]), spans[-1][1]
        while above > 0 and end[above] < last:
            above = parent[above]
        return above

    def string(self, index: int) -> str:
        """Return the text of a text node, with white space collapsed."""
        string = self._strings.get(index)
        if string is None:
            string = self._strings[index] = " ".join(self.sequence.text_of(index).split())
        return string

    def regularity(self, spans: Sequence[Span]) -> Regularity:
        """Return the profile of records."""
        return Regularity(self.bags_of(spans))

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

    def strings(self, start: int, end: int) -> list[str]:
        """Return the texts of the text nodes of a span, in document order."""
        cached = self._strings
        return [
            cached.get(place) or self.string(place)
            for place in self.text_nodes[self.texts[start] : self.texts[end]]
        ]


@remembered
def normalise_class(value: str) -> str:
    """Return a ``class`` attribute with digits as 0 and sorted names, which is the same for every record of a list."""
    names = _DIGITS.sub("0", value).split()
    return " ".join(sorted(set(names))) if len(names) > 1 else names[0] if names else ""
