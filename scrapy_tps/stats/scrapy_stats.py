"""The figures of a crawl, mirrored into Scrapy's stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.aggregation import CrawlFigures
from scrapy_tps.stats.buffer import OTHER_SITES
from scrapy_tps.stats.figures import EXCLUDED, PRUNED, PruningFigures
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
    :param mirrored_sites: the first so many sites get stats of their own under ``tps/site/{site}/``, the
        others share ``tps/site/(other sites)/``; with 0 there are none of sites.
    :param mirrored_queries: the first so many queries get stats of their own under
        ``tps/query/{callback}/{query}/``.
    """

    def __init__(
        self, stats: GuardedStats, *, mirrored_sites: int, mirrored_queries: int = 0, **arguments: Any
    ) -> None:
        super().__init__(guard=stats.guard, **arguments)
        self._mirrored_queries = mirrored_queries
        self._query_names: set[Asker] = set()
        self._stats = stats
        self._mirrored_sites = mirrored_sites
        self._mirrored: set[str] = set()

    def record_page(self, site: str, pruning: PruningFigures, microseconds: int) -> None:
        super().record_page(site, pruning, microseconds)
        prefix = self._prefix(site)
        outcome = pruning.outcome
        counts = {"tps/pages": 1, f"tps/outcome/{outcome}": 1, "tps/microseconds": microseconds}
        if prefix:
            counts[f"{prefix}/pages"] = 1
            if outcome == PRUNED:
                counts[f"{prefix}/pruned"] = 1
        if pruning.excluded_by:
            counts[f"tps/excluded/{pruning.excluded_by.partition('[')[0]}"] = 1
        if outcome != EXCLUDED and pruning.raw_nodes:
            counts["tps/nodes/before"] = pruning.raw_nodes
            counts["tps/nodes/after"] = pruning.kept_nodes
            counts["tps/chars/before"] = pruning.raw_chars
            counts["tps/chars/after"] = pruning.kept_chars
            if prefix:
                counts[f"{prefix}/nodes/before"] = pruning.raw_nodes
                counts[f"{prefix}/nodes/after"] = pruning.kept_nodes
        self._stats.add(counts)

    def record_items(self, site: str, count: int) -> None:
        super().record_items(site, count)
        self._count_both("items", site, count)

    def record_empty_page(self, site: str, *, silent: bool = False, failed: bool = False) -> None:
        super().record_empty_page(site, silent=silent, failed=failed)
        self._count_both("pages_without_items", site)
        if silent:
            self._count_both("pages_without_output", site)
        if failed:
            self._count_both("callback_errors", site)

    def record_links(self, site: str, only_original: int) -> None:
        super().record_links(site, only_original)
        if only_original:
            self._count_both("original_links", site, only_original)

    def record_counts(self, site: str, tally: str, counts: Mapping[str, int]) -> None:
        super().record_counts(site, tally, counts)
        if tally == "asked":
            for name, count in counts.items():
                self._count_both(f"asked/{name}", site, count)

    def record_queries(self, site: str, counts: Sequence[tuple[Asker, PageCounts]]) -> None:
        super().record_queries(site, counts)
        uses = [count for _, count in counts]
        sums = {
            name: sum([getattr(one, name) for one in uses])
            for name in ("asked", "found", "original", "partly")
        }
        self._count_sums("queries", site, sums)
        for asker, one in counts if self._mirrored_queries else ():
            self._count_own(asker, {name: getattr(one, name) for name in sums})

    def record_fields(self, site: str, counts: Sequence[FieldCount]) -> None:
        super().record_fields(site, counts)
        asked = found = 0
        for asker, items, filled, _ in counts:
            if asker.query:  # the items have a stat of their own
                asked += items
                found += filled
                if self._mirrored_queries:
                    self._count_own(asker, {"asked": items, "found": filled})
        self._count_sums("fields", site, {"asked": asked, "found": found})

    def _count_sums(self, kind: str, site: str, sums: dict[str, int]) -> None:
        sums = _with_nothing(sums)
        totals = {f"tps/{kind}/{name}": number for name, number in sums.items()}
        if prefix := self._prefix(site):
            totals |= {f"{prefix}/{kind}/{name}": number for name, number in sums.items()}
        self._stats.add(totals)

    def _count_own(self, asker: Asker, sums: dict[str, int]) -> None:
        if own := self._query_prefix(asker):
            self._stats.add({f"{own}/{name}": number for name, number in _with_nothing(sums).items()})

    def record_alarm(self, site: str, kind: str, count: int = 1) -> None:
        known = len(self.alarmed)
        super().record_alarm(site, kind, count)
        self._count_both(f"alarms/{kind}", site, count)
        if len(self.alarmed) > known:
            self._stats.set_value("tps/sites_with_alarms", len(self.alarmed))

    def _count_both(self, name: str, site: str, count: int = 1) -> None:
        counts = {f"tps/{name}": count}
        if prefix := self._prefix(site):
            counts[f"{prefix}/{name}"] = count
        self._stats.add(counts)

    def _prefix(self, site: str) -> str:
        """What the names of a site's own stats begin with; nothing where sites have none."""
        if not self._mirrored_sites:
            return ""
        if site not in self._mirrored:
            if len(self._mirrored) >= self._mirrored_sites:
                return f"tps/site/{OTHER_SITES}"
            self._mirrored.add(site)
        return f"tps/site/{site}"

    def _query_prefix(self, asker: Asker) -> str:
        """What the names of a query's own stats begin with; nothing where it has none."""
        if asker not in self._query_names:
            if len(self._query_names) >= self._mirrored_queries:
                return ""
            self._query_names.add(asker)
        what = f"field/{asker.callback}/{asker.item}" if asker.item else f"query/{asker.callback}"
        return f"tps/{what}/{asker.query}"


def _with_nothing(sums: dict[str, int]) -> dict[str, int]:
    """Counts by name, with those that found nothing and without zeros."""
    nothing = sums["asked"] - sums["found"] - sums.get("original", 0)
    return {name: number for name, number in (*sums.items(), ("nothing", nothing)) if number}


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
        mirrored_sites=crawl_setting(crawler.settings, "TPS_STATS_SITES"),
        mirrored_queries=crawl_setting(crawler.settings, "TPS_STATS_QUERIES"),
        site_of=site_function(crawl_setting(crawler.settings, "TPS_STATS_SITE")),
        max_sites=crawl_setting(crawler.settings, "TPS_STATS_MAX_SITES"),
    )
