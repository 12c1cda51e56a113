"""The figures of a crawl, mirrored into Scrapy's stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.crawlfigures import OTHER_SITES, CrawlFigures
from scrapy_tps.figures import EXCLUDED, PRUNED, PruningFigures
from scrapy_tps.settings import crawl_setting
from scrapy_tps.sites import site_function

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector


#: Sites with alarms are told apart, and counted, up to this number: memory stays bounded.
MOST_ALARMED = 10_000


class MirroredFigures(CrawlFigures):
    """Counts into Scrapy's stats as well, under ``tps/``.

    :param stats: the collector to count into.
    :param mirrored_sites: the first so many sites get stats of their own under ``tps/site/{site}/``, the
        others share ``tps/site/(other sites)/``.
    """

    def __init__(self, stats: StatsCollector, *, mirrored_sites: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._stats = stats
        self._mirrored_sites = mirrored_sites
        self._mirrored: set[str] = set()
        self._alarmed: set[str] = set()

    def record_page(self, site: str, pruning: PruningFigures, seconds: float) -> None:
        super().record_page(site, pruning, seconds)
        count = self._stats.inc_value
        prefix = self._prefix(site)
        outcome = pruning.outcome
        count("tps/pages")
        count(f"tps/outcome/{outcome}")
        count("tps/seconds", seconds, 0.0)  # type: ignore[arg-type]  # Scrapy's own stats hold floats, too
        count(f"{prefix}/pages")
        if outcome == PRUNED:
            count(f"{prefix}/pruned")
        if pruning.excluded_by:
            count(f"tps/excluded/{pruning.excluded_by.partition('[')[0]}")
        if outcome == EXCLUDED or not pruning.raw_nodes:
            return
        count("tps/nodes/before", pruning.raw_nodes)
        count("tps/nodes/after", pruning.kept_nodes)
        count("tps/chars/before", pruning.raw_chars)
        count("tps/chars/after", pruning.kept_chars)
        count(f"{prefix}/nodes/before", pruning.raw_nodes)
        count(f"{prefix}/nodes/after", pruning.kept_nodes)

    def record_items(self, site: str, count: int) -> None:
        super().record_items(site, count)
        self._count_both("items", site, count)

    def record_empty_page(self, site: str) -> None:
        super().record_empty_page(site)
        self._count_both("pages_without_items", site)

    def record_parsed(self, site: str, items: int, *, pruned: bool) -> None:
        super().record_parsed(site, items, pruned=pruned)
        name = "pruned" if pruned else "whole"
        self._count_both(f"drift/{name}/pages", site)
        if items:
            self._count_both(f"drift/{name}/items", site, items)

    def record_links(self, site: str, only_original: int) -> None:
        super().record_links(site, only_original)
        if only_original:
            self._count_both("original_links", site, only_original)

    def record_alarm(self, site: str, kind: str, count: int = 1) -> None:
        super().record_alarm(site, kind, count)
        self._count_both(f"alarms/{kind}", site, count)
        if site not in self._alarmed and len(self._alarmed) < MOST_ALARMED:
            self._alarmed.add(site)
            self._stats.set_value("tps/sites_with_alarms", len(self._alarmed))

    def _count_both(self, name: str, site: str, count: int = 1) -> None:
        self._stats.inc_value(f"tps/{name}", count)
        self._stats.inc_value(f"{self._prefix(site)}/{name}", count)

    def _prefix(self, site: str) -> str:
        if site not in self._mirrored:
            if len(self._mirrored) >= self._mirrored_sites:
                return f"tps/site/{OTHER_SITES}"
            self._mirrored.add(site)
        return f"tps/site/{site}"


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
        stats,
        mirrored_sites=crawl_setting(crawler.settings, "TPS_STATS_SITES"),
        site_of=site_function(crawl_setting(crawler.settings, "TPS_STATS_SITE")),
        max_sites=crawl_setting(crawler.settings, "TPS_STATS_MAX_SITES"),
    )
