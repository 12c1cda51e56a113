"""All demo sites in one crawl: the other spiders combined."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from demo.spiders.forum import ForumSpider
from demo.spiders.jobs import JobsSpider
from demo.spiders.news import NewsSpider
from demo.spiders.search import SearchSpider
from demo.spiders.shop import ShopSpider

SPIDERS = (ShopSpider, SearchSpider, ForumSpider, NewsSpider, JobsSpider)


class DemoSpider(*SPIDERS):
    """Inherits from all of them, because their callbacks have different names."""

    name = "demo"
    allowed_domains = [domain for spider in SPIDERS for domain in spider.allowed_domains]

    async def start(self) -> AsyncIterator[Any]:
        for spider in SPIDERS:
            async for request in spider.start(self):
                # many processes may start together (demo/redis_settings.py): one of them crawls the first pages
                yield request.replace(dont_filter=False)
