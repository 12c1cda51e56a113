"""The same project for many processes that crawl together, on one machine or several.

Run ``SCRAPY_PROJECT=redis scrapy crawl demo`` once per process. Needs a Redis, and
``pip install 'scrapy-tps[redis]' scrapy-redis``.
"""

import os

from demo.settings import *  # noqa: F403

REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379/0")

# scrapy-redis: one queue, one duplicate filter, one list of items.
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
ITEM_PIPELINES = {"scrapy_redis.pipelines.RedisPipeline": 300}
# Without this, the first process to end empties the queue of all others.
SCHEDULER_PERSIST = True

# scrapy-tps: one distributed crawl, whose processes add up their figures.
TPS_STORE = REDIS_URL
TPS_DISTRIBUTED_CRAWL = os.environ.get("TPS_DISTRIBUTED_CRAWL", "demo")

# A process ends after finding the queue empty for so many seconds.
EXTENSIONS = EXTENSIONS | {"demo.extensions.WaitForOthers": 0}  # noqa: F405
WAIT_FOR_OTHERS = 10
