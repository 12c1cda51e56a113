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
        "Redis (or Valkey, alone or as a cluster) that keeps what the processes of one job share: figures, what "
        "sites were healed by, records seen. "
        "Needs the extra ``redis``, and ``TPS_JOB``. A crawl that can't reach it at the start does not start; "
        "later on it goes on without.",
    ),
    Setting(
        "TPS_JOB",
        None,
        partial(values.optional, parse=values.job),
        "1 to 100 letters, digits and ``. _ : @ + -``, or None",
        "The crawl that this process is part of. Processes with the same ``TPS_STORE`` and ``TPS_JOB`` add up "
        "their figures there. In ``TPS_STATS_FILE`` it is kept with the crawl.",
    ),
    Setting(
        "TPS_STORE_PREFIX",
        "tps",
        values.job,
        "1 to 100 letters, digits and ``. _ : @ + -``",
        "What all keys in ``TPS_STORE`` begin with.",
    ),
    Setting(
        "TPS_STORE_DAYS",
        30.0,
        partial(values.number, low=0.01, high=36_500.0),
        "a number of days, from 0.01 to 36500",
        "How long ``TPS_STORE`` keeps a job after its last write.",
    ),
)
