"""ContentExtractor, InfoDiscoverer and WISDOM: they find the blocks of a page that have information on its site.

ContentExtractor (Debnath, Mitra, Pal & Giles 2005): a block that other pages have too is not content.
InfoDiscoverer (Lin & Ho 2002): blocks whose words are spread over all pages of a site are redundant.
WISDOM (Kao, Ho & Chen 2005): the k maximal informative blocks of a page's information coverage tree.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain
from math import ceil, sqrt
from typing import TYPE_CHECKING, ClassVar, Final

from lxml.html import defs

from scrapy_tps.literature.base import SiteMethod
from scrapy_tps.literature.memory import children_of, digest, stems, term_number
from scrapy_tps.literature.style_tree import entropy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.memory import Digest


_BLOCK_NAMES: Final = """
    table tr p hr ul div section article header footer nav aside main form ol dl li td h1 h2 h3 h4 h5 h6 blockquote pre
"""
#: Elements that start a block: those that the survey names, and newer ones.
BLOCK_TAGS: Final = frozenset(_BLOCK_NAMES.split())
#: Elements that are features of a block, in addition to its terms.
FEATURE_TAGS: Final = frozenset(
    {"img", "a", "form", "input", "object", "applet", "video", "iframe", "li", "td"}
)
_MOST_COMPARED: Final = 64


def blocks(page: Digest, starts: frozenset[str] = BLOCK_TAGS) -> list[int]:
    """Return the block of each node, by the node that starts it: the innermost element around it with one of these
    tags.

    This is equivalent to splitting the blocks of the first tags at the following tags.
    """
    found = [0]
    for node in range(1, len(page)):
        found.append(node if page.tags[node] in starts else found[page.parent[node]])
    return found


def block_features(page: Digest, block_of: Sequence[int]) -> dict[int, frozenset[int]]:
    """Return the features of each block: its terms and its kinds of elements."""
    found: dict[int, set[int]] = {}
    for node, block in enumerate(block_of):
        held = found.setdefault(block, set())
        tag = page.tags[node]
        if tag in FEATURE_TAGS:
            held.add(term_number(f"<{tag}>"))
        elif tag == "#text":
            held.update(page.terms_of(node, node + 1))
    return {block: frozenset(held) for block, held in found.items() if held}


class StoredBlocks:
    """The different blocks of some pages, and the number of pages with each.

    :param similarity: cosine of binary feature vectors from which two blocks are the same.
    """

    def __init__(self, pages: Iterable[Digest], similarity: float) -> None:
        self._similarity = similarity
        stands: Counter[frozenset[int]] = Counter()
        for page in pages:
            stands.update(set(block_features(page, blocks(page)).values()))
        self._stands = stands
        self._frequency = Counter(feature for held in stands for feature in held)
        self._with: dict[int, list[frozenset[int]]] = {}
        for held in stands:
            for feature in self._rarest(held):
                self._with.setdefault(feature, []).append(held)

    def document_frequency(self, held: frozenset[int]) -> int:
        """Return the greatest number of pages with one block of these features: 1 / (this + 1) is its IBDF."""
        found = self._stands.get(held, 0)
        for other in self._candidates(held):
            common = len(held & other)
            if self._stands[other] > found and common >= self._similarity * sqrt(len(held) * len(other)):
                found = self._stands[other]
        return found

    def _candidates(self, held: frozenset[int]) -> Iterator[frozenset[int]]:
        seen: set[frozenset[int]] = set()
        for feature in self._rarest(held):
            for other in self._with.get(feature, ()):
                if other not in seen:
                    if len(seen) == _MOST_COMPARED:
                        return
                    seen.add(other)
                    yield other

    def _rarest(self, held: frozenset[int]) -> list[int]:
        """Return the rarest features: two blocks that are the same have one of these in common.

        A block with n features shares at least similarity² · n of them with any block that is the same.
        """
        needed = ceil(self._similarity**2 * len(held))
        frequency = self._frequency
        return sorted(held, key=lambda feature: (frequency[feature], feature))[: len(held) - needed + 1]


@dataclass(frozen=True, slots=True)
class ContentExtractor(SiteMethod[StoredBlocks]):
    """Blocks by tags; those with an inverse block document frequency below a threshold are removed.

    :ivar similarity: 0.90, cosine of binary feature vectors from which two blocks are the same.
    :ivar threshold: content has at least this IBDF, which is 1 / (1 + other pages with the block); above 1/2, a block
        on any other page is not content, as in the survey.
    """

    similarity: float = 0.90
    threshold: float = 0.51
    name: ClassVar[str] = "content-extractor"
    reason: ClassVar[str] = "other pages of the site have the same block"
    least_pages: ClassVar[int] = 1

    def build(self, others: Sequence[Digest]) -> StoredBlocks:
        return StoredBlocks(others, self.similarity)

    def gone(self, page: Digest, model: StoredBlocks) -> list[bool]:
        return [1 / (1 + pages) < self.threshold for pages in self.shared(page, model)]

    @staticmethod
    def shared(page: Digest, model: StoredBlocks) -> list[int]:
        """Return for each node the number of other pages with its block."""
        block_of = blocks(page)
        found = {
            block: model.document_frequency(held) for block, held in block_features(page, block_of).items()
        }
        return [found.get(block, 0) for block in block_of]


#: Blocks of the first phase: a table each.
TABLE: Final = frozenset({"table"})
#: Blocks of the second phase, which divides ambiguous blocks.
FINER: Final = frozenset(
    defs.block_tags
    | {"section", "article", "header", "footer", "nav", "aside", "main", "li", "td", "th", "tr"}
)
_STEP: Final = 0.1


class FeatureEntropies:
    """The features of some pages, and how evenly each is distributed over them and one more page.

    :param pages: the other pages.
    """

    def __init__(self, pages: Sequence[Digest]) -> None:
        self.pages = len(pages) + 1
        self._counts: dict[int, list[int]] = {}
        for page in pages:
            for term, count in term_frequencies(page).items():
                self._counts.setdefault(term, []).append(count)

    def of_page(self, page: Digest) -> dict[int, float]:
        """Return the entropy of each feature of a page of the cluster: 0 if no other page has it, at most 1."""
        return {
            term: entropy([*self._counts.get(term, ()), count], self.pages)
            for term, count in term_frequencies(page).items()
        }


def term_frequencies(page: Digest) -> Counter[int]:
    """Return the number of occurrences of each term in the texts of a page."""
    return Counter(chain.from_iterable(terms for _, terms in page.texts()))


def block_entropies(page: Digest, block_of: Sequence[int], entropies: dict[int, float]) -> dict[int, float]:
    """Return the mean entropy of the features of each block that has some."""
    features: dict[int, set[int]] = {}
    for node, terms in page.texts():
        features.setdefault(block_of[node], set()).update(terms)
    return {
        block: sum(map(entropies.__getitem__, held)) / len(held) for block, held in features.items() if held
    }


def greedy_threshold(blocks: dict[int, tuple[float, int]], step: float = _STEP) -> float:
    """Return the first threshold, up to 1, from which one more step adds no features.

    :param blocks: the entropy of each block, and the number of its features.
    """
    steps = round(1 / step)
    included = [
        sum(size for mean, size in blocks.values() if mean <= place * step + 1e-9)
        for place in range(steps + 1)
    ]
    for place in range(1, steps):
        if included[place] and included[place] == included[place + 1]:
            return place * step
    return 1.0 - step


class EntropyMethod(SiteMethod[FeatureEntropies]):
    """A method that judges the stems of words by the pages of the site that have them."""

    __slots__ = ()

    def digest(self, sequence: TagPathSequence) -> Digest:
        return digest(sequence, stems)

    def build(self, others: Sequence[Digest]) -> FeatureEntropies:
        return FeatureEntropies(others)


@dataclass(frozen=True, slots=True)
class InfoDiscoverer(EntropyMethod):
    """Blocks by ``table``, divided if they are ambiguous; those with a higher entropy than the threshold are removed.

    A block is ambiguous if it holds features on both sides of the threshold: then it is cut at every block element in
    it. A page without tables is one ambiguous block. A threshold of 1 would remove nothing; if the search ends there,
    the previous step is used.

    :ivar threshold: None means the greedy search, in steps of 0.1, for each page.
    """

    threshold: float | None = None
    name: ClassVar[str] = "infodiscoverer"
    reason: ClassVar[str] = "the words of the block are distributed over all pages of the site"

    def gone(self, page: Digest, model: FeatureEntropies) -> list[bool]:
        means, limit = self.judged(page, model)
        return [mean > limit for mean in means]

    def judged(self, page: Digest, model: FeatureEntropies) -> tuple[list[float], float]:
        """Return the mean entropy of the block of each node, and the threshold."""
        entropies = model.of_page(page)
        block_of = blocks(page, TABLE)
        limit = self._limit(page, block_of, entropies)
        finer = blocks(page, FINER | TABLE)
        ambiguous = self._ambiguous(page, block_of, entropies, limit)
        refined = [
            small if block in ambiguous else block for block, small in zip(block_of, finer, strict=True)
        ]
        limit = self._limit(page, refined, entropies)
        means = block_entropies(page, refined, entropies)
        return [means.get(block, 0.0) for block in refined], limit

    def _limit(self, page: Digest, block_of: Sequence[int], entropies: dict[int, float]) -> float:
        if self.threshold is not None:
            return self.threshold
        means = block_entropies(page, block_of, entropies)
        sizes = Counter(block_of[node] for node, _ in page.texts())
        return greedy_threshold({block: (mean, sizes[block]) for block, mean in means.items()})

    @staticmethod
    def _ambiguous(
        page: Digest, block_of: Sequence[int], entropies: dict[int, float], limit: float
    ) -> set[int]:
        sides: dict[int, set[bool]] = {}
        for node, terms in page.texts():
            sides.setdefault(block_of[node], set()).update(entropies[term] > limit for term in terms)
        return {block for block, held in sides.items() if len(held) == 2}


#: The entropy, except for rounding, of terms that all pages share, which carry no information.
_SHARED: Final = 1 - 1e-9


@dataclass(slots=True)
class CoverageTree:
    """The information coverage tree: the features of each node, added up over its subtree.

    :ivar anchor_length: ALEN, terms in links, each weighted by its information.
    :ivar content_length: CLEN, terms outside links, each weighted by its information.
    :ivar index: CII, the content information index of a node's terms: 1 minus their mean entropy.
    """

    anchor_length: list[float]
    content_length: list[float]
    index: list[float]


def coverage_tree(page: Digest, entropies: Mapping[int, float]) -> CoverageTree:
    """Build the information coverage tree of a page from the leaves up, given the entropy of each term."""
    size, parent = len(page), page.parent
    in_link = [False] * size
    anchor, content, information, terms = ([0.0] * size for _ in range(4))
    for node in range(1, size):
        in_link[node] = page.tags[node] == "a" or in_link[parent[node]]
        if page.tags[node] == "#text":
            held = page.terms_of(node, node + 1)
            weight = sum(1 - entropies[term] for term in held if entropies[term] < _SHARED)
            information[node], terms[node] = weight, len(held)
            (anchor if in_link[node] else content)[node] = weight
    for node in range(size - 1, 0, -1):
        for column in (anchor, content, information, terms):
            column[parent[node]] += column[node]
    index = [held / count if count else 0.0 for held, count in zip(information, terms, strict=True)]
    return CoverageTree(anchor, content, index)


def structure_information_index(values: Sequence[float]) -> float:
    """SII: return how evenly a feature is distributed over the children of a node: 1 if evenly, 0 for a single
    child."""
    return entropy([value for value in values if value > 0], len(values)) if len(values) > 1 else 0.0


def maximal_blocks(page: Digest, values: Sequence[float], most: int, threshold: float) -> list[int]:
    """k-MIB: return up to `most` blocks with the largest values, distributed evenly inside.

    From the root down, the node with the largest value is taken. It is a block if the SII of its children is at least
    the threshold, or if it has no children with a value; otherwise its children take its place.
    """
    children = children_of(page.end)
    found: list[int] = []
    pending = [(-values[0], 0)]
    while pending and len(found) < most:
        negative, node = heappop(pending)
        if not negative:
            break
        below = [child for child in children[node] if values[child] > 0]
        if not below or (
            len(below) > 1 and structure_information_index([values[child] for child in below]) >= threshold
        ):
            found.append(node)
        else:
            for child in below:
                heappush(pending, (-values[child], child))
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Wisdom(EntropyMethod):
    """Keeps the blocks of articles (by the length of texts) and of tables of contents (by that of links).

    Lengths count terms by their information on the site, so that terms shared by all pages do not count. The anchor
    precision index needs the linked pages, and does not affect which blocks are found, so it is omitted. The third
    phase (expansion, condensation) is interpreted as follows: a block within another is a part of it, and blocks with
    little information for their size are not blocks.

    :ivar most: k, for each of the two lengths: 3.
    :ivar threshold: ST, the least SII of a block: 0.7.
    :ivar least_information: the least CII of a block: 0.3.
    """

    most: int = 3
    threshold: float = 0.7
    least_information: float = 0.3
    name: ClassVar[str] = "wisdom"
    reason: ClassVar[str] = "outside of the informative blocks"

    def gone(self, page: Digest, model: FeatureEntropies) -> bytearray:
        tree = coverage_tree(page, model.of_page(page))
        texts = bytearray(b"\x01") * len(page)
        for values in (tree.content_length, tree.anchor_length):
            for block in maximal_blocks(page, values, self.most, self.threshold):
                if tree.index[block] >= self.least_information:
                    texts[block : page.end[block]] = bytes(page.end[block] - block)
        return texts
