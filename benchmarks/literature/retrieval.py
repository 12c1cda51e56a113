"""Retrieval, of pages and of blocks (Cai et al. 2004), with the queries that testbed's pages answer.

Nobody has judged those queries. A page stands for what its query wants in three ways, each of which says less than a
judge would:

own page
    the page that the site's search gave for the query is relevant, and no other (known-item search; a page often
    repeats its query above the results, which helps whoever keeps that);
category
    pages of other sites are relevant that are of the same category of the directory (their own queries differ);
records
    of all blocks of all pages those that hold a value of the labelled records of the query's page.

Hypotheses: blocks retrieve better than pages; the ranks of pages and of their best blocks together better than either;
terms of the best blocks expand a query better than terms of the best pages; blocks by vision cut to windows
(``combined``) best of all.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.literature.pages import walked
from benchmarks.quality.measures import plain
from scrapy_tps.engine.html import document
from scrapy_tps.literature.memory import stems
from scrapy_tps.literature.segmentation import WAYS, Ranking, expanded, segments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.literature.pages import Page
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.segmentation import Way

_POOL: Final = 30  # pages whose blocks are candidates for expansion
_FEEDBACK: Final = 10  # blocks, or pages, that are taken for relevant
_ADDED: Final = 10  # terms
_LONG: Final = 12  # letters and digits of a value that says which record it is of

Terms = list[str]
_NONE: Final = ((0.0, 0.0),)


def texts_of(sequence: TagPathSequence) -> list[str]:
    """The texts of a page that are not blank, in their order."""
    return [sequence.text_of(node) for node, chars in enumerate(sequence.chars) if chars]


def known_item(texts: Sequence[Terms], queries: Sequence[Terms]) -> tuple[float, float]:
    """Share of the queries whose own page is first, and mean reciprocal rank of that page."""
    ranking = Ranking(texts)
    return _own(lambda place: ranking.scores(dict.fromkeys(queries[place], 1.0)), len(texts))


def by_category(
    texts: Sequence[Terms], queries: Sequence[Terms], kinds: Any, sites: Any
) -> tuple[float, float]:
    """P@10 and MAP where other sites' pages of the same category are relevant."""
    ranking = Ranking(texts)
    return _category(lambda place: ranking.scores(dict.fromkeys(queries[place], 1.0)), kinds, sites)


def _own(scores_for: Callable[[int], Sequence[float]], size: int) -> tuple[float, float]:
    places = [_order(scores_for(place)).index(place) for place in range(size)]
    return statistics.fmean(place == 0 for place in places), statistics.fmean(
        1 / (place + 1) for place in places
    )


def _category(scores_for: Callable[[int], Sequence[float]], kinds: Any, sites: Any) -> tuple[float, float]:
    found = []
    for place in range(len(kinds)):
        order = [other for other in _order(scores_for(place)) if sites[other] != sites[place]]
        relevant = [kinds[other] == kinds[place] for other in order]
        if any(relevant):
            found.append((sum(relevant[:10]) / 10, average_precision(relevant)))
    return statistics.fmean(one for one, _ in found or _NONE), statistics.fmean(
        one for _, one in found or _NONE
    )


def _order(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))


def average_precision(relevant: Sequence[bool]) -> float:
    """The mean of the precisions at each relevant place of a ranking."""
    hits = [place for place, right in enumerate(relevant) if right]
    return statistics.fmean((number + 1) / (place + 1) for number, place in enumerate(hits)) if hits else 0.0


class Blocks:
    """All pages cut one way.

    :ivar texts: the terms of each block.
    :ivar page: the page of each.
    :ivar plain: the letters and digits of each.
    """

    def __init__(self, sequences: Sequence[TagPathSequence], way: Way) -> None:
        self.texts: list[Terms] = []
        self.page: list[int] = []
        self.plain: list[str] = []
        for number, sequence in enumerate(sequences):
            for block in segments(sequence, way):
                text = " ".join(map(sequence.text_of, block))
                if terms := stems(text):
                    self.texts.append(terms)
                    self.page.append(number)
                    self.plain.append(plain(text))
        self.ranking = Ranking(self.texts)

    def best_of_pages(self, scores: Sequence[float], pages: int) -> list[float]:
        """The score of the best block of each page."""
        best = [0.0] * pages
        for page, score in zip(self.page, scores, strict=True):
            best[page] = max(best[page], score)
        return best


