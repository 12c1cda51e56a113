"""Automatic news extraction (Reis et al. 2004): pages clustered by RTDM, patterns of each cluster, title and body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple
from zlib import crc32

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from scrapy_tps.literature.base import SiteMethod
from scrapy_tps.literature.patterns import Match, Pattern, Tree, compose, similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.literature.memory import Digest

_TEXT: Final = "#text"
#: A share of the threshold: for clustering, less similar pages have nothing in common.
_UNLIKE: Final = 0.75
_BODY_WORDS: Final = 20
_TITLE_WORDS: Final = 20


class Passage(NamedTuple):
    """The match of one wildcard: nodes of the page, and the words in them."""

    nodes: list[int]
    words: Sequence[int]


class Template(NamedTuple):
    """Pages of one layout: the pattern that accepts them, and the layout of each."""

    pattern: Pattern
    shapes: list[Pattern]


def tree_of(page: Digest) -> Pattern:
    """Return a page as a tree: elements by their tags, texts by their words."""
    labels = [
        tag if tag != _TEXT else f"{_TEXT} {crc32(page.terms_of(node, node + 1).tobytes())}"
        for node, tag in enumerate(page.tags)
    ]
    return Tree(labels, list(page.end))


def shape_of(tree: Pattern) -> Pattern:
    """Return the layout of a page: its tree without the words."""
    return Tree([label.partition(" ")[0] for label in tree.labels], tree.end)


def cluster(trees: Sequence[Pattern], threshold: float = 0.8) -> list[int]:
    """Return the template of each page, as a number: hierarchical clustering by similarity under RTDM.

    Texts are ignored: a template is a layout. Clusters are merged while the mean similarity of their pages is at least
    the threshold.
    """
    if len(trees) < 2:
        return [0] * len(trees)
    shapes = [shape_of(tree) for tree in trees]
    distances = np.zeros((len(trees), len(trees)))
    for one, first in enumerate(shapes):
        for other in range(one):
            distances[one, other] = distances[other, one] = 1 - similarity(
                first, shapes[other], _UNLIKE * threshold
            )
    merged = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=1 - threshold
    )
    return [int(label) for label in merged.fit_predict(distances)]


def composed_with(templates: Sequence[Template], tree: Pattern, threshold: float = 0.8) -> Pattern | None:
    """Return the pattern of the most similar template composed with the page itself; None if none is similar.

    A page that no pattern accepts is thus treated as another page of its cluster.
    """
    shape = shape_of(tree)
    nearest, best = None, threshold
    for template in templates:
        similar = [similarity(shape, one, _UNLIKE * threshold) for one in template.shapes]
        if (mean := sum(similar) / len(similar)) >= best:
            nearest, best = template, mean
    return None if nearest is None else compose(nearest.pattern, tree)


def pattern_of(trees: Sequence[Pattern]) -> Pattern:
    """Return the node extraction pattern that accepts all these pages."""
    return reduce(compose, trees)


def best_match(patterns: Sequence[Pattern], tree: Pattern) -> Match | None:
    """Return the match of the pattern that accepts a page at the lowest cost; None if none does."""
    matches = [Match(pattern, tree) for pattern in patterns]
    best = min(matches, key=lambda match: match.cost, default=None)
    return None if best is None or best.cost == inf else best


def passages(page: Digest, match: Match) -> list[Passage]:
    """Return the matches of a pattern's wildcards that have words, with these words."""
    found = []
    for _, roots in match.taken():
        texts = [text for root in roots for text in page.texts(root, page.end[root])]
        if words := [word for _, terms in texts for word in terms]:
            found.append(Passage([node for node, _ in texts], words))
    return found


def label(found: Sequence[Passage]) -> tuple[Passage | None, Passage | None]:
    """Return title and body among passages, if there are any.

    The body is the longest passage, if it has 20 words. The title is the passage of up to 20 words with the most words
    in common with the body; of several, the nearest one.
    """
    longest = max(found, key=lambda passage: len(passage.words), default=None)
    if longest is None or len(longest.words) < _BODY_WORDS:
        return None, None
    vocabulary, place = set(longest.words), found.index(longest)
    title, best = None, (0.0, 0)
    for number, passage in enumerate(found):
        if passage is longest or len(passage.words) > _TITLE_WORDS:
            continue
        common = float(len(vocabulary.intersection(passage.words)))
        if common and (common, -abs(number - place)) > best:
            title, best = passage, (common, -abs(number - place))
    return title, longest


@dataclass(frozen=True, slots=True)
class NodePatterns(SiteMethod["list[Template]"]):
    """Keeps title and body of a page, as matched by the pattern of its template.

    A page that no pattern accepts is composed into that of its template (:func:`joined`). A page without a known
    template or without a body is not pruned. Our copy of the paper does not give the numbers of words for title and
    body.

    :ivar parts: ``news``: title and body, as published; ``all``: all matches of wildcards.
    :ivar similarity: pages of one template are this similar: 0.80, as published.
    """

    parts: Literal["news", "all"] = "news"
    similarity: float = 0.8
    name: ClassVar[str] = "node-patterns"
    most_pages: ClassVar[int] = 6  # RTDM compares each with each
    reason: ClassVar[str] = "neither title nor body by the pattern of the template"

    def build(self, others: Sequence[Digest]) -> list[Template]:
        trees = [tree_of(page) for page in others]
        clusters: dict[int, list[Pattern]] = {}
        for number, tree in zip(cluster(trees, self.similarity), trees, strict=True):
            clusters.setdefault(number, []).append(tree)
        return [
            Template(pattern_of(members), [shape_of(tree) for tree in members])
            for members in clusters.values()
        ]

    def gone(self, page: Digest, model: list[Template]) -> bytearray:
        found = self.passages_of(page, model)
        if self.parts == "news":
            found = [passage for passage in label(found) if passage is not None]
        if not found:
            return bytearray(len(page))
        gone = bytearray(b"\x01") * len(page)
        for passage in found:
            for node in passage.nodes:
                gone[node] = 0
        return gone

    def passages_of(self, page: Digest, model: list[Template]) -> list[Passage]:
        """Return the passages of a page that vary by its template."""
        tree = tree_of(page)
        # a single page is not a pattern: it would accept only content that it shares with another page
        match = best_match([template.pattern for template in model if len(template.shapes) > 1], tree)
        if match is None and (wider := composed_with(model, tree, self.similarity)) is not None:
            match = best_match([wider], tree)
        return [] if match is None else passages(page, match)
