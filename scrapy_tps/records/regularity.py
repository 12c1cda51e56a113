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
        known: dict[tuple[int, ...], Counter[int]] = {}  # records of a list are often built the same
        self._bags = []
        for start, end in spans:
            string = tuple(grams[start:end])
            bag = known.get(string)
            if bag is None:
                bag = known[string] = Counter(string)
            self._bags.append(bag)

    def regularity(self, chosen: list[int] | None = None) -> Regularity:
        """Return the profile of the records chosen by their places (default: all)."""
        bags = self._bags if chosen is None else [self._bags[place] for place in chosen]
        count = len(bags)
        different = {id(bag): bag for bag in bags}
        times = Counter(map(id, bags))
        having: dict[int, int] = {}
        for key, bag in different.items():
            records = times[key]
            for gram in bag:
                having[gram] = having.get(gram, 0) + records
        typical = {}
        for gram, records in having.items():
            if 2 * records >= count:
                counts = sorted([(bag.get(gram, 0), times[key]) for key, bag in different.items()])
                typical[gram] = _median(counts, count) or 1
        fit = {key: fit_of(bag, typical) for key, bag in different.items()}
        return Regularity(
            typical=typical,
            density=sum(having.values()) / count / max(1, len(having)),
            fit=[fit[id(bag)] for bag in bags],
        )


def _median(counts: list[tuple[int, int]], total: int) -> int:
    """The upper median of values in ascending order, each with how often it occurs."""
    seen = 0
    for value, times in counts:
        seen += times
        if seen > total // 2:
            return value
    return 0
