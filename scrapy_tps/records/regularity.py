"""How similar the records of a list are, and which of them are something else.

Similarity is measured on bags of grams (:attr:`scrapy_tps.records.page.RecordPage.grams`) against what is typical of
the list, not between pairs. This is linear in the size of the list, while a tree edit distance of every pair is
quadratic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: How often a record has each gram.
Bag: TypeAlias = "Counter[int]"


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
    for gram in typical.keys() & bag.keys():
        held += min(typical[gram], bag[gram])
    return held / (sum(typical.values()) or 1)


def density_of(bags: Sequence[Bag]) -> float:
    """Return only the density that :func:`regularity_of` would give."""
    occurring = set().union(*{id(bag): bag for bag in bags}.values())
    return sum(map(len, bags)) / len(bags) / max(1, len(occurring))


def regularity_of(bags: Sequence[Bag]) -> Regularity:
    """Return the profile of records, given how often each of them has each gram.

    Records with the same structure should share one bag object, which is then examined only once.
    """
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
    repeated = {gram for bag in different.values() if len(bag) < bag.total() for gram in bag if bag[gram] > 1}
    for gram in repeated & typical.keys():
        counts = sorted([(bag.get(gram, 0), times[key]) for key, bag in different.items()])
        typical[gram] = _median(counts, count) or 1
    fit = _fits(different, typical)
    return Regularity(
        typical=typical,
        density=sum(having.values()) / count / max(1, len(having)),
        fit=[fit[id(bag)] for bag in bags],
    )


def _fits(different: Mapping[int, Bag], typical: dict[int, int]) -> dict[int, float]:
    """Return :func:`fit_of` each bag."""
    grams, total = typical.keys(), sum(typical.values()) or 1
    repeated = [(gram, usual) for gram, usual in typical.items() if usual > 1]
    fits = {}
    for key, bag in different.items():
        held = len(grams & bag.keys())  # once each …
        for gram, usual in repeated:
            count = bag.get(gram, 0)
            if count > 1:
                held += min(usual, count) - 1  # … and again
        fits[key] = held / total
    return fits


def _median(counts: list[tuple[int, int]], total: int) -> int:
    """The upper median of values in ascending order, each with how often it occurs."""
    seen = 0
    for value, times in counts:
        seen += times
        if seen > total // 2:
            return value
    return 0
