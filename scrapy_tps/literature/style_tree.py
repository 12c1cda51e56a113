"""Trees of the layout and content that a site's pages share, which are noise.

Site style trees (Yi, Liu & Li 2003), and compressed structure trees (Yi & Liu 2003), where the entropy of presentation
styles gives the weight of the words of a page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy_tps.engine.sequence.columns import TEXT
from scrapy_tps.literature.base import SiteMethod
from scrapy_tps.literature.memory import children_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.memory import Digest


_SAME_FEATURES: Final = 0.85  # see StyleTree
_MOST_COMPARED: Final = 8  # element nodes of one label under one parent

_Style = tuple[int, ...]


@dataclass(slots=True)
class ElementNode:
    """An element of the tree: a tag with its display attributes, and its children on the pages.

    :ivar pages: how many pages have it; m of the paper.
    :ivar styles: its style nodes by their sequences of labels.
    :ivar features: for a leaf, how often each feature occurs on each page that has it.
    :ivar importance: composite importance, once the tree is complete.
    :ivar noisy: whether it and all its descendants are noise.
    """

    pages: int = 0
    styles: dict[_Style, StyleNode] = field(default_factory=dict)
    features: dict[int, list[int]] = field(default_factory=dict)
    importance: float = 1.0
    noisy: bool = False


@dataclass(slots=True)
class StyleNode:
    """A sequence of children that some pages have.

    :ivar pages: the number of these pages.
    :ivar elements: the children.
    """

    elements: list[ElementNode]
    pages: int = 0


def leaves(page: Digest) -> list[bool]:
    """Return which nodes are leaves of the tree: texts, and elements whose children have no elements below them.

    Leaf tags themselves would cut a page into pieces that are too small, so the paper uses their parents.
    """
    size, parent = len(page), page.parent
    holds_element = [False] * size
    holds_inner = [False] * size  # whether a child holds an element
    for node in range(size - 1, 0, -1):
        if page.tags[node] != "#text":
            holds_element[parent[node]] = True
        if holds_element[node]:
            holds_inner[parent[node]] = True
    found = [not holds for holds in holds_inner]
    found[0] = size == 1
    return found


def presentation_style(page: Digest, children: Iterable[int]) -> _Style:
    """Return tag and display attributes of the children in order, as numbers."""
    return tuple(page.labels[child] for child in children)


class SiteStyleTree:
    """The style tree of a site.

    :param pages: the pages that it is built from.
    :param attenuation: gamma of the composite importance.
    :param merge: whether element nodes of different style nodes are merged if their texts are the same.
    """

    def __init__(self, pages: Iterable[Digest], *, attenuation: float = 0.9, merge: bool = True) -> None:
        self.root = ElementNode()
        # the children of an element by their label, each with its first place
        self._known: dict[tuple[int, int], list[tuple[ElementNode, Digest, int]]] = {}
        self._merge = merge
        self._order: list[ElementNode] = [self.root]  # parents before children
        for page in pages:
            self._add(page)
        self._known.clear()
        for element in reversed(self._order):
            element.importance = self._importance(element, attenuation)

    def _add(self, page: Digest) -> None:
        leaf, children = self._leaves(page), children_of(page.end)
        pending = [(self.root, 0)]
        while pending:
            element, node = pending.pop()
            element.pages += 1
            if leaf[node]:
                for term, count in Counter(page.terms_of(node, page.end[node])).items():
                    element.features.setdefault(term, []).append(count)
                continue
            style = self._style(element, page, children[node])
            style.pages += 1
            pending += zip(style.elements, children[node], strict=True)

    def _style(self, element: ElementNode, page: Digest, below: list[int]) -> StyleNode:
        labels = presentation_style(page, below)
        known = element.styles.get(labels)
        if known is None:
            elements: list[ElementNode] = []
            taken: set[int] = set()
            for label, child in zip(labels, below, strict=True):
                same = self._known.setdefault((id(element), label), [])
                found = self._like(same, page, child, taken) if self._merge else None
                if found is None:
                    found = ElementNode()
                    self._order.append(found)
                    same.append((found, page, child))
                elements.append(found)
                taken.add(id(found))
            known = element.styles[labels] = StyleNode(elements)
        return known

    @staticmethod
    def _like(
        known: list[tuple[ElementNode, Digest, int]], page: Digest, node: int, taken: set[int]
    ) -> ElementNode | None:
        """Return a known element node of another style node with nearly the same features at its first place."""
        here = set(page.terms_of(node, page.end[node])) if known else set()
        for other, first, place in known[:_MOST_COMPARED]:
            if here and id(other) not in taken:
                there = set(first.terms_of(place, first.end[place]))
                if len(here & there) >= _SAME_FEATURES * len(here | there):
                    return other
        return None

    def mapped(self, page: Digest) -> Iterator[tuple[ElementNode, int, bool, bool]]:
        """Yield the elements that a page maps to, parents first: each with its node, whether that is a leaf, and
        whether the children map to elements, too."""
        leaf, children = self._leaves(page), children_of(page.end)
        pending = [(self.root, 0)]
        while pending:
            element, node = pending.pop()
            style = None if leaf[node] else element.styles.get(presentation_style(page, children[node]))
            yield element, node, leaf[node], style is not None
            if style is not None:
                pending += zip(style.elements, children[node], strict=True)

    _leaves = staticmethod(leaves)

    @staticmethod
    def _importance(element: ElementNode, attenuation: float) -> float:
        if not element.styles:
            return content_importance(element.features.values(), element.pages)
        counts = [style.pages for style in element.styles.values()]
        spread = node_importance(counts, element.pages)
        weight = attenuation ** len(counts)
        below = sum(
            style.pages / element.pages * sum(one.importance for one in style.elements) / len(style.elements)
            for style in element.styles.values()
        )
        return (1 - weight) * spread + weight * below

    def mark(self, threshold: float) -> None:
        """Mark noisy elements."""
        for element in reversed(self._order):
            below = (one for style in element.styles.values() for one in style.elements)
            element.noisy = element.importance <= threshold and all(one.noisy for one in below)


def node_importance(counts: Sequence[int], pages: int) -> float:
    """Return the variety of an element's presentation: the entropy of its style nodes, to the base of its pages.

    :param counts: pages with each style node.
    :param pages: pages with the element; the importance is 1 for a single page.
    """
    return 1.0 if pages <= 1 else sum(-count / pages * log(count / pages, pages) for count in counts)


def content_importance(features: Iterable[Sequence[int]], pages: int) -> float:
    """Return the variety of a leaf's content: 1 minus the mean entropy of its features over the pages.

    :param features: for each feature, how often it occurs on each page that has it.
    :param pages: pages with the leaf; the importance is 1 for a single page, and 0 for leaves without features.
    """
    if pages <= 1:
        return 1.0
    entropies = [entropy(counts, pages) for counts in features]
    return 1 - sum(entropies) / len(entropies) if entropies else 0.0


def entropy(counts: Sequence[float], pages: int) -> float:
    """Return the entropy of a feature's occurrences over the pages, to the base of their number."""
    if len(counts) == 1:
        return 0.0
    total = sum(counts)
    return -sum(count / total * log(count / total, pages) for count in counts)