def block_retrieval(pages: Sequence[Page]) -> Iterator[str]:
    """Lines of a table: each way to cut pages, alone, with the ranks of pages, and for expansion."""
    sequences = []
    for page in pages:
        sequences.append(walked(document.parser_input(page.body, page.encoding)))
        sequences[-1].hold()
    kinds, sites = np.array([page.kind for page in pages]), np.array([page.site for page in pages])
    queries = [dict.fromkeys(stems(page.query), 1.0) for page in pages]
    whole = [stems(" ".join(texts_of(sequence))) for sequence in sequences]
    by_page = Ranking(whole)
    ranks = [by_page.scores(query) for query in queries]

    def figures(scores_for: Callable[[int], Sequence[float]]) -> str:
        own, category = _own(scores_for, len(pages)), _category(scores_for, kinds, sites)
        return " | ".join(f"{figure:.3f}" for figure in (*own, *category))

    yield "| ranked by | own page first | MRR | P@10 | MAP | P@10 of blocks with records |"
    yield "|" + "---|" * 6
    yield f"| pages | {figures(ranks.__getitem__)} | – |"

    def expanded_by_pages(place: int) -> Sequence[float]:
        pool = _order(ranks[place])[:_POOL]
        relevant = [whole[page] for page in pool[:_FEEDBACK] if ranks[place][page]]
        return by_page.scores(expanded(queries[place], relevant, [whole[page] for page in pool], _ADDED))

    yield f"| pages, query expanded by pages | {figures(expanded_by_pages)} | – |"
    for way in WAYS:
        blocks = Blocks(sequences, way)
        scores = [blocks.ranking.scores(query) for query in queries]
        best = [blocks.best_of_pages(of_blocks, len(pages)) for of_blocks in scores]

        def expanded_by_blocks(place: int, blocks: Blocks = blocks, scores: Any = scores) -> Sequence[float]:
            pool = set(_order(ranks[place])[:_POOL])
            held = [block for block, page in enumerate(blocks.page) if page in pool]
            order = sorted(held, key=lambda block: (-scores[place][block], block))
            relevant = [blocks.texts[block] for block in order[:_FEEDBACK] if scores[place][block]]
            texts = [blocks.texts[block] for block in held]
            return by_page.scores(expanded(queries[place], relevant, texts, _ADDED))

        yield f"| blocks, `{way}` | {figures(best.__getitem__)} | {_with_records(pages, blocks, scores):.3f} |"
        both = [combined_ranks(one, other) for one, other in zip(ranks, best, strict=True)]
        yield f"| pages and blocks, `{way}` | {figures(both.__getitem__)} | – |"
        yield f"| pages, query expanded by blocks, `{way}` | {figures(expanded_by_blocks)} | – |"


def _with_records(pages: Sequence[Page], blocks: Blocks, scores: Sequence[Sequence[float]]) -> float:
    """Which share of the first ten blocks holds a value of the records of the query's page."""
    found = []
    for place, page in enumerate(pages):
        values = {value for record in page.records for value in record if len(value) >= _LONG}
        if values:
            first = _order(scores[place])[:10]
            found.append(sum(any(value in blocks.plain[block] for value in values) for block in first) / 10)
    return statistics.fmean(found)


def combined_ranks(documents: Sequence[float], blocks: Sequence[float], weight: float = 0.5) -> list[float]:
    """The score of each page by its rank as a whole and that of its best block (DR and BR of the paper).

    :param documents, blocks: the score of each page, and of the best of its blocks.
    :param weight: of the rank as a whole, from 0 to 1.
    """
    one, other = _ranks(documents), _ranks(blocks)
    return [-(weight * left + (1 - weight) * right) for left, right in zip(one, other, strict=True)]


def _ranks(scores: Sequence[float]) -> list[int]:
    """The place of each score, the best one first."""
    found = [0] * len(scores)
    for rank, place in enumerate(sorted(range(len(scores)), key=lambda place: (-scores[place], place))):
        found[place] = rank
    return found
