"""Region search in a tag path sequence: Algorithms 3 and 4 of Velloso & Dorneles, in near-linear time.

The published loop visits every position for every frequency threshold. It need not: at threshold t the
symbols with a frequency above t are intervals from their first to their last position; merged, in order
of their starts, they form components, and the positions that the loop would test are exactly the
components' ends. One pass over *symbols* per threshold is enough, and a symbol of frequency c is active
at no more than c thresholds, so all thresholds of a level cost no more than the level's length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Visits of symbols allowed per node of the sequence before the search stops with what it has. An
#: overlapping chain of pairs would otherwise be quadratic over all levels; the largest need seen on
#: some 1,600 real pages is 14.8.
VISITS_PER_NODE = 64


@dataclass(frozen=True, slots=True)
class Split:
    """One split, in the order they were made.

    :ivar start: first index of the part that was split.
    :ivar position: first index of its right part.
    :ivar end: index after its right part.
    :ivar threshold: symbols with a frequency up to this were left out of the comparison.
    :ivar left, right: the sizes that were compared: nodes, less the gap on the left.
    :ivar kept_left: whether the search went on in the left part.
    """

    start: int
    position: int
    end: int
    threshold: int
    left: int
    right: int
    kept_left: bool


def search_region(
    symbols: Sequence[int], size_ratio: float, *, inclusive: bool = False, start: int = 0
) -> tuple[int, int, list[Split]]:
    """Find the main region of a tag path sequence (Algorithm 3, ``searchRegion``).

    :param symbols: the sequence, as numbers from 0 on.
    :param size_ratio: a split is made only where ``|left - right| / (left + right)`` is larger, with left
        and right in nodes (0.20 in the paper's section 4.3).
    :param inclusive: whether symbols whose frequency *equals* the threshold take part, as the text of
        Algorithm 4 (``filter``) has it. The paper's own results come from the other reading.
    :param start: index to count from in the result.
    :return: start and end (exclusive) of the region, and the splits that led there.
    """
    state = _Level(symbols)
    budget = VISITS_PER_NODE * max(1, len(symbols))
    splits: list[Split] = []
    while True:
        found, visits = state.first_split(size_ratio, inclusive, budget)
        budget -= visits
        if found is None or budget <= 0:
            break
        position, threshold, left, right = found
        splits.append(
            Split(
                start + state.low, start + position, start + state.high, threshold, left, right, left > right
            )
        )
        if left > right:
            state.drop_right(position)
        else:
            state.drop_left(position)
    return start + state.low, start + state.high, splits


class _Level:
    """What is left of the sequence, with first and last position and frequency of each symbol in it."""

    def __init__(self, symbols: Sequence[int]) -> None:
        self.symbols = symbols
        self.low, self.high = 0, len(symbols)
        size = max(symbols, default=-1) + 1
        self.first = [-1] * size
        self.last = [-1] * size
        self.count = [0] * size
        # next and previous position of the same symbol, so that dropping a part updates the ends
        self.following = [-1] * self.high
        self.preceding = [-1] * self.high
        first, last, count = self.first, self.last, self.count
        order = []
        for position, symbol in enumerate(symbols):
            before = last[symbol]
            if before < 0:
                first[symbol] = position
                order.append(symbol)
            else:
                self.following[before] = position
                self.preceding[position] = before
            last[symbol] = position
            count[symbol] += 1
        self.order = order  # symbols by first position

    def first_split(
        self, size_ratio: float, inclusive: bool, budget: int
    ) -> tuple[tuple[int, int, int, int] | None, int]:
        """Return (position, threshold, left, right) of the first split, or None, and the visits made."""
        count = self.count
        active = self.order
        visits = len(active)
        for threshold in sorted({count[symbol] for symbol in active}):
            active = [symbol for symbol in active if count[symbol] >= threshold + (not inclusive)]
            visits += len(active)
            if len(active) < 2 or visits > budget:
                break
            for end, left, right in self._components(active):
                if abs(left - right) > size_ratio * (left + right):
                    return (end + 1, threshold, left, right), visits
        return None, visits

    def _components(self, active: list[int]) -> Iterator[tuple[int, int, int]]:
        """Yield (end, left size, right size) of each component of the active symbols but the last.

        A rejected candidate opens a gap that holds one node and every inactive node up to the next
        candidate; the left size is the left part less that gap.
        """
        first, last, count = self.first, self.last, self.count
        low, top = self.low, self.high - 1
        symbols = iter(active)
        symbol = next(symbols)
        end, weight, before = last[symbol], count[symbol], -1
        for symbol in symbols:
            if first[symbol] > end:
                yield end, (end - low + 1 if before < 0 else before - low + weight), top - end
                before, end, weight = end, last[symbol], count[symbol]
            else:
                weight += count[symbol]
                if last[symbol] > end:
                    end = last[symbol]

    def drop_left(self, position: int) -> None:
        symbols, first, count, following = self.symbols, self.first, self.count, self.following
        for index in range(self.low, position):
            symbol = symbols[index]
            count[symbol] -= 1
            first[symbol] = following[index]
        self.low = position
        self.order = sorted((symbol for symbol in self.order if count[symbol]), key=first.__getitem__)

    def drop_right(self, position: int) -> None:
        symbols, last, count, preceding = self.symbols, self.last, self.count, self.preceding
        for index in range(self.high - 1, position - 1, -1):
            symbol = symbols[index]
            count[symbol] -= 1
            last[symbol] = preceding[index]
        self.high = position
        self.order = [symbol for symbol in self.order if count[symbol]]
