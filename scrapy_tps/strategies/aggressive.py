"""``aggressive``: more noise gone than with ``auto``, at a stated risk for records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from scrapy_tps.strategies.auto import LIMITS as CAREFUL
from scrapy_tps.strategies.auto import prune_by

if TYPE_CHECKING:
    from scrapy_tps.sequence import TagPathSequence
    from scrapy_tps.settings import PageSettings
    from scrapy_tps.strategies import Selection

#: What differs from ``auto``: surroundings may be larger, hold prose, and go on pages with weaker records.
LIMITS: Final = replace(
    CAREFUL,
    dominance=0.25,
    surrounding=0.2,
    surrounding_total=0.6,
    surrounding_prose=1.0,
    guarded=0.15,
)


@dataclass(frozen=True, slots=True)
class AggressiveStrategy:
    """Like ``auto`` with wider limits.

    :ivar size_ratio: 0.60: the smaller side of a split goes when it holds at most a fifth of the two.
    """

    size_ratio: float = 0.60

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return prune_by(sequence, LIMITS, size_ratio, self.size_ratio, aggressive=True)