@dataclass(frozen=True, slots=True)
class StyleTree(SiteMethod[SiteStyleTree]):
    """Maps a page to the style tree of its site: noisy elements are removed, meaningful ones stay without local noise.

    A part that maps to nothing stays. The paper chooses the threshold for each site from a few cleaned pages; here it
    is the same for all sites.

    :ivar threshold: composite importance up to which an element is noise: 0.2.
    :ivar attenuation: gamma: 0.9, as published.
    :ivar merge: whether element nodes with the same tag and attributes and 85 % of their features in common are
        merged. The paper uses the features that most pages have; here those of the first page are used.
    :ivar local_noise: features of a meaningful leaf with less information than this are removed if a whole text
        consists of them: 0.01, as published.
    """

    threshold: float = 0.2
    attenuation: float = 0.9
    merge: bool = True
    local_noise: float = 0.01
    name: ClassVar[str] = "style-tree"
    reason: ClassVar[str] = "the pages of the site share its layout and its content"

    def build(self, others: Sequence[Digest]) -> SiteStyleTree:
        tree = SiteStyleTree(others, attenuation=self.attenuation, merge=self.merge)
        tree.mark(self.threshold)
        return tree

    def noise(self, sequence: TagPathSequence, page: Digest, model: SiteStyleTree) -> bytearray:
        noise = bytearray(len(sequence))
        for element, node, is_leaf, _ in model.mapped(page):
            if element.noisy:
                noise[node : sequence.end[node]] = b"\x01" * (sequence.end[node] - node)
            elif is_leaf and element.pages > 1:
                known = element.features
                for text, terms in page.texts(node, page.end[node]):
                    noise[text] = bool(terms) and all(
                        1 - entropy(known.get(term, (1,)), element.pages) < self.local_noise for term in terms
                    )
        return noise


class StructureTree(SiteStyleTree):
    """The compressed structure tree of some pages of a site: DOM trees merged from the root down.

    It is a style tree whose leaves are the texts. The importance of an element is the entropy of its presentation
    styles, that of a text is that of its features.
    """

    def __init__(self, pages: Iterable[Digest]) -> None:
        super().__init__(pages, merge=False)

    @staticmethod
    def _leaves(page: Digest) -> list[bool]:
        return [tag == TEXT for tag in page.tags]

    @staticmethod
    def _importance(element: ElementNode, attenuation: float) -> float:  # noqa: ARG004
        if element.features:
            return content_importance(element.features.values(), element.pages)
        return node_importance([style.pages for style in element.styles.values()], element.pages)

    def path_importance(self, page: Digest) -> list[float]:
        """Return the importance of each node of a page along its path: 1 minus the product of (1 - importance).

        A part without an element node is important: no other page of the site has it.
        """
        found = [1.0] * len(page)
        without = [1.0] * len(page)  # the products
        for element, node, *_ in self.mapped(page):
            above = without[page.parent[node]] if node else 1.0
            without[node] = above * (1 - min(1.0, element.importance))
            found[node] = 1 - without[node]
        return found


@dataclass(frozen=True, slots=True)
class CompressedStructureTree(SiteMethod[StructureTree]):
    """Removes texts at places where all pages are the same.

    The paper weights words by their path importance, for classification and clustering, and removes nothing. Removal
    needs a threshold, below which a text has no weight. The survey describes the entropy of presentation styles; that
    of a text's own words, and the product along the path, are as in Yi & Liu.

    :ivar threshold: path importance up to which a text is removed.
    """

    threshold: float = 0.05
    name: ClassVar[str] = "structure-tree"
    reason: ClassVar[str] = "the pages of the site are the same in layout and words here"

    def build(self, others: Sequence[Digest]) -> StructureTree:
        return StructureTree(others)

    def gone(self, page: Digest, model: StructureTree) -> list[bool]:
        return [importance <= self.threshold for importance in model.path_importance(page)]
