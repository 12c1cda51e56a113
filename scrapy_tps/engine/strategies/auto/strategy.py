"""The strategies that are tables of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO, TPS

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection
    from scrapy_tps.engine.strategies.auto.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class TableStrategy:
    """Runs a table.

    :ivar pipeline: the table; with ``AUTO.without(name)`` a strategy without one of its rules.
    :ivar size_ratio: where thresholds are those of the table. Raising it lowers what the rules may remove, and the
        other way round (:mod:`scrapy_tps.engine.strategies.auto.thresholds`).
    """

    size_ratio: float
    pipeline: Pipeline

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return self.pipeline.select(sequence, size_ratio, self.size_ratio)


@dataclass(frozen=True, slots=True)
class AutoStrategy(TableStrategy):
    """Record groups protected; boilerplate, link lists, surroundings and small sides of splits removed.

    :ivar size_ratio: 0.80: the smaller side of a split goes when it holds at most a tenth of the two.
    """

    size_ratio: float = 0.80
    pipeline: Pipeline = AUTO


@dataclass(frozen=True, slots=True)
class AggressiveStrategy(TableStrategy):
    """``auto``, by position on every page; comments below a text and small parts beside it go as well.

    So do fields of records that repeat an earlier one in every record, and parts that say what an earlier one says.

    :ivar size_ratio: 0.80, as in ``auto``.
    """

    size_ratio: float = 0.80
    pipeline: Pipeline = AGGRESSIVE


@dataclass(frozen=True, slots=True)
class TpsStrategy(TableStrategy):
    """The published idea, repaired: several regions, both sides searched, sizes by weight, records protected.

    Roles, class names and elements such as ``nav`` mean nothing here; only the first heading, breadcrumbs
    and pagination stay in any case.

    :ivar size_ratio: 0.80, as in ``auto``.
    """

    size_ratio: float = 0.80
    pipeline: Pipeline = TPS
