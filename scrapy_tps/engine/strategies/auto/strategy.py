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

    :ivar pipeline: the table; ``AUTO.without(name)`` makes a strategy without one of its rules.
    :ivar size_ratio: the ratio at which thresholds are those of the table. A higher one lets the rules remove less, a
        lower one more (:mod:`scrapy_tps.engine.strategies.auto.thresholds`).
    """

    size_ratio: float
    pipeline: Pipeline

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return self.pipeline.select(sequence, size_ratio, self.size_ratio)


@dataclass(frozen=True, slots=True)
class AutoStrategy(TableStrategy):
    """Protects record groups; removes boilerplate, link lists, surroundings and small sides of splits.

    :ivar size_ratio: 0.80: the smaller side of a split is removed if it holds at most a tenth of both.
    """

    size_ratio: float = 0.80
    pipeline: Pipeline = AUTO


@dataclass(frozen=True, slots=True)
class AggressiveStrategy(TableStrategy):
    """``auto`` with rules of position on every page; it also removes comments below a text and small parts next to it.

    :ivar size_ratio: 0.80, as in ``auto``.
    """

    size_ratio: float = 0.80
    pipeline: Pipeline = AGGRESSIVE


@dataclass(frozen=True, slots=True)
class TpsStrategy(TableStrategy):
    """The published idea, improved: several regions, search on both sides, sizes by weight, protected records.

    Roles, class names and elements such as ``nav`` are ignored; only the first heading, breadcrumbs and pagination
    always stay.

    :ivar size_ratio: 0.80, as in ``auto``.
    """

    size_ratio: float = 0.80
    pipeline: Pipeline = TPS
