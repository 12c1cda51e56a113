"""How alike the records of a list are, and which of them are something else.

Similarity is measured on bags of grams (:attr:`scrapy_tps.records.page.RecordPage.grams`) against what is
typical for the list, not between pairs: linear in the size of the list, where a tree edit distance of every
pair is quadratic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
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
    fit: list[float] = field(default_factory=list)
    _repeated: list[tuple[int, int]] = field(init=False)
    _size: int = field(init=False)

    def __post_init__(self) -> None:
        self._repeated = [(gram, usual) for gram, usual in self.typical.items() if usual > 1]
        self._size = sum(self.typical.values())

    def fit_of(self, bag: Mapping[int, int]) -> float:
        """Return the share of the typical bag that a bag has, from 0 to 1."""
        held = len(self.typical.keys() & bag.keys())  # once each …
        for gram, usual in self._repeated:
            count = bag.get(gram, 0)
            if count > 1:
                held += min(usual, count) - 1  # … and again
        return held / (self._size or 1)


class Bags:
    """The gram bags of the records of one list, counted once for all of its variants."""

    def __init__(self, page: RecordPage, spans: Sequence[Span]) -> None:
        self._bags = list(map(page.bag, spans))

    def density(self) -> float:
        """Return what :meth:`regularity` would say about density alone."""
        different = {id(bag): bag for bag in self._bags}
        occurring = set().union(*different.values())
        return sum(map(len, self._bags)) / len(self._bags) / max(1, len(occurring))

    def regularity(self, chosen: list[int] | None = None) -> Regularity:
        """Return the profile of the records chosen by their places (default: all)."""
        bags = self._bags if chosen is None else [self._bags[place] for place in chosen]
        count = len(bags)
        different = {id(bag): bag for bag in bags}
        if len(different) == 1:
            return Regularity(typical=dict(bags[0]), density=1.0, fit=[1.0] * count)
        times = Counter(map(id, bags))
        having: dict[int, int]
        if 2 * len(different) > count:
            having = Counter(chain.from_iterable(bags))
        else:
            having = {}
            for key, bag in different.items():
                records = times[key]
                for gram in bag:
                    having[gram] = having.get(gram, 0) + records
        typical = {gram: 1 for gram, records in having.items() if 2 * records >= count}
        repeated = {
            gram for bag in different.values() if len(bag) < bag.total() for gram in bag if bag[gram] > 1
        }
        for gram in repeated & typical.keys():
            counts = sorted([(bag.get(gram, 0), times[key]) for key, bag in different.items()])
            typical[gram] = _median(counts, count) or 1
        regularity = Regularity(typical, sum(having.values()) / count / max(1, len(having)))
        fit = {key: regularity.fit_of(bag) for key, bag in different.items()}
        regularity.fit = [fit[id(bag)] for bag in bags]
        return regularity


def _median(counts: list[tuple[int, int]], total: int) -> int:
    """The upper median of values in ascending order, each with how often it occurs."""
    seen = 0
    for value, times in counts:
        seen += times
        if seen > total // 2:
            return value
    return 0
