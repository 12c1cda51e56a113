"""Region search in a tag path sequence: Algorithms 3 and 4 of Velloso & Dorneles, in near-linear time.

The published loop visits every position for every frequency threshold. This is not necessary: at threshold t, each
symbol with a frequency above t is an interval from its first to its last position. The intervals, merged in the order
of their starts, form components, and the positions that the loop would test are exactly the components' ends. One pass
over *symbols* per threshold is enough, and a symbol of frequency c is active at no more than c thresholds, so all
thresholds of a level cost no more than the level's length.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Visits of symbols allowed per node of the sequence before the search stops with its current result. An overlapping
#: chain of pairs would otherwise be quadratic over all levels; the most visits needed on 1,834 real pages are 9.7.
VISITS_PER_NODE = 32


class Split(NamedTuple):
    """One split of a sequence into two parts.

    :ivar start: first index of the part that was split.
    :ivar position: first index of its right part.
    :ivar end: index after its right part.
    :ivar threshold: symbols with a frequency up to this were ignored in the comparison.
    :ivar left, right: the compared sizes in nodes, minus the gap on the left.
    :ivar kept_left: whether the search continued in the left part.
    """

    start: int
    position: int
    end: int
    threshold: int
    left: int
    right: int
    kept_left: bool


def search_region(
    symbols: Sequence[int],
    size_ratio: float,
    *,
    inclusive: bool = False,
    visits_per_node: int = VISITS_PER_NODE,
) -> tuple[int, int, list[Split]]:
    """Find the main region of a tag path sequence (Algorithm 3, ``searchRegion``).

    :param symbols: the sequence, as numbers from 0 on.
    :param size_ratio: a split is made only if ``|left - right| / (left + right)`` is larger, with left and right in
        nodes (0.20 in the paper's section 4.3).
    :param inclusive: whether symbols whose frequency *equals* the threshold take part, as in the text of Algorithm 4
        (``filter``). The paper's own results come from the other reading.
    :param visits_per_node: allowed visits of symbols per node, after which the search stops with its current result.
    :return: start and end (exclusive) of the region, and the splits on the way.
    """
    level = _Level(symbols, inclusive)
    budget = visits_per_node * max(1, len(symbols))
    splits: list[Split] = []
    while True:
        found, visits = level.first_split(size_ratio, budget)
        budget -= visits
        if found is None:
            break
        position, threshold, left, right = found
        splits.append(Split(level.low, position, level.high, threshold, left, right, left > right))
        if left > right:
            level.drop_right(position)
        else:
            level.drop_left(position)
    return level.low, level.high, splits


class _Level:
    """The remaining sequence, with first and last position and frequency of each symbol in it.

    :ivar order: the symbols that can be active, by first position. Even the lowest threshold excludes those of the
        lowest frequency, so symbols that occur once are never active.
    """

    def __init__(self, symbols: Sequence[int], inclusive: bool) -> None:
        self.symbols = symbols
        self.low, self.high = 0, len(symbols)
        self.least = 1 if inclusive else 2  # the fewest occurrences of a symbol that can be active
        numbers = max(symbols, default=-1) + 1
        count, first, last = [0] * numbers, [0] * numbers, [0] * numbers
        seen = []
        for place, symbol in enumerate(symbols):
            if not count[symbol]:
                first[symbol] = place
                seen.append(symbol)
            count[symbol] += 1
            last[symbol] = place
        self.count, self.first, self.last = count, first, last
        self.once = count.count(1)
        self.order = [symbol for symbol in seen if count[symbol] >= self.least]
        self._places: dict[int, list[int]] = {}
        self._skipped: dict[int, int] = {}  # for each symbol, the number of its places before `low`

    def first_split(self, size_ratio: float, budget: int) -> tuple[tuple[int, int, int, int] | None, int]:
        """Return (position, threshold, left, right) of the first split, or None, and the visits made.

        A rejected candidate opens a gap of one node and every inactive node up to the next candidate; the left size is
        the left part minus that gap.
        """
        first, last, count = self.first, self.last, self.count
        low, top = self.low, self.high - 1
        exclusive = self.least == 2
        active = self.order
        visits = len(active)
        thresholds = sorted(set(map(count.__getitem__, active)))
        if exclusive and self.once:
            thresholds.insert(0, 1)
        for threshold in thresholds:
            least = threshold + exclusive
            if least > 2 or not exclusive:
                active = [symbol for symbol in active if count[symbol] >= least]
            visits += len(active)
            if len(active) < 2 or visits > budget:
                break
            end, before, size = (
                last[active[0]],
                -1,
                0,
            )  # end of the component; position before it; active nodes in it
            for symbol in active:
                if first[symbol] > end:
                    left = end - low + 1 if before < 0 else before - low + size
                    right = top - end
                    if abs(left - right) > size_ratio * (left + right):
                        return (end + 1, threshold, left, right), visits
                    before, end, size = end, last[symbol], count[symbol]
                else:
                    size += count[symbol]
                    if last[symbol] > end:
                        end = last[symbol]
        return None, visits

    def drop_left(self, position: int) -> None:
        """Continue to the right of a position."""
        rest = self._drop(self.low, position)
        if rest:
            first, skipped, places = self.first, self._skipped, self._places_of_all()
            for symbol, gone in rest:
                skipped[symbol] = skipped.get(symbol, 0) + gone
                first[symbol] = places[symbol][skipped[symbol]]
        self.low = position
        self._forget()
        if rest:
            self.order.sort(key=self.first.__getitem__)

    def drop_right(self, position: int) -> None:
        """Continue to the left of a position."""
        rest = self._drop(position, self.high)
        if rest:
            last, skipped, count, places = self.last, self._skipped, self.count, self._places_of_all()
            for symbol, _ in rest:
                last[symbol] = places[symbol][skipped.get(symbol, 0) + count[symbol] - 1]
        self.high = position
        self._forget()

    def _drop(self, start: int, end: int) -> list[tuple[int, int]]:
        """Subtract a part from the frequencies; return (symbol, subtracted count) of those that remain elsewhere.

        Only symbols that the split ignored can remain: three of four pages have none. Symbols that can't be active are
        not included.
        """
        count, least = self.count, self.least
        rest = []
        for symbol, gone in Counter(self.symbols[start:end]).items():
            before = count[symbol]
            count[symbol] = after = before - gone
            if before == 1:
                self.once -= 1
            if after == 1:
                self.once += 1
            if after >= least:
                rest.append((symbol, gone))
        return rest

    def _forget(self) -> None:
        """Remove symbols that can no longer be active."""
        count, least = self.count, self.least
        self.order = [symbol for symbol in self.order if count[symbol] >= least]

    def _places_of_all(self) -> dict[int, list[int]]:
        """The places of each symbol that can be active, from the value that `low` had on first access."""
        if not self._places:
            places = self._places = {symbol: [] for symbol in self.order}
            for place, symbol in enumerate(islice(self.symbols, self.low, self.high), self.low):
                if symbol in places:
                    places[symbol].append(place)
        return self._places
