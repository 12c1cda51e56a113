"""WISDOM (Kao, Ho & Chen 2005): the k maximal informative blocks of a page's information coverage tree."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from math import log
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy_tps.literature.base import SiteMethod
from scrapy_tps.literature.blocks import FeatureEntropies
from scrapy_tps.literature.memory import digest, stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.memory import Digest

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
    total = sum(values)
    if len(values) < 2 or total <= 0:
        return 0.0
    return -sum(value / total * log(value / total, len(values)) for value in values if value > 0)


def maximal_blocks(page: Digest, values: Sequence[float], most: int, threshold: float) -> list[int]:
    """k-MIB: return up to `most` blocks with the largest values, distributed evenly inside.

    From the root down, the node with the largest value is taken. It is a block if the SII of its children is at least
    the threshold, or if it has no children with a value; otherwise its children take its place.
    """
    children = page.children()
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
class Wisdom(SiteMethod[FeatureEntropies]):
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
    sees: ClassVar[str] = "information of the words, added up"

    def digest(self, sequence: TagPathSequence) -> Digest:
        return digest(sequence, stems)

    def build(self, others: Sequence[Digest]) -> FeatureEntropies:
        return FeatureEntropies(others)

    def gone(self, page: Digest, model: FeatureEntropies) -> bytearray:
        tree = coverage_tree(page, model.of_page(page))
        texts = bytearray(b"\x01") * len(page)
        for values in (tree.content_length, tree.anchor_length):
            for block in maximal_blocks(page, values, self.most, self.threshold):
                if tree.index[block] >= self.least_information:
                    texts[block : page.end[block]] = bytes(page.end[block] - block)
        return texts

    def seen(self, page: Digest, model: FeatureEntropies) -> list[float]:
        tree = coverage_tree(page, model.of_page(page))
        return [anchor + text for anchor, text in zip(tree.anchor_length, tree.content_length, strict=True)]
