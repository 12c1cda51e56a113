"""What the record extractor knows about a page: the tag path sequence and the columns derived from it.

Derived columns are computed once per *symbol* and looked up per node, so that their cost depends on the number of
different tag paths rather than on the number of nodes.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from functools import cached_property, reduce
from itertools import accumulate, chain, compress
from operator import add
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from scrapy_tps.engine.bounded_cache import remembered
from scrapy_tps.engine.sequence.columns import ELEMENT, TAIL_OF, TEXT, TagPathSequence
from scrapy_tps.records.regularity import Bag, Regularity, density_of, fit_of, regularity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Span: TypeAlias = tuple[int, int]

_DIGITS = re.compile(r"\d+")
_WORD_BORDER = re.compile(r"[-_\s]+|(?<=[a-z])(?=[A-Z])")

_FURNITURE_TEXT: Final = (
    "ad ads advert breadcrumb breadcrumbs cookie facet facets filter filters foot footer header menu "
    "modal nav navbar navigation newsletter pager pagination recommendation recommendations "
    "recommended related share sidebar social sponsored toolbar"
)
#: Class name words of page furniture; a cue for ranking, never a reason to leave something out.
FURNITURE_WORDS: Final = frozenset(_FURNITURE_TEXT.split())
#: Elements that are furniture by their meaning (HTML Standard, sections 4.3 and 4.10).
FURNITURE_TAGS: Final = frozenset({"nav", "footer", "aside", "header", "select", "textarea", "button"})

#: Elements whose end tag authors leave out, or that old parsers let nest.
OPEN_TAGS: Final = frozenset({"a", "b", "blockquote", "center", "dd", "dt", "font", "li", "ol", "p", "ul"})

# Bits of a symbol: what it is or stands inside of.
_IN_LINK: Final = 1
_FURNITURE_TAG: Final = 2
_FURNITURE_CLASS: Final = 4
_OPEN_BITS: Final = {tag: 8 << number for number, tag in enumerate(sorted(OPEN_TAGS))}
_OPEN: Final = sum(_OPEN_BITS.values())
#: Those of elements by tag.
FLAGS: Final = {
    tag: (_IN_LINK * (tag == "a")) | (_FURNITURE_TAG * (tag in FURNITURE_TAGS)) | _OPEN_BITS.get(tag, 0)
    for tag in FURNITURE_TAGS | OPEN_TAGS
}
#: Those of links, of furniture by tag and by class name, and all of tags that may be left open.
FLAG_BITS: Final = (_IN_LINK, _FURNITURE_TAG, _FURNITURE_CLASS, _OPEN)

# How much a text counts: link texts are mostly navigation, the more so the shorter they are.
_LINK_WEIGHTS: Final = ((15, 0.1), (30, 0.35))
_LONG_LINK_WEIGHT: Final = 0.6
_SHORT_TEXT: Final = 15
_SHORT_TEXT_WEIGHT: Final = 0.6
#: What :func:`weight_of_text` goes by.
TEXT_WEIGHTS: Final = (*_LINK_WEIGHTS, _LONG_LINK_WEIGHT, _SHORT_TEXT, _SHORT_TEXT_WEIGHT)
#: Nodes in remembered bags, per node of the page: lists in lists in lists must not fill the memory.
_BAGS_PER_NODE: Final = 16


def weight_of_text(chars: int, *, in_link: bool) -> float:
    """Return how much a text node of so many characters says about where the content is."""
    if in_link:
        for limit, weight in _LINK_WEIGHTS:
            if chars < limit:
                return chars * weight
        return chars * _LONG_LINK_WEIGHT
    return chars * _SHORT_TEXT_WEIGHT if chars < _SHORT_TEXT else float(chars)


class Totals(NamedTuple):
    """What records hold: weighted text, visible characters, visible characters in links; how many records have a
    link."""

    weight: float
    chars: int
    linked: int
    with_link: int


class Spread(NamedTuple):
    """How the weighted texts of records differ: their mean, standard deviation and maximum."""

    mean: float
    deviation: float
    largest: float


class Kinship(NamedTuple):
    """How many records have the first one's kind and tag path, and how many are in furniture, by element or by
    class name."""

    of_kind: int
    of_path: int
    in_furniture_tag: int
    in_furniture_class: int


class RecordPage:
    """A tag path sequence with the columns that record extraction needs.

    :ivar paths: for each node its tag path without classes, as a number.
    :ivar kinds: for each node its tag path with normalised classes (digits and order do not count).
    :ivar signatures: for each node its own tag and normalised classes, wherever in the page it is.
    :ivar grams: for each node (tag of grandparent, of parent, its own) as a number: the stems of the
        pq-grams of Augsten, Böhlen & Gamper (VLDB 2005) with p = 3, whose bags approximate tree edit
        distance in linear time.
    :ivar nested_tags: those of `OPEN_TAGS` that stand inside an element of the same tag.
    :ivar signature_class: for each signature its normalised classes.
    :ivar text_nodes: indexes of the text nodes.
    :ivar weight, text, link_text, links, texts: prefix sums, one entry more than nodes: weighted and visible
        characters, those in links, links, text nodes.
    """

    def __init__(self, sequence: TagPathSequence) -> None:
        self.sequence = sequence
        # properties of a native sequence: looked up once
        self.parent = sequence.parent
        self.end = sequence.end
        self.symbols = symbols = sequence.symbols
        self.chars = sequence.chars
        self.nodes = sequence.nodes
        self.node_kinds = sequence.kinds
        self._tags = sequence.symbol_tag
        self._strings: dict[int, str] = {}
        self._bags: dict[Span, Counter[int]] = {}
        self._bags_of_strings: dict[tuple[int, ...], Counter[int]] = {}
        self._room_for_bags = _BAGS_PER_NODE * len(symbols)
        self._names: dict[int, frozenset[str]] = {}
        self._places: dict[int, list[int]] = defaultdict(list)
        self._parts_of_kind: list[tuple[int, int]] = []  # path and signature
        self._derive(sequence)

    def __len__(self) -> int:
        return len(self.parent)

    def _derive(self, sequence: TagPathSequence) -> None:
        """Compute the columns."""
        symbols, chars = self.symbols, self.chars
        self._derive_symbols(sequence)
        self.paths = sequence.spread(self._path)
        self.kinds = sequence.spread(self._kind)
        self.signatures = sequence.spread(self.signature_of_symbol)
        self.grams = sequence.spread(self._gram)
        self.count_of_path = Counter(self.paths)
        self.count_of_kind = Counter(self.kinds)
        self.text_nodes = list(compress(range(len(chars)), chars))
        flags = self._flags
        weights: list[float] = [0.0] * len(chars)
        linked = [0] * len(chars)
        for place in self.text_nodes:
            size = chars[place]
            if flags[symbols[place]] & _IN_LINK:
                weights[place] = weight_of_text(size, in_link=True)
                linked[place] = size
            else:
                weights[place] = weight_of_text(size, in_link=False)
        self.weight = list(accumulate(weights, initial=0.0))
        self.text = list(accumulate(chars, initial=0))
        self.link_text = list(accumulate(linked, initial=0))
        self.links = list(accumulate(sequence.spread([tag == "a" for tag in self._tags]), initial=0))
        self.texts = list(accumulate(map(bool, chars), initial=0))

    def _derive_symbols(self, sequence: TagPathSequence) -> None:
        """Derive the columns of symbols: each follows from that of the parent's symbol and a symbol's own part."""
        tags, parents = sequence.symbol_tag, sequence.symbol_parent
        tag_numbers: dict[str, int] = {"": 0}
        numbers = [tag_numbers.setdefault(tag, len(tag_numbers)) for tag in tags]
        base = len(tag_numbers)
        signatures: dict[tuple[str, str], int] = {}
        own_flags: list[int] = []
        self.signature_class: list[str] = []
        self.signature_of_symbol: list[int] = []
        for tag, raw in zip(tags, sequence.symbol_class, strict=True):
            normal, is_furniture = read_class(raw) if raw else ("", False)
            signature = signatures.setdefault((tag, normal), len(signatures))
            if signature == len(own_flags):
                self.signature_class.append(normal)
                own_flags.append(FLAGS.get(tag, 0) | (_FURNITURE_CLASS if is_furniture else 0))
            self.signature_of_symbol.append(signature)
        paths: dict[int, int] = {}
        kinds: dict[int, int] = {}
        self._path: list[int] = []
        self._kind: list[int] = []
        self._gram: list[int] = []
        self._flags: list[int] = []
        self.nested_tags: set[str] = set()
        path, kind, gram, flags, width = self._path, self._kind, self._gram, self._flags, len(signatures)
        for symbol, (parent, number, signature) in enumerate(
            zip(parents, numbers, self.signature_of_symbol, strict=True)
        ):
            own = own_flags[signature]
            if parent < 0:
                above_path = above_kind = -1
                above_numbers = above_flags = 0
            else:
                above_path, above_kind, above_flags = path[parent], kind[parent], flags[parent]
                # a gram is a number of three digits: those of the parent's tag and of the grandparent's go on
                above_numbers = gram[parent] % (base * base)
            path.append(paths.setdefault(above_path * base + number, len(paths)))
            kind.append(kinds.setdefault(above_kind * width + signature, len(kinds)))
            if len(kinds) > len(self._parts_of_kind):
                self._parts_of_kind.append((path[symbol], signature))
            gram.append(above_numbers * base + number)
            flags.append(above_flags | own)
            if own & above_flags & _OPEN:
                self.nested_tags.add(tags[symbol])

    def tag(self, index: int) -> str:
        """Return the tag of a node (``#text`` for text nodes)."""
        return self._tags[self.symbols[index]]

    def is_element(self, index: int) -> bool:
        return self.node_kinds[index] == ELEMENT

    @cached_property
    def cell_nodes(self) -> list[int]:
        """The text nodes, links, images and line breaks in document order: what cells are made of."""
        return sorted([*self.text_nodes, *self.sequence.find(("a", "br", "img"))])

    @cached_property
    def has_itemprop(self) -> bool:
        """Whether any element has an ``itemprop``."""
        return bool(self.sequence.attributes(frozenset({"itemprop"})))

    def class_names(self, signature: int) -> frozenset[str]:
        """Return the normalised classes of a signature one by one."""
        names = self._names.get(signature)
        if names is None:
            names = self._names[signature] = frozenset(self.signature_class[signature].split())
        return names

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
        """Return the text of a text node, white space collapsed."""
        string = self._strings.get(index)
        if string is None:
            carrier: Any = self.nodes[index]
            text = carrier.tail if self.node_kinds[index] == TAIL_OF else carrier.text
            string = self._strings[index] = " ".join(text.split())
        return string

    def density(self, spans: Sequence[Span]) -> float:
        """Return the mean share of records that have a gram, over all grams that occur in them."""
        return density_of(list(map(self._bag, spans)))

    def regularity(self, spans: Sequence[Span], chosen: Sequence[int] | None = None) -> Regularity:
        """Return the profile of the records at the given places (default: all)."""
        return regularity_of(
            [self._bag(span) for span in (spans if chosen is None else map(spans.__getitem__, chosen))]
        )

    def fit(self, span: Span, typical: dict[int, int]) -> float:
        """Return the share of the typical bag of a list that a span has, from 0 to 1."""
        return fit_of(self._bag(span), typical)

    def clusters(self, places: Sequence[int], least: float, most: int) -> list[int]:
        """Cluster nodes by their subtrees: each joins the first cluster whose first member is similar.

        :param least: the same tag path and a Jaccard index of their sets of grams of at least this is similar.
        :param most: the largest number of clusters; nodes that are similar to none of them make up one more cluster,
            so that the cost stays linear.
        :return: the number of each node's cluster.
        """
        grams, end, paths = self.grams, self.end, self.paths
        leaders: list[tuple[int, frozenset[int]]] = []
        clusters = []
        for place in places:
            own = frozenset(grams[place : end[place]])
            for number, (path, shape) in enumerate(leaders):
                if path == paths[place] and len(own & shape) >= least * len(own | shape):
                    clusters.append(number)
                    break
            else:
                clusters.append(len(leaders))
                if len(leaders) < most:
                    leaders.append((paths[place], own))
        return clusters

    def _bag(self, span: Span) -> Bag:
        """Return how often each gram occurs in a span: mostly one object for all spans that are built the same."""
        bag = self._bags.get(span)
        if bag is None:
            grams = tuple(self.grams[span[0] : span[1]])
            bag = self._bags_of_strings.get(grams)
            if bag is None:
                bag = Counter(grams)
                if self._room_for_bags < len(grams):
                    return bag
                self._room_for_bags -= len(grams)
                self._bags_of_strings[grams] = bag
            self._bags[span] = bag
        return bag

    def totals(self, spans: Sequence[Span]) -> Totals:
        """Return what the records hold in total."""
        weight, text, link_text, links = self.weight, self.text, self.link_text, self.links
        return Totals(
            # added one by one: what `sum` makes of floats differs by Python's version
            reduce(add, [weight[end] - weight[start] for start, end in spans], 0.0),
            sum([text[end] - text[start] for start, end in spans]),
            sum([link_text[end] - link_text[start] for start, end in spans]),
            sum([links[end] > links[start] for start, end in spans]),
        )

    def spread(self, spans: Sequence[Span]) -> Spread:
        """Return how the records' weighted texts differ."""
        weight = self.weight
        weights = [weight[end] - weight[start] for start, end in spans]
        mean = reduce(add, weights, 0.0) / len(weights)
        squares = [(one - mean) * (one - mean) for one in weights]
        return Spread(mean, math.sqrt(reduce(add, squares, 0.0) / len(weights)), max(weights))

    def kinship(self, spans: Sequence[Span]) -> Kinship:
        """Return how many records start like the first one, and how many are furniture."""
        first = spans[0][0]
        kind, path, kinds, paths = self.kinds[first], self.paths[first], self.kinds, self.paths
        flags, symbols = self._flags, self.symbols
        own = [flags[symbols[start]] for start, _ in spans]
        return Kinship(
            sum([kinds[start] == kind for start, _ in spans]),
            sum([paths[start] == path for start, _ in spans]),
            sum([flag & _FURNITURE_TAG != 0 for flag in own]),
            sum([flag & _FURNITURE_CLASS != 0 for flag in own]),
        )

    def different_texts(self, spans: Sequence[Span]) -> int:
        """Return how many spans do not hold the same texts as an earlier one."""
        texts, places = self.texts, self.text_nodes
        alike: dict[tuple[int, str], list[Span]] = {}
        for start, end in spans:
            first, last = texts[start], texts[end]
            head = self.string(places[first]) if first < last else ""
            alike.setdefault((last - first, head), []).append((first, last))
        different = len(alike)
        for (length, _), same in alike.items():
            if length > 1 and len(same) > 1:
                rests = {tuple(map(self.string, places[first + 1 : last])) for first, last in same}
                different += len(rests) - 1
        return different

    def places(self, path: int, signature: int | None) -> list[int]:
        """Return the nodes of a tag path, and those of a signature (None: of none), in document order."""
        if not self._places:
            for place, kind in enumerate(self.kinds):
                self._places[kind].append(place)
        wanted = [
            kind
            for kind, (its_path, its_signature) in enumerate(self._parts_of_kind)
            if its_path == path or its_signature == signature
        ]
        if len(wanted) == 1:
            return self._places[wanted[0]]
        return sorted(chain.from_iterable(self._places[kind] for kind in wanted))

    def strings(self, start: int, end: int) -> list[str]:
        """Return the texts of the text nodes of a span, in document order."""
        return list(map(self.string, self.text_nodes[self.texts[start] : self.texts[end]]))


@remembered
def read_class(value: str) -> tuple[str, bool]:
    """Return a ``class`` attribute normalised, and whether one of its words names page furniture."""
    spaced = value.replace("-", " ").replace("_", " ")
    words = spaced.split() if value.lower() == value else _WORD_BORDER.split(value)
    return normalise_class(value), not FURNITURE_WORDS.isdisjoint([word.lower() for word in words])


def normalise_class(value: str) -> str:
    """Return a ``class`` attribute with digits as 0 and names sorted: the same for every record of a list."""
    names = _DIGITS.sub("0", value).split()
    return " ".join(sorted(set(names))) if len(names) > 1 else names[0] if names else ""


__all__ = ["FURNITURE_TAGS", "FURNITURE_WORDS", "TEXT", "RecordPage", "normalise_class", "weight_of_text"]
