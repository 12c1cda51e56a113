"""The settings of spidermon's monitors: see :mod:`scrapy_tps.settings.definitions`."""

from __future__ import annotations

from functools import partial
from typing import Final

from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.setting import Setting

MONITOR_SETTINGS: Final = (
    Setting(
        "TPS_MONITOR_MIN_REDUCTION",
        0.01,
        partial(values.number, low=0.0, high=1.0),
        "a number from 0 to 1",
        "spidermon: ``ReductionMonitor`` fails if the mean reduction of a crawl's pages is lower.",
    ),
    Setting(
        "TPS_MONITOR_MAX_REDUCTION",
        0.95,
        partial(values.number, low=0.0, high=1.0),
        "a number from 0 to 1",
        "spidermon: ``ReductionMonitor`` fails if the mean reduction of a crawl's pages is higher.",
    ),
    Setting(
        "TPS_MONITOR_MAX_EMPTY",
        0.9,
        partial(values.number, low=0.0, high=1.0),
        "a number from 0 to 1",
        "spidermon: ``EmptyPagesMonitor`` fails if a larger share of the pages that callbacks got gave no "
        "item.",
    ),
    Setting(
        "TPS_MONITOR_MAX_LOSSES",
        0,
        *values.whole_numbers(0, 1_000_000_000),
        "spidermon: ``LossesMonitor`` fails if the shadow check found more items and requests lost or "
        "changed, and callbacks failed.",
    ),
    Setting(
        "TPS_MONITOR_MAX_ERRORS",
        0,
        *values.whole_numbers(0, 1_000_000_000),
        "spidermon: ``ErrorsMonitor`` fails if more pages could not be pruned (outcome ``error``).",
    ),
)
