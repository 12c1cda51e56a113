"""Which parts of a page stay because the spider asks for them: known from other pages of the site."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.asking.queries import analyse
from scrapy_tps.engine.asking.removed_names import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.asking.learnt import Learnt
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: At most this share of the nodes that would go stays because of what was learnt, or so many: pruning is not undone.
_MOST_STAYS: Final = 1 / 2
_ALWAYS_STAY: Final = 100
#: So many parts stay at most, each of them a copy: whoever asks for thousands gets them from the whole page.
_MOST_PARTS: Final = 500


def find_parts(
    sequence: TagPathSequence, mask: bytearray, learnt: Iterable[Learnt]
) -> list[tuple[int, Learnt]]:
    """Return what stays of a page for what was learnt about its site: places in the sequence, in document order.

    :param mask: a byte for each node, 1 where it stays anyway.

    What a query found nothing of stays only where it would again find nothing: a carousel's prices don't come to a
    page that has prices of its own. What was asked of a part, or is the rest of a list, stays where that part or list
    does. Of a query that finds so much that there would be more than :data:`_MOST_PARTS` nothing stays.
    """
    room = max(_ALWAYS_STAY, int(mask.count(0) * _MOST_STAYS))
    found: dict[int, Learnt] = {}
    for one in learnt:
        for place in sequence.follow(one.place.steps):
            found.setdefault(place, one)
    if not found:
        return []
    whole = {one.query for one in found.values() if not one.place.inside}
    again = _found_anyway(sequence, mask, whole) if whole else whole
    wanted = [
        (place, one)
        for place, one in sorted(found.items(), key=itemgetter(0))
        if not mask[place]
        and _is_inside(sequence, mask, place, one)
        and (one.place.inside or one.query not in again)
    ]
    few = _few_enough([one.query for _, one in wanted])
    chosen: list[tuple[int, Learnt]] = []
    stop = 0
    for place, one in wanted:
        if place < stop or one.query not in few:
            continue
        size = sequence.stop(place) - place
        if size <= room:
            room -= size
            stop = place + size
            chosen.append((place, one))
    return chosen


def _few_enough(queries: Sequence[str]) -> set[str]:
    """Return the queries of which all parts may stay, those with the fewest parts first."""
    if len(queries) <= _MOST_PARTS:
        return set(queries)
    room = _MOST_PARTS
    few: set[str] = set()
    for query, number in sorted(Counter(queries).items(), key=lambda one: (one[1], one[0])):
        room -= number
        if room < 0:
            break
        few.add(query)
    return few


def _found_anyway(sequence: TagPathSequence, mask: bytearray, queries: Iterable[str]) -> set[str]:
    """Return the queries that may find something in what stays anyway."""
    paths = {query: [path.elements for path in analyse(query).alternatives] for query in queries}
    attributes = any(
        step.ids or step.value_keys for of_query in paths.values() for path in of_query for step in path
    )
    stays = names_of(sequence, mask, attributes=attributes)
    return {
        query
        for query, of_query in paths.items()
        if not of_query or any(all(map(stays.may_match, path)) for path in of_query)
    }


def _is_inside(sequence: TagPathSequence, mask: bytearray, place: int, one: Learnt) -> bool:
    """Whether the part or list that lacked something stays here."""
    if not one.place.inside:
        return True
    for _ in range(len(one.place.steps) - one.place.inside):
        place = sequence.above(place)
    return bool(mask[place])
