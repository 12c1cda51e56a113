"""The similarity of the records of a list, and the detection of other elements among them.

Similarity is measured on bags of grams (see :class:`~scrapy_tps.records.record_page.RecordPage`) relative to the
typical record, not between pairs. This is linear in the size of the list, while a tree edit distance of every pair is
quadratic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class Bag:
    """The frequency of each gram in a record.

    :ivar grams: the grams of the record.
    """

    __slots__ = ("_all", "_repeated", "grams")

    def __init__(self, grams: Sequence[int]) -> None:
        self.grams = frozenset(grams)
        self._all = grams
        self._repeated: dict[int, int] | None = {} if len(self.grams) == len(grams) else None

    def repeated(self) -> dict[int, int]:
        """Return the frequency of the grams that it has more than once."""
        if self._repeated is None:
            self._repeated = {gram: times for gram, times in Counter(self._all).items() if times > 1}
        return self._repeated


@dataclass(slots=True)
class Regularity:
    """The profile of a list of records: the grams of most records.

    :ivar typical: gram to its median count, for the grams that at least half of the records have.
    :ivar density: mean share of the records that have a gram, over all grams that occur.
    :ivar fit: for each record, its share of the typical bag, from 0 to 1.
    """

    typical: dict[int, int]
    density: float
    fit: list[float]


def fits_of(bags: Sequence[Bag], typical: Mapping[int, int]) -> list[float]:
    """Return the share of the typical bag that each bag has, from 0 to 1."""
    grams, total = frozenset(typical), sum(typical.values()) or 1
    often = {gram: usual for gram, usual in typical.items() if usual > 1}
    fits = {}
    for key, bag in {id(bag): bag for bag in bags}.items():
        held = len(grams & bag.grams)  # once each …
        if often:
            repeated = bag.repeated()
            for gram, usual in often.items():
                times = repeated.get(gram, 1)
                held += min(usual, times) - 1  # … and again
        fits[key] = held / total
    return [fits[id(bag)] for bag in bags]


def density_of(bags: Sequence[Bag]) -> float:
    """Return only the density that :func:`regularity_of` would compute."""
    occurring = frozenset().union(*[bag.grams for bag in {id(bag): bag for bag in bags}.values()])
    return sum([len(bag.grams) for bag in bags]) / len(bags) / max(1, len(occurring))


def regularity_of(bags: Sequence[Bag]) -> Regularity:
    """Return the profile of records, given the frequency of each gram in each of them.

    Records with the same structure should share one bag object, which is then examined only once.
    """
    count = len(bags)
    different = {id(bag): bag for bag in bags}
    if len(different) == 1:
        typical = {**dict.fromkeys(bags[0].grams, 1), **bags[0].repeated()}
        return Regularity(typical=typical, density=1.0, fit=[1.0] * count)
    times = Counter(map(id, bags))
    having = _records_with([bag.grams for bag in different.values()], times.values())
    typical = {gram: 1 for gram, records in having.items() if 2 * records >= count}
    middle = count // 2
    again = _records_with([bag.repeated() for bag in different.values()], times.values())
    often = [gram for gram, records in again.items() if records >= count - middle]
    repeated = [bag.repeated() for bag in bags] if often else []
    for gram in often:
        typical[gram] = sorted([own.get(gram, 1) for own in repeated])[middle]
    return Regularity(
        typical=typical,
        density=sum(having.values()) / count / max(1, len(having)),
        fit=fits_of(bags, typical),
    )


def _records_with(bags: Collection[Collection[int]], times: Collection[int]) -> dict[int, int]:
    """Return the number of records with each gram, from distinct bags with their number of records."""
    if 2 * len(bags) > sum(times):
        return Counter(chain.from_iterable(chain.from_iterable(map(repeat, bags, times))))
    having: dict[int, int] = {}
    for grams, records in zip(bags, times, strict=True):
        for gram in grams:
            having[gram] = having.get(gram, 0) + records
    return having
