"""Crawls of callbacks that read the text of pages, with pruning and without."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.support.crawling import crawl
from tests.support.text_sites import RandomSite

Serve = Callable[[RandomSite], str]

SETTINGS: dict[str, Any] = {"TPS_STRATEGY": "auto", "TPS_COMPARE": True, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}


def items(spider: type[Any], url: str, **settings: Any) -> tuple[list[str], dict[str, Any]]:
    """The items in order, as text, and Scrapy's stats."""
    crawled = crawl(spider, SETTINGS | settings, url=url)
    return sorted(
        json.dumps(dict(item), sort_keys=True, default=str) for item in crawled.items
    ), crawled.stats


def same(spider: type[Any], url: str, **settings: Any) -> dict[str, Any]:
    """Check that a crawl gives what one without pruning does; return its stats."""
    expected, _ = items(spider, url, **settings | {"TPS_ENABLED": False})
    found, stats = items(spider, url, **settings)
    assert found == expected
    assert stats["tps/outcome/pruned"] > 1
    return stats
