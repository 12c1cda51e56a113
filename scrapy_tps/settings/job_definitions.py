"""The settings of crawls that many processes are part of: see :mod:`scrapy_tps.settings.definitions`."""

from __future__ import annotations

from functools import partial
from typing import Final

from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.setting import Setting

JOB_SETTINGS: Final = (
    Setting(
        "TPS_STORE",
        None,
        partial(values.optional, parse=values.store),
        "a redis://, rediss:// or unix:// URL, or None",
        "Redis (or Valkey, alone or as a cluster) for a distributed crawl: the processes share figures, "
        "settings found by the shadow check, and records seen. Needs the extra ``redis``, and ``TPS_JOB``. "
        "A crawl that cannot reach it at the start does not start; later on it goes on without.",
    ),
    Setting(
        "TPS_JOB",
        None,
        partial(values.optional, parse=values.job),
        "1 to 100 letters, digits and ``. _ : @ + -``, or None",
        "Name of the distributed crawl that this process is part of. Processes with the same ``TPS_STORE`` "
        "and ``TPS_JOB`` add up their figures there. ``TPS_STATS_FILE`` keeps the name with the crawl.",
    ),
    Setting(
        "TPS_STORE_PREFIX",
        "tps",
        values.job,
        "1 to 100 letters, digits and ``. _ : @ + -``",
        "Prefix of all keys in ``TPS_STORE``.",
    ),
    Setting(
        "TPS_STORE_DAYS",
        30.0,
        partial(values.number, low=0.01, high=36_500.0),
        "a number of days, from 0.01 to 36500",
        "How long ``TPS_STORE`` keeps a distributed crawl after its last write.",
    ),
)
