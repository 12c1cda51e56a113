"""The region search of Velloso & Dorneles, over :class:`~scrapy_tps.engine.loops.search.RegionSearch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_tps.engine.arrays import Arrays
from scrapy_tps.engine.loops.search import RegionSearch

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
    search = RegionSearch(Arrays(), list(symbols), max(symbols, default=-1) + 1, inclusive)
    return run(search, size_ratio, visits_per_node)


def run(search: RegionSearch, size_ratio: float, visits_per_node: int) -> tuple[int, int, list[Split]]:
    """Run a search, compiled or not, and return what :func:`search_region` does."""
    splits = search.run(size_ratio, visits_per_node)
    return search.low, search.high, list(map(Split._make, splits))
