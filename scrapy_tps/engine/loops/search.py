"""Region search in a tag path sequence: Algorithms 3 and 4 of Velloso & Dorneles, in near-linear time.

The published loop visits every position for every frequency threshold. This is not necessary: at threshold t, each
symbol with a frequency above t is an interval from its first to its last position. The intervals, merged in the order
of their starts, form components, and the positions that the loop would test are exactly the components' ends. One pass
over *symbols* per threshold is enough, and a symbol of frequency c is active at no more than c thresholds, so all
thresholds of a level cost no more than the level's length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from scrapy_tps.engine import arrays as plain


class RegionSearch:
    """The part of a sequence that remains, with the places and the frequency of each symbol in it.

    Symbols that can be active are in `order`, by their first position. Even the lowest threshold excludes those of the
    lowest frequency, so symbols that occur once are never active.

    :param symbols: the sequence, a column of `arrays`: numbers from 0 up to `alphabet`, which is excluded.
    :param inclusive: whether symbols whose frequency *equals* the threshold take part, as in the text of Algorithm 4
        (``filter``). The paper's own results come from the other reading.
    :ivar low, high: start and end (exclusive) of the part.
    """

    def __init__(
        self, arrays: plain.Arrays, symbols: MutableSequence[int], alphabet: int, inclusive: bool
    ) -> None:
        self.arrays, self.column = arrays, symbols
        self.symbols = self.arrays.integers(self.column)
        self.low, self.high, self.once = 0, len(symbols), 0
        self.least = 1 if inclusive else 2  # the fewest occurrences of a symbol that can be active
        self.position = self.threshold = self.left = self.right = self.visits = 0  # of the split found last
        self.offsets, self.places = self.arrays.numbers(alphabet), self.arrays.numbers(self.high)
        # of each symbol: its number of places before `low`, its frequency, its first and last place
        self.skipped, self.counts = self.arrays.numbers(alphabet), self.arrays.numbers(alphabet)
        self.firsts, self.lasts = self.arrays.numbers(alphabet), self.arrays.numbers(alphabet)
        self.order, self.order_size = self.arrays.numbers(alphabet), 0
        self.active, self.moved = self.arrays.numbers(alphabet), self.arrays.numbers(alphabet)
        # for each frequency, the number of the part that has listed it
        self.listed, self.part = self.arrays.numbers(self.high), 0
        self._start(alphabet)

    def _start(self, alphabet: int) -> None:
        """Find the places of all symbols."""
        symbols, offset, places = self.symbols, self.offsets.values, self.places.values
        count, first, last = self.counts.values, self.firsts.values, self.lasts.values
        order, seen = self.order.values, self.moved.values
        for place in range(self.high):
            count[symbols[place]] += 1
        total = size = 0
        for symbol in range(alphabet):
            offset[symbol] = total
            total += count[symbol]
            self.once += count[symbol] == 1
            count[symbol] = 0
        for place in range(self.high):
            symbol = symbols[place]
            if not count[symbol]:
                first[symbol] = place
                seen[size] = symbol
                size += 1
            places[offset[symbol] + count[symbol]] = place
            count[symbol] += 1
            last[symbol] = place
        for place in range(size):
            symbol = seen[place]
            if count[symbol] >= self.least:
                order[self.order_size] = symbol
                self.order_size += 1

    def run(self, size_ratio: float, visits_per_node: int) -> list[tuple[int, int, int, int, int, int, bool]]:
        """Split the sequence, as long as a split is uneven enough, and return the fields of each ``Split``."""
        budget = visits_per_node * max(1, self.high)
        splits = []
        while self._split(size_ratio, budget):
            budget -= self.visits
            kept_left = self.left > self.right
            splits.append(
                (self.low, self.position, self.high, self.threshold, self.left, self.right, kept_left)
            )
            if kept_left:
                self._drop_right(self.position)
            else:
                self._drop_left(self.position)
        return splits

    def _split(self, size_ratio: float, budget: int) -> bool:
        """Find the first split, and whether there is one.

        A rejected candidate opens a gap of one node and every inactive node up to the next candidate; the left size is
        the left part minus that gap.
        """
        low, top, size = self.low, self.high - 1, self.order_size
        first, last, count = self.firsts.values, self.lasts.values, self.counts.values
        active, filtered = self.order.values, self.active.values
        frequencies, listed = self.moved.values, self.listed.values
        exclusive = self.least == 2
        self.visits = size
        self.part += 1
        thresholds = 0
        if exclusive and self.once:
            frequencies[0] = thresholds = 1
        for index in range(size):
            frequency = count[active[index]]
            if listed[frequency] != self.part:
                listed[frequency] = self.part
                frequencies[thresholds] = frequency
                thresholds += 1
        self.arrays.sort(frequencies, thresholds)
        for number in range(thresholds):
            threshold = frequencies[number]
            least = threshold + exclusive
            if least > 2 or not exclusive:
                kept = 0
                for index in range(size):
                    symbol = active[index]
                    if count[symbol] >= least:
                        filtered[kept] = symbol
                        kept += 1
                active, size = filtered, kept
            self.visits += size
            if size < 2 or self.visits > budget:
                return False
            # end of the component; position before it; active nodes in it
            end, before, nodes = last[active[0]], -1, 0
            for index in range(size):
                symbol = active[index]
                if first[symbol] > end:
                    left = end - low + 1 if before < 0 else before - low + nodes
                    right = top - end
                    if (left - right if left > right else right - left) > size_ratio * (left + right):
                        self.position, self.threshold, self.left, self.right = end + 1, threshold, left, right
                        return True
                    before, end, nodes = end, last[symbol], count[symbol]
                else:
                    nodes += count[symbol]
                    if last[symbol] > end:
                        end = last[symbol]
        return False

    def _drop_right(self, position: int) -> None:
        """Continue to the left of a position."""
        self._take(position, self.high)
        self.high = position
        order, last, count = self.order.values, self.lasts.values, self.counts.values
        offset, skipped, places = self.offsets.values, self.skipped.values, self.places.values
        kept = 0
        for number in range(self.order_size):
            symbol = order[number]
            if count[symbol] >= self.least:
                last[symbol] = places[offset[symbol] + skipped[symbol] + count[symbol] - 1]
                order[kept] = symbol
                kept += 1
        self.order_size = kept

    def _drop_left(self, position: int) -> None:
        """Continue to the right of a position; symbols on both sides move back in the order."""
        skipped, symbols = self.skipped.values, self.symbols
        for place in range(self.low, position):
            skipped[symbols[place]] += 1
        self._take(self.low, position)
        self.low = position
        order, staying, moved = self.order.values, self.active.values, self.moved.values
        first, count = self.firsts.values, self.counts.values
        offset, places = self.offsets.values, self.places.values
        kept = gone = 0
        for number in range(self.order_size):
            symbol = order[number]
            if count[symbol] >= self.least:
                place = places[offset[symbol] + skipped[symbol]]
                if place != first[symbol]:
                    first[symbol] = moved[gone] = place  # it identifies the symbol
                    gone += 1
                else:
                    staying[kept] = symbol
                    kept += 1
        self.arrays.sort(moved, gone)
        index = other = 0
        for number in range(kept + gone):
            if other == gone or (index < kept and first[staying[index]] < moved[other]):
                order[number] = staying[index]
                index += 1
            else:
                order[number] = symbols[moved[other]]
                other += 1
        self.order_size = kept + gone

    def _take(self, start: int, end: int) -> None:
        """Subtract a part from the frequencies."""
        symbols, count = self.symbols, self.counts.values
        for place in range(start, end):
            symbol = symbols[place]
            count[symbol] -= 1
            if count[symbol] == 1:
                self.once += 1
            elif not count[symbol]:
                self.once -= 1
