"""Compressed structure trees (Yi & Liu 2003): the entropy of presentation styles weighs the words of a page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from scrapy_tps.literature.base import SiteMethod, noise_of_texts
from scrapy_tps.literature.style_tree import content_importance, node_importance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.digest import Digest

_Style = tuple[int, ...]


@dataclass(slots=True)
class StructureNode:
    """An element node: the tag nodes of all pages that are merged in it.

    :ivar tags: how many tag nodes.
    :ivar styles: how many of them have each presentation style.
    :ivar children: the child element nodes, by the style of the parent and the place in it.
    :ivar features: of a text, how often each feature occurs in each tag node that has it.
    :ivar importance: entropy of the presentation styles; of a text, of its features.
    """

    tags: int = 0
    styles: Counter[_Style] = field(default_factory=Counter)
    children: dict[_Style, list[StructureNode]] = field(default_factory=dict)
    features: dict[int, list[int]] = field(default_factory=dict)
    importance: float = 1.0


class StructureTree:
    """The compressed structure tree of some pages of a site: DOM trees merged from the root down."""

    def __init__(self, pages: Iterable[Digest]) -> None:
        self.root = StructureNode()
        nodes = [self.root]
        for page in pages:
            children = page.children()
            pending = [(self.root, 0)]
            while pending:
                element, node = pending.pop()
                element.tags += 1
                if page.tags[node] == "#text":
                    for term, count in Counter(page.terms_of(node, node + 1)).items():
                        element.features.setdefault(term, []).append(count)
                    continue
                style = presentation_style(page, children[node])
                element.styles[style] += 1
                below = element.children.get(style)
                if below is None:
                    below = element.children[style] = [StructureNode() for _ in style]
                    nodes += below
                pending += zip(below, children[node], strict=True)
            page.forget_children()
        for element in nodes:
            if element.features:
                element.importance = content_importance(element.features.values(), element.tags)
            else:
                element.importance = node_importance(list(element.styles.values()), element.tags)

    def path_importance(self, page: Digest) -> list[float]:
        """For each node of a page how important it and what is around it are: 1 - the product of 1 - importance.

        A part in no element node counts as important: no page of the site has it.
        """
        found = [1.0] * len(page)
        children = page.children()
        pending: list[tuple[StructureNode, int, float]] = [(self.root, 0, 1.0)]
        while pending:
            element, node, without = pending.pop()
            without *= 1 - min(1.0, element.importance)
            found[node] = 1 - without
            below = element.children.get(presentation_style(page, children[node]))
            if below is not None:
                pending += [(one, child, without) for one, child in zip(below, children[node], strict=True)]
        page.forget_children()
        return found

    def feature_weights(self, page: Digest) -> dict[int, float]:
        """The weight of each term of a page: its occurrences, each by the importance of where it stands."""
        weights: dict[int, float] = {}
        for node, importance in enumerate(self.path_importance(page)):
            if page.tags[node] == "#text":
                for term in page.terms_of(node, node + 1):
                    weights[term] = weights.get(term, 0.0) + importance
        return weights


def presentation_style(page: Digest, children: Iterable[int]) -> _Style:
    """Tag and display attributes of the children in a row, as numbers."""
    return tuple(page.labels[child] for child in children)


@dataclass(frozen=True, slots=True)
class CompressedStructureTree(SiteMethod[StructureTree]):
    """Texts that stand where all pages are the same go.

    The paper weighs words and removes nothing (:meth:`StructureTree.feature_weights` gives its weights, for
    classification and clustering); removing takes a threshold, below which a text weighs nothing. The survey tells
    the entropy of presentation styles; that of a text's own words, and the product along the path, are as in Yi & Liu.

    :ivar threshold: path importance up to which a text goes.
    """

    threshold: float = 0.05
    name: ClassVar[str] = "structure-tree"
    reason: ClassVar[str] = "the pages of the site are the same in layout and words here"
    sees: ClassVar[str] = "importance along the path"

    def build(self, others: Sequence[Digest]) -> StructureTree:
        return StructureTree(others)

    def noise(self, sequence: TagPathSequence, page: Digest, model: StructureTree) -> bytearray:
        texts = bytearray(len(sequence))
        for node, importance in enumerate(model.path_importance(page)):
            texts[node] = importance <= self.threshold
        return noise_of_texts(sequence, texts)

    def seen(self, page: Digest, model: StructureTree) -> list[float]:
        return model.path_importance(page)
