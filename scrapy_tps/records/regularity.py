"""The similarity of the records of a list, and the detection of other elements among them.

Similarity is measured on bags of grams (see :class:`~scrapy_tps.records.record_page.RecordPage`) relative to the
typical record, not between pairs. This is linear in the size of the list, while a tree edit distance of every pair is
quadratic. Records with the same structure should share one bag object, which is then examined only once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The frequency of each gram in a record.
Bag: TypeAlias = "Counter[int]"


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
    grams, total = typical.keys(), sum(typical.values()) or 1
    often = [(gram, usual) for gram, usual in typical.items() if usual > 1]
    fits = {}
    for key, bag in {id(bag): bag for bag in bags}.items():
        held = len(grams & bag.keys())  # once each …
        for gram, usual in often:
            held += min(usual, bag.get(gram, 1)) - 1  # … and again
        fits[key] = held / total
    return [fits[id(bag)] for bag in bags]


def density_of(bags: Sequence[Bag]) -> float:
    """Return only the density that :func:`regularity_of` would compute."""
    occurring = frozenset().union(*{id(bag): bag for bag in bags}.values())
    return sum(map(len, bags)) / len(bags) / max(1, len(occurring))


def regularity_of(bags: Sequence[Bag]) -> Regularity:
    """Return the profile of records, given the frequency of each gram in each of them."""
    count, middle = len(bags), len(bags) // 2
    times = Counter(map(id, bags))
    having: dict[int, int] = {}  # records with a gram, and with a gram several times
    again: dict[int, int] = {}
    for key, bag in {id(bag): bag for bag in bags}.items():
        records = times[key]
        for gram, held in bag.items():
            having[gram] = having.get(gram, 0) + records
            if held > 1:
                again[gram] = again.get(gram, 0) + records
    typical = {gram: 1 for gram, records in having.items() if 2 * records >= count}
    for gram, records in again.items():
        if records >= count - middle:
            typical[gram] = sorted([bag.get(gram, 0) for bag in bags])[middle]
    return Regularity(
        typical=typical,
        density=sum(having.values()) / count / max(1, len(having)),
        fit=fits_of(bags, typical),
    )
