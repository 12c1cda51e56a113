"""Okapi BM25 over blocks or pages, and query expansion by the best blocks (Cai et al. 2004)."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING, Final

import bm25s
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_K1: Final = 1.2
_B: Final = 0.75
#: Weight of an added term, by that of a term of the query.
_ADDED: Final = 0.3


class Ranking:
    """Okapi BM25 over some texts.

    :param texts: the terms of each.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = len(texts)
        self._index = None
        if any(texts):
            # the idf that is not negative for terms of most texts: blocks of one page have many such
            self._index = bm25s.BM25(k1=_K1, b=_B, method="lucene")
            self._index.index([list(text) for text in texts], show_progress=False)

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """The score of each text for the terms of a query, with their weights."""
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
    """A query with the `most` terms of the relevant texts that select best: by Robertson's weight times occurrence.

    :param relevant: texts that are taken for relevant; of `texts`.
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
