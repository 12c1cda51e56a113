"""The figures of a crawl, mirrored into Scrapy's stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.aggregation import CrawlFigures
from scrapy_tps.stats.figures import EXCLUDED, PruningFigures
from scrapy_tps.stats.guarded import GuardedStats, guard_of
from scrapy_tps.stats.site_names import site_function

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy.crawler import Crawler

    from scrapy_tps.stats.fields import FieldCount
    from scrapy_tps.stats.queries import Asker, PageCounts


class MirroredFigures(CrawlFigures):
    """Counts into Scrapy's stats as well, under ``tps/``, whole numbers only.

    :param stats: the stats to count into.
    """

    def __init__(self, stats: GuardedStats, **arguments: Any) -> None:
        super().__init__(guard=stats.guard, **arguments)
        self._stats = stats

    def record_page(self, site: str, pruning: PruningFigures, microseconds: int) -> None:
        super().record_page(site, pruning, microseconds)
        outcome = pruning.outcome
        counts = {"tps/pages": 1, f"tps/outcome/{outcome}": 1, "tps/microseconds": microseconds}
        if pruning.excluded_by:
            counts[f"tps/excluded/{pruning.excluded_by.partition('[')[0]}"] = 1
        if outcome != EXCLUDED and pruning.raw_nodes:
            counts["tps/nodes/before"] = pruning.raw_nodes
            counts["tps/nodes/after"] = pruning.kept_nodes
            counts["tps/chars/before"] = pruning.raw_chars
            counts["tps/chars/after"] = pruning.kept_chars
        self._stats.add(counts)

    def record_items(self, site: str, count: int) -> None:
        super().record_items(site, count)
        self._stats.add({"tps/items": count})

    def record_empty_page(self, site: str, *, silent: bool = False, failed: bool = False) -> None:
        super().record_empty_page(site, silent=silent, failed=failed)
        counts = {"tps/pages_without_items": 1}
        if silent:
            counts["tps/pages_without_output"] = 1
        if failed:
            counts["tps/callback_errors"] = 1
        self._stats.add(counts)

    def record_links(self, site: str, only_original: int) -> None:
        super().record_links(site, only_original)
        if only_original:
            self._stats.add({"tps/original_links": only_original})

    def record_counts(self, site: str, tally: str, counts: Mapping[str, int]) -> None:
        super().record_counts(site, tally, counts)
        if tally == "asked":
            self._stats.add({f"tps/asked/{name}": count for name, count in counts.items()})

    def record_queries(self, site: str, counts: Sequence[tuple[Asker, PageCounts]]) -> None:
        super().record_queries(site, counts)
        uses = [count for _, count in counts]
        sums = {
            name: sum([getattr(one, name) for one in uses])
            for name in ("asked", "found", "original", "partly")
        }
        self._stats.add(_totals("queries", sums))

    def record_fields(self, site: str, counts: Sequence[FieldCount]) -> None:
        super().record_fields(site, counts)
        asked = found = 0
        for asker, items, filled, _ in counts:
            if asker.query:  # the items have a stat of their own
                asked += items
                found += filled
        self._stats.add(_totals("fields", {"asked": asked, "found": found}))

    def record_alarm(self, site: str, kind: str, count: int = 1) -> None:
        known = len(self.alarmed)
        super().record_alarm(site, kind, count)
        self._stats.add({f"tps/alarms/{kind}": count})
        if len(self.alarmed) > known:
            self._stats.set_value("tps/sites_with_alarms", len(self.alarmed))


def _totals(kind: str, sums: dict[str, int]) -> dict[str, int]:
    """Stats of these counts, with those that found nothing and without zeros."""
    nothing = sums["asked"] - sums["found"] - sums.get("original", 0)
    return {f"tps/{kind}/{name}": number for name, number in (*sums.items(), ("nothing", nothing)) if number}


def figures_of(crawler: Crawler) -> CrawlFigures:
    """Return what counts the pages of a crawl.

    The figures of :class:`~scrapy_tps.statscollectors.TpsStatsCollector` where that is the crawl's stats
    collector; else figures that are mirrored into the stats there are, and not kept on disk.
    """
    stats = crawler.stats
    assert stats is not None
    figures = getattr(stats, "sites", None)
    if isinstance(figures, CrawlFigures):
        return figures
    return MirroredFigures(
        GuardedStats(stats, guard_of(crawler)),
        site_of=site_function(crawl_setting(crawler.settings, "TPS_STATS_SITE")),
    )
