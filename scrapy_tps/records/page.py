"""What the record extractor knows of a page: the tag path sequence with the columns derived from it.

Derived columns are computed once per *symbol* and looked up per node, so that their cost follows the
number of different tag paths rather than that of nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import Any, Final

from scrapy_tps.sequence import ELEMENT, TAIL_OF, TEXT, TagPathSequence

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

# How much a text counts: link texts are mostly navigation, the more so the shorter they are.
_LINK_WEIGHTS: Final = ((15, 0.1), (30, 0.35))
_LONG_LINK_WEIGHT: Final = 0.6
_SHORT_TEXT: Final = 15
_SHORT_TEXT_WEIGHT: Final = 0.6


def weight_of_text(chars: int, *, in_link: bool) -> float:
    """Return how much a text node of so many characters says about where the content is."""
    if in_link:
        for limit, weight in _LINK_WEIGHTS:
            if chars < limit:
                return chars * weight
        return chars * _LONG_LINK_WEIGHT
    return chars * _SHORT_TEXT_WEIGHT if chars < _SHORT_TEXT else float(chars)


class RecordPage:
    """A tag path sequence with the columns that record extraction needs.

    :ivar paths: for each node its tag path without classes, as a number.
    :ivar kinds: for each node its tag path with normalised classes (digits and order do not count).
    :ivar signatures: for each node its own tag and normalised classes, wherever it stands.
    :ivar grams: for each node (tag of grandparent, of parent, its own) as a number: the stems of the
        pq-grams of Augsten, Böhlen & Gamper (VLDB 2005) with p = 3, whose bags approximate tree edit
        distance in linear time.
    :ivar nested_tags: those of `OPEN_TAGS` that stand inside an element of the same tag.
    :ivar weight, text, link_text, links: prefix sums, one entry more than nodes.
    """

    def __init__(self, sequence: TagPathSequence) -> None:
        self.sequence = sequence
        self.parent = sequence.parent
        self.end = sequence.end
        symbols = sequence.symbols
        self._strings: dict[int, str] = {}
        self._hashes: dict[tuple[int, int], int] = {}
        self._derive_symbols(sequence)
        path, kind, signature, gram = self._path, self._kind, self._signature, self._gram
        self.paths = [path[symbol] for symbol in symbols]
        self.kinds = [kind[symbol] for symbol in symbols]
        self.signatures = [signature[symbol] for symbol in symbols]
        self.grams = [gram[symbol] for symbol in symbols]
        self.count_of_path = Counter(self.paths)
        self.count_of_kind = Counter(self.kinds)
        self.signature_of_symbol = signature
        tags, in_link, chars = sequence.symbol_tag, self._in_link, sequence.chars
        weights: list[float] = [0.0] * len(chars)
        linked = [0] * len(chars)
        for place, size in enumerate(chars):
            if size:
                is_linked = in_link[symbols[place]]
                weights[place] = weight_of_text(size, in_link=is_linked)
                if is_linked:
                    linked[place] = size
        self.weight = [0.0, *accumulate(weights)]
        self.text = [0, *accumulate(chars)]
        self.link_text = [0, *accumulate(linked)]
        is_link = [tag == "a" for tag in tags]
        self.links = [0, *accumulate([is_link[s] for s in symbols])]

    def __len__(self) -> int:
        return len(self.parent)

    def _derive_symbols(self, sequence: TagPathSequence) -> None:
        paths: dict[tuple[int, str], int] = {}
        kinds: dict[tuple[int, str, str], int] = {}
        signatures: dict[tuple[str, str], int] = {}
        grams: dict[tuple[str, str, str], int] = {}
        classes: dict[str, str] = {"": ""}
        words: dict[str, bool] = {"": False}
        self._path: list[int] = []
        self._kind: list[int] = []
        self._signature: list[int] = []
        self._gram: list[int] = []
        self._in_link: list[bool] = []
        self._furniture: list[bool] = []
        self._furniture_tag: list[bool] = []
        bits = {tag: 1 << number for number, tag in enumerate(sorted(OPEN_TAGS))}
        masks: list[int] = []  # which of them are on the way to each symbol
        self.nested_tags: set[str] = set()
        self.signature_class: list[str] = []
        parents, tags = sequence.symbol_parent, sequence.symbol_tag
        for parent, tag, raw in zip(parents, tags, sequence.symbol_class, strict=True):
            raw_class = raw or ""
            normal = classes.get(raw_class)
            if normal is None:
                normal = classes[raw_class] = normalise_class(raw_class)
                words[raw_class] = any(w.lower() in FURNITURE_WORDS for w in _WORD_BORDER.split(raw_class))
            parent_tag = tags[parent] if parent >= 0 else ""
            above = parents[parent] if parent >= 0 else -1
            root = parent < 0
            self._path.append(paths.setdefault((-1 if root else self._path[parent], tag), len(paths)))
            self._kind.append(kinds.setdefault((-1 if root else self._kind[parent], tag, normal), len(kinds)))
            signature = signatures.setdefault((tag, normal), len(signatures))
            if signature == len(self.signature_class):
                self.signature_class.append(normal)
            self._signature.append(signature)
            gram = (tags[above] if above >= 0 else "", parent_tag, tag)
            self._gram.append(grams.setdefault(gram, len(grams)))
            bit = bits.get(tag, 0)
            mask = 0 if root else masks[parent]
            if mask & bit:
                self.nested_tags.add(tag)
            masks.append(mask | bit)
            self._in_link.append((not root and self._in_link[parent]) or tag == "a")
            self._furniture.append((not root and self._furniture[parent]) or words[raw_class])
            self._furniture_tag.append((not root and self._furniture_tag[parent]) or tag in FURNITURE_TAGS)

    def tag(self, index: int) -> str:
        """Return the tag of a node (``#text`` for text nodes)."""
        return self.sequence.symbol_tag[self.sequence.symbols[index]]

    def is_element(self, index: int) -> bool:
        return self.sequence.kinds[index] == ELEMENT

    def in_furniture_tag(self, index: int) -> bool:
        """Whether a node is, or is inside, an element that is furniture by its meaning."""
        return self._furniture_tag[self.sequence.symbols[index]]

    def in_furniture_class(self, index: int) -> bool:
        """Whether a class name of a node or an ancestor names page furniture."""
        return self._furniture[self.sequence.symbols[index]]

    def in_link(self, index: int) -> bool:
        """Whether a node is a link or inside one."""
        return self._in_link[self.sequence.symbols[index]]

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
            carrier: Any = self.sequence.nodes[index]
            text = carrier.tail if self.sequence.kinds[index] == TAIL_OF else carrier.text
            string = self._strings[index] = " ".join(text.split())
        return string

    def text_hash(self, span: tuple[int, int]) -> int:
        """Return a number that is the same for spans of the same texts, on this page in this run."""
        known = self._hashes.get(span)
        if known is None:
            known = self._hashes[span] = hash(tuple(self.strings(*span)))
        return known

    def strings(self, start: int, end: int) -> list[str]:
        """Return the texts of the text nodes of a span, in document order."""
        chars = self.sequence.chars
        return [self.string(index) for index in range(start, end) if chars[index]]


def normalise_class(value: str) -> str:
    """Return a ``class`` attribute with digits as 0 and names sorted: the same for every record of a list."""
    return " ".join(sorted(set(_DIGITS.sub("0", value).split())))


__all__ = ["FURNITURE_TAGS", "FURNITURE_WORDS", "TEXT", "RecordPage", "normalise_class", "weight_of_text"]
