"""How alike the records of a list are, and which of them are something else.

Similarity is measured on bags of grams (:attr:`scrapy_tps.records.page.RecordPage.grams`) against what is
typical for the list, not between pairs: linear in the size of the list, where a tree edit distance of every
pair is quadratic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_tps.records.groups import Span
    from scrapy_tps.records.page import RecordPage


@dataclass(slots=True)
class Regularity:
    """The profile of a list of records: what most of them have.

    :ivar typical: gram to its median count, for the grams that at least half of the records have.
    :ivar density: mean share of the records that have a gram, over all grams that occur.
    :ivar fit: for each record the share of the typical bag that it has, from 0 to 1.
    """

    typical: dict[int, int]
    density: float
    fit: list[float]


def fit_of(bag: Mapping[int, int], typical: Mapping[int, int]) -> float:
    """Return the share of the typical bag that a bag has, from 0 to 1."""
    held = 0
    for gram, usual in typical.items():
        count = bag.get(gram, 0)
        held += min(usual, count)
    return held / (sum(typical.values()) or 1)


class Bags:
    """The gram bags of the records of one list, counted once for all of its variants."""

    def __init__(self, page: RecordPage, spans: Sequence[Span]) -> None:
        grams = page.grams
        self._bags = [Counter(grams[start:end]) for start, end in spans]

    def regularity(self, chosen: list[int] | None = None) -> Regularity:
        """Return the profile of the records chosen by their places (default: all)."""
        bags = self._bags if chosen is None else [self._bags[place] for place in chosen]
        count = len(bags)
        having: Counter[int] = Counter()
        for bag in bags:
            having.update(bag.keys())
        typical = {}
        for gram, records in having.items():
            if 2 * records >= count:
                counts = sorted([bag.get(gram, 0) for bag in bags])
                typical[gram] = counts[count // 2] or 1
        return Regularity(
            typical=typical,
            density=sum(having.values()) / count / max(1, len(having)),
            fit=[fit_of(bag, typical) for bag in bags],
        )
