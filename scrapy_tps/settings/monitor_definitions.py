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
        "spidermon: the monitor of the reduction fails where the mean reduction of a crawl's pages is lower.",
    ),
    Setting(
        "TPS_MONITOR_MAX_REDUCTION",
        0.95,
        partial(values.number, low=0.0, high=1.0),
        "a number from 0 to 1",
        "spidermon: the monitor of the reduction fails where the mean reduction of a crawl's pages is higher.",
    ),
    Setting(
        "TPS_MONITOR_MAX_EMPTY",
        0.9,
        partial(values.number, low=0.0, high=1.0),
        "a number from 0 to 1",
        "spidermon: share of the pages handed to callbacks that may give no item before the monitor of pages "
        "without items fails.",
    ),
    Setting(
        "TPS_MONITOR_MAX_LOSSES",
        0,
        *values.whole_numbers(0, 1_000_000_000),
        "spidermon: items and requests that the shadow check may find lost or changed, and callbacks failed, "
        "before the monitor of losses fails.",
    ),
    Setting(
        "TPS_MONITOR_MAX_ERRORS",
        0,
        *values.whole_numbers(0, 1_000_000_000),
        "spidermon: pages that may fail to be pruned (outcome ``error``) before the monitor of errors fails.",
    ),
)
