"""Page segmentation (Cai, Yu, Wen & Ma 2004): four ways to cut a page into blocks; matching blocks stay.

Okapi BM25 over blocks or pages, with query expansion by the best blocks, determines the matches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from math import log
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import bm25s
import numpy as np

from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.literature.base import PageMethod
from scrapy_tps.literature.blocks import FINER
from scrapy_tps.literature.memory import children_of, stems, text_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence


_K1: Final = 1.2
_B: Final = 0.75
#: Weight of an added term, relative to a term of the query.
_ADDED: Final = 0.3


class Ranking:
    """Okapi BM25 over some texts.

    :param texts: the terms of each text.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = len(texts)
        self._index = None
        if any(texts):
            # a variant of the idf that is not negative for terms of most texts: blocks of one page have many of these
            self._index = bm25s.BM25(k1=_K1, b=_B, method="lucene")
            self._index.index([list(text) for text in texts], show_progress=False)

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """Return the score of each text for the terms of a query, with their weights."""
        total = np.zeros(self._size)
        if self._index is not None:
            known = self._index.vocab_dict
            for term, weight in query.items():
                if term in known:
                    total += weight * np.asarray(self._index.get_scores([term]), dtype=np.float64)
        return [float(score) for score in total]


def expanded(
    query: Mapping[str, float], relevant: Sequence[Sequence[str]], texts: Sequence[Sequence[str]], most: int
) -> dict[str, float]:
    """Return a query with the `most` best terms of the relevant texts: by Robertson's weight times occurrence.

    :param relevant: those of `texts` that are considered relevant.
    """
    among = Counter(term for text in relevant for term in set(text))
    everywhere = Counter(term for text in texts for term in set(text) if term in among)
    count, size = len(relevant), len(texts)

    def selects(term: str) -> float:
        found, all_found = among[term], everywhere[term]
        odds = (found + 0.5) * (size - all_found - count + found + 0.5)
        return found * log(odds / ((all_found - found + 0.5) * (count - found + 0.5)))

    added = sorted((term for term in among if term not in query), key=lambda term: (-selects(term), term))[
        :most
    ]
    return {**query, **dict.fromkeys(added, _ADDED)}


Way = Literal["fixed", "dom", "vision", "combined"]
#: A block: its text nodes.
Blocks = list[list[int]]

#: DomPS: elements that start a block.
DOM_TAGS: Final = frozenset({"p", "table", "ul", "ol", "dl", "hr", "pre", "h1", "h2", "h3", "h4", "h5", "h6"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "hr"})
_BLOCKS: Final = FINER | {"tbody"}
_COLOUR: Final = frozenset({"bgcolor"})
_COHERENT: Final = 0.1
_WINDOW: Final = 200


def fixed(sequence: TagPathSequence, texts: list[int]) -> Blocks:
    """FixedPS: return windows of 200 words; a text node is in one window."""
    found: Blocks = []
    held = 0
    for node in texts:
        count = len(text_words(sequence.text_of(node)))
        if not found or held + count > _WINDOW:
            found.append([])
            held = 0
        found[-1].append(node)
        held += count
    return found


def by_dom(sequence: TagPathSequence, texts: list[int]) -> Blocks:
    """DomPS: return the texts between the starts and the ends of structural tags."""
    border = bytearray(len(sequence) + 1)
    for node, kind in enumerate(sequence.kinds):
        if kind == ELEMENT and sequence.symbol_tag[sequence.symbols[node]] in DOM_TAGS:
            border[node] = border[sequence.end[node]] = 1
    number = list(accumulate(border))
    found: dict[int, list[int]] = {}
    for node in texts:
        found.setdefault(number[node], []).append(node)
    return list(found.values())


