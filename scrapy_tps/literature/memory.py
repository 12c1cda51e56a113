"""The pages of a crawl's sites that methods remember: bounded in sites, pages and bytes, in this process alone.

A remembered page consists of its tree, and the terms of its texts as numbers.
"""

from __future__ import annotations

import re
from array import array
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zlib import crc32

import snowballstemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from scrapy_tps.engine.sequence.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence


_WORD: Final = re.compile(r"\w+")


def text_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order."""
    return _WORD.findall(text.lower())


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text by Porter's algorithm, without stop words."""
    return [stem for word in text_words(text) if (stem := _stem(word))]


@lru_cache(maxsize=65_536)
def term_number(term: str) -> int:
    """Return a term as a 32-bit number, the same in every process."""
    return crc32(term.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if word in ENGLISH_STOP_WORDS:
        return ""
    # a stemmer has state: a new one for each word costs less than a lock among threads
    return str(snowballstemmer.stemmer("porter").stemWord(word))


#: Attributes for the look of an element (Yi, Liu & Li: "display properties"), and those that name its content.
DISPLAY: Final = ("bgcolor", "background", "width", "height", "align", "valign", "border", "color", "size")
SHOWN: Final = ("src", "href")
READ: Final = frozenset((*DISPLAY, *SHOWN))

MOST_NODES: Final = 20_000
MOST_TERMS: Final = 40_000


@dataclass(slots=True)
class Digest:
    """A page in numbers.

    :ivar key: a key of its texts: the same page has the same key.
    :ivar parent, end: as in the tag path sequence, for its first nodes.
    :ivar tags: the tag of each node.
    :ivar labels: a number for each node's tag, class, style and display attributes.
    :ivar terms: the terms of all nodes, as numbers: words of texts, and image files or links of elements.
    :ivar starts: the index of each node's first term, plus the end: one more than there are nodes.
    :ivar address: a number for its address; 0 if unknown.
    """

    key: int
    parent: array[int]
    end: array[int]
    tags: list[str]
    labels: array[int]
    terms: array[int]
    starts: array[int]
    address: int = 0

    def __len__(self) -> int:
        return len(self.parent)

    def terms_of(self, start: int, end: int) -> array[int]:
        """Return the terms of nodes [start, end), in order."""
        return self.terms[self.starts[start] : self.starts[end]]

    def texts(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, array[int]]]:
        """Yield the text nodes in [start, end) with their terms."""
        for node in range(start, len(self) if end is None else end):
            if self.tags[node] == TEXT:
                yield node, self.terms_of(node, node + 1)

    def bytes(self) -> int:
        """The memory of the columns, in bytes."""
        columns: Sequence[array[int]] = (self.parent, self.end, self.labels, self.terms, self.starts)
        return sum(column.itemsize * len(column) for column in columns) + 8 * len(self.tags)


def digest(sequence: TagPathSequence, terms_of: Callable[[str], list[str]] = text_words) -> Digest:
    """Return the digest of a page: its first nodes, up to `MOST_NODES` with up to `MOST_TERMS` terms.

    :param terms_of: the terms of a text.
    """
    tag_of, symbols = sequence.symbol_tag, sequence.symbols
    of_symbol = [
        f"{tag}|{names or ''}|{style or ''}"
        for tag, names, style in zip(tag_of, sequence.symbol_class, sequence.symbol_style, strict=True)
    ]
    attributes = dict(sequence.attributes(READ))
    size = min(len(sequence), MOST_NODES)
    tags: list[str] = []
    labels, terms, starts = array("I"), array("I"), array("i", [0])
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
        if len(terms) + len(found) > MOST_TERMS:
            size = node
            break
        tags.append(tag)
        labels.append(term_number(label))
        terms.extend(map(term_number, found))
        starts.append(len(terms))
    parent = array("i", sequence.parent[:size])
    end = array("i", [min(stop, size) for stop in sequence.end[:size]])
    key = int.from_bytes(hashed.digest(), "big")
    return Digest(key, parent, end, tags, labels, terms, starts)


def children_of(end: Sequence[int]) -> list[list[int]]:
    """Return the children of each node in preorder, given the end of each subtree."""
    below: list[list[int]] = []
    for node, stop in enumerate(end):
        below.append([])
        child = node + 1
        while child < stop:
            below[node].append(child)
            child = end[child]
    return below


M = TypeVar("M")

#: The number of sites with remembered pages.
SITES: Final = 20
#: The number of pages that a method remembers per site.
PAGES: Final = 16
#: The memory of the pages of all sites, in bytes; those of the last used site always stay.
BYTES: Final = 128 * 1024 * 1024


class SitePages:
    """The pages of one site that methods remember: those with the smallest keys, regardless of the order of the crawl.

    Methods with the same parameters share pages.
    """

    def __init__(self) -> None:
        self._held: dict[str, dict[int, Digest]] = {}
        self._models: dict[str, tuple[frozenset[int], Any]] = {}
        self._lock = Lock()

    def learn(self, method: str, page: Digest) -> list[Digest]:
        """Return the other pages that a method remembers, in the order of their keys; remember this one if its key is
        small enough."""
        with self._lock:
            held = self._held.setdefault(method, {})
            # the same page has the same address, or the same texts
            for key in [key for key, one in held.items() if one.address == page.address != 0]:
                del held[key]
            held.pop(page.key, None)
            others = [one for _, one in sorted(held.items())]
            held[page.key] = page
            if len(held) > PAGES:
                del held[max(held)]
            return others

    def model(self, method: str, build: Callable[[list[Digest]], M], others: list[Digest]) -> M:
        """Return a method's model of these pages, computed once for them."""
        keys = frozenset(held.key for held in others)
        cached = self._models.get(method)
        if cached is None or cached[0] != keys:
            cached = self._models[method] = keys, build(others)
        return cached[1]

    def bytes(self) -> int:
        """The memory of the remembered pages, in bytes, without models, which can be built again."""
        with self._lock:
            return sum(page.bytes() for held in self._held.values() for page in held.values())


class CrawlPages:
    """The memory of methods for the sites of a crawl. Evicts the least recently used site."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, SitePages] = OrderedDict()

    def of(self, site: str) -> SitePages:
        """Return the memory of a site."""
        pages = self._sites.setdefault(site, SitePages())
        self._sites.move_to_end(site)
        while len(self._sites) > 1 and (
            len(self._sites) > SITES or sum(one.bytes() for one in self._sites.values()) > BYTES
        ):
            self._sites.popitem(last=False)
        return pages
