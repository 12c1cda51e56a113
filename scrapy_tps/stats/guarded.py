"""Scrapy's stats, guarded: a collector that fails costs its figures and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy.statscollectors import StatsCollector

from scrapy_tps.stats.figures import OTHER
from scrapy_tps.stats.guard import STATS, Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.crawler import Crawler

#: The methods that Scrapy, its extensions and spiders count with.
METHODS: Final = (
    "get_value",
    "get_stats",
    "set_value",
    "set_stats",
    "inc_value",
    "max_value",
    "min_value",
    "clear_stats",
)


#: Counts that Scrapy's stats do not have: their names come from pages, or they say little of a whole crawl.
UNMIRRORED: Final = ("bare/", "errors/", "pruned_", "reduction", "refused/", "strategy/", "whole_")

#: Different names that Scrapy's stats get. A crawl has some forty; custom strategies and alarms may make names up.
MOST_MIRRORED: Final = 200


class GuardedStats:
    """The methods of a stats collector, none of which raises.

    While the collector fails, ``get_value`` returns the default and ``get_stats`` an empty dict. Scrapy's own
    methods, which work in memory, are taken over without a call in between: they are called twenty times a page.
    """

    def __init__(self, stats: StatsCollector, guard: Guard) -> None:
        self.guard = guard
        """Owns what fails here, and may own what else the caller does beside the crawl."""
        own = {name: getattr(type(stats), name, None) is getattr(StatsCollector, name) for name in METHODS}
        # Scrapy looks up and wraps each method at each call: a tenth of a millisecond for the twenty stats of a page
        self._by_scrapy = own["inc_value"] and own["get_stats"]
        self._keys: dict[str, str] = {}
        self._get_stats: Callable[[], dict[str, Any]] = stats.get_stats
        self.methods: dict[str, Callable[..., Any]] = {
            name: getattr(stats, name) if own[name] else self._guarded(name, getattr(stats, name))
            for name in METHODS
        }
        """The collector's methods by name, guarded where they are not Scrapy's own."""
        self.get_value = self.methods["get_value"]
        self.set_value = self._guarded("set_value", stats.set_value)
        self.inc_value = self._guarded("inc_value", stats.inc_value)

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts of a site to the stats ``tps/{name}``, but those of :data:`UNMIRRORED`."""
        with self.guard(STATS):
            stats = self._get_stats() if self._by_scrapy else None
            for name, number in counts.items():
                key = self._keys.get(name) or self._key(name)
                if not key or not number:
                    continue
                if stats is None:
                    self.inc_value(key, number)
                else:
                    stats[key] = stats.get(key, 0) + number

    def _key(self, name: str) -> str:
        if name.startswith(UNMIRRORED):
            return ""
        if len(self._keys) >= MOST_MIRRORED:
            return f"tps/{name.partition('/')[0]}/{OTHER}"
        key = self._keys[name] = f"tps/{name}"
        return key

    def _guarded(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        failed = self.guard.failed

        def guarded(*args: Any, **kwargs: Any) -> Any:
            try:
                return method(*args, **kwargs)
            except Exception as error:  # collectors raise what their servers' libraries raise
                failed(STATS, error)
            if name == "get_value":
                return args[1] if len(args) > 1 else kwargs.get("default")
            return {} if name == "get_stats" else None

        return guarded


def guard_of(crawler: Crawler) -> Guard:
    """Return the guard of a crawl: its stats collector's, or a new one where that is not scrapy-tps' own."""
    guard = getattr(crawler.stats, "guard", None)
    return guard if isinstance(guard, Guard) else Guard(crawler)


def stats_of(crawler: Crawler) -> GuardedStats:
    """Return the stats of a crawl, guarded; ask once, and keep it."""
    assert crawler.stats is not None
    return GuardedStats(crawler.stats, guard_of(crawler))
