"""``aggressive``: more noise gone than with ``auto``, at a stated risk for records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy_tps.hints import READ
from scrapy_tps.strategies.auto import LIMITS as CAREFUL
from scrapy_tps.strategies.auto import prune_by

if TYPE_CHECKING:
    from scrapy_tps.sequence import TagPathSequence
    from scrapy_tps.settings import PageSettings
    from scrapy_tps.strategies import Selection

#: What differs from ``auto``: only the best record group is protected, and it need not be as large a part of
#: the page for what surrounds it to go. Measured in docs/auto.md.
LIMITS: Final = replace(CAREFUL, guarded=0.9, dominance=0.3, outside_prose=1.0, side_prose=inf, titled=inf)


@dataclass(frozen=True, slots=True)
class AggressiveStrategy:
    """``auto`` with wider limits; comments below a text and small parts beside it go as well.

    So do fields of records that repeat an earlier one in every record, and parts that say what an earlier one says.

    :ivar reads: the attributes that it asks for, besides ``class`` and ``style``.
    :ivar size_ratio: 0.20, as published: the smaller side of a split goes when it holds at most two fifths
        of the two, and none of the best record group.
    """

    size_ratio: float = 0.20
    reads: ClassVar[frozenset[str]] = READ

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return prune_by(sequence, LIMITS, size_ratio, self.size_ratio, aggressive=True)