def by_vision(sequence: TagPathSequence, texts: list[int]) -> Blocks:
    """VIPS as far as the DOM shows the layout: from the top down, parts with separators and large parts are divided.

    A node is divided if a part of it is a block and it holds a heading or a rule, children of different colours, or
    more than a tenth of the page's characters; or if it holds a single part. Only a browser knows sizes and
    positions on a screen.
    """
    chars = [0, *accumulate(sequence.chars)]
    symbols, tag_of, end = sequence.symbols, sequence.symbol_tag, sequence.end
    colours = {node: values.get("bgcolor") for node, values in sequence.attributes(_COLOUR)}
    block_of = [0] * len(sequence)  # nodes that are not divided, and direct texts of divided ones
    divided = bytearray(len(sequence))
    below = children_of(end)
    pending = [0]
    while pending:
        node = pending.pop()
        children = below[node]
        parts = [child for child in children if tag_of[symbols[child]] in _BLOCKS]
        seen = {(colours.get(child), sequence.symbol_style[symbols[child]]) for child in parts}
        separated = any(tag_of[symbols[child]] in _HEADINGS for child in children) or len(seen) > 1
        large = chars[end[node]] - chars[node] > _COHERENT * chars[-1]
        if parts and (separated or large or len(children) == 1):
            divided[node] = 1
            pending += [child for child in children if end[child] > child + 1]
    for node in range(1, len(sequence)):
        above = sequence.parent[node]
        # inline neighbours of a divided node's blocks form a block together
        inline = tag_of[symbols[node]] not in _BLOCKS
        block_of[node] = block_of[above] if not divided[above] else above if inline else node
    found: dict[int, list[int]] = {}
    for node in texts:
        found.setdefault(block_of[node], []).append(node)
    return list(found.values())


def combined(sequence: TagPathSequence, texts: list[int]) -> Blocks:
    """CombPS: return blocks by vision, with longer ones cut into windows."""
    return [window for block in by_vision(sequence, texts) for window in fixed(sequence, block)]


WAYS: Final[dict[Way, Callable[[TagPathSequence, list[int]], Blocks]]] = {
    "fixed": fixed,
    "dom": by_dom,
    "vision": by_vision,
    "combined": combined,
}


def segments(sequence: TagPathSequence, way: Way = "combined") -> Blocks:
    """Return the blocks of a page in document order, each by its text nodes."""
    texts = [node for node, kind in enumerate(sequence.kinds) if kind != ELEMENT and sequence.chars[node]]
    return WAYS[way](sequence, texts)


@dataclass(frozen=True, slots=True)
class Segmentation(PageMethod):
    """Keeps the blocks of a page that match its title.

    The paper ranks pages for the queries of users. A crawl has none, so the title of the page is the query, expanded
    with terms of the blocks that match it best. Blocks below a share of the best score are removed. A page is not
    pruned without a title, or if no block matches it.

    :ivar way: ``fixed``, ``dom``, ``vision`` or ``combined`` (the best in the paper).
    :ivar share: the share of the best block's score that a block needs to stay.
    :ivar expansion: number of terms added to the query: 10, as published; from `feedback` blocks.
    """

    way: Way = "combined"
    share: float = 0.1
    expansion: int = 10
    feedback: int = 3
    name: ClassVar[str] = "segmentation"
    reason: ClassVar[str] = "a block that does not match the title of the page"

    def gone(self, sequence: TagPathSequence) -> bytearray:
        gone = bytearray(len(sequence))
        blocks, scores = self.scored(sequence)
        least = self.share * max(scores, default=0.0)
        for block, score in zip(blocks, scores, strict=True):
            for node in block:
                gone[node] = score < least
        return gone

    def scored(self, sequence: TagPathSequence) -> tuple[Blocks, list[float]]:
        """Return the blocks of a page, and the score of each for the title with the added terms."""
        blocks = segments(sequence, self.way)
        terms = [[term for node in block for term in stems(sequence.text_of(node))] for block in blocks]
        query = dict.fromkeys(stems(sequence.title()), 1.0)
        ranking = Ranking(terms)
        first = ranking.scores(query)
        if not any(first):
            return blocks, first
        best = sorted(range(len(blocks)), key=lambda block: -first[block])[: self.feedback]
        wider = expanded(query, [terms[block] for block in best if first[block]], terms, self.expansion)
        return blocks, ranking.scores(wider)
