"""The figures of a running crawl: all sites, in bounded memory, on their way to the store."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy import signals

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.coverage import UseRow, kept_text
from scrapy_tps.stats.database import HASTE, LAST_PATIENCE
from scrapy_tps.stats.error_isolation import DISTRIBUTED, FIGURES, STATS, STORE, Guard
from scrapy_tps.stats.evidence import Earlier
from scrapy_tps.stats.figures import SiteBuffer, SiteFigures, SiteOf, host_site, site_function
from scrapy_tps.stats.store import FiguresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from scrapy_tps.proposals.crawl import CrawlMemory
    from scrapy_tps.proposals.proposal import Proposals
    from scrapy_tps.sharing.member import CrawlMember
    from scrapy_tps.stats.coverage import PageUse, UseKey

_T = TypeVar("_T")

#: The number of sites written when memory is full. The crawl is blocked meanwhile: with 200,000 sites in the file, 100
#: took 8 ms (median), 1,000 took 141 ms, without saving time per site.
WRITTEN_AT_ONCE = 100

#: Counts that Scrapy's stats do not have: their names come from pages, or they are of little use for a whole crawl.
UNMIRRORED: Final = (
    "whole_page/",
    "sparse/",
    "errors/",
    "garbled/",
    "pruned_",
    "redirected/",
    "reduction",
    "refused/",
    "strategy/",
    "whole_",
)


class CrawlFigures:
    """Counts the pages of each site. Counting never raises (:mod:`scrapy_tps.stats.error_isolation`).

    Memory holds the figures that the store does not have yet. At most `max_sites` sites are held: for another one, the
    least recently used ones are written. Without a store, or while it cannot be written, the least recently used sites
    are added up under ``(other sites)`` instead, so that memory is always bounded and no page is missing from the
    totals.

    If others have locked the file, a crawl waits half a second (:data:`~scrapy_tps.stats.database.HASTE`) once. From
    then on only :meth:`flush` tries, without waiting, until it works again; :meth:`finish` waits
    :data:`~scrapy_tps.stats.database.LAST_PATIENCE` seconds.

    :param stats: Scrapy's stats, which :meth:`mirror` brings up to date; None outside a crawl. If the collector raises,
        that costs these counts and nothing else.
    :param guard: handles the failures of the crawl's counting.
    :param site_of: the site of a URL, for callers that have only that.
    :param max_sites: sites held in memory, 1 or more.
    """

    def __init__(
        self,
        stats: StatsCollector | None = None,
        guard: Guard | None = None,
        *,
        site_of: SiteOf = host_site,
        max_sites: int = 2000,
    ) -> None:
        self.guard = Guard() if guard is None else guard
        self.site_of = site_of
        self.max_sites = max_sites
        self.started = datetime.now(timezone.utc)
        self.store_errors = 0
        """The number of failed writes. Their figures were kept and are written with the next one."""
        self.crawl: int | None = None
        """Number of the crawl in the store, or None without a store."""
        self.shared: CrawlMember | None = None
        """The member of the distributed crawl, if the crawl is part of one."""
        self.memory: CrawlMemory | None = None
        """What is remembered of the spider's selectors; None if nothing is (``TPS_REMEMBER_VALUES``)."""
        self._stats = stats
        self._mirrored: dict[str, int] = {}
        self._proposals: Proposals = {}
        self._pending = SiteBuffer(max_sites)
        self._written = SiteFigures()  # the sum of the figures in the store
        self._store: FiguresStore | None = None
        self._path: Path | None = None
        self._spider = ""
        self._about: dict[str, Any] = {}
        self._patience = HASTE  # seconds to wait for other programs: none if the last write failed
        self._unread = False

    def open_store(self, path: str | Path, spider: str, **about: Any) -> None:
        """Write to the store at `path`, as a crawl of `spider`, which :meth:`FiguresStore.begin_crawl` enters.

        If the store cannot be opened, this is logged, and the crawl goes on without it until a :meth:`flush` or
        :meth:`finish` can open it.
        """
        self._path, self._spider, self._about = Path(path), spider, about
        self._opened()

    @property
    def total(self) -> SiteFigures:
        """The whole crawl so far, without selectors and fields."""
        total = SiteFigures(self._written)
        for figures in self._pending.values():
            total.add(figures)
        return total

    def add(
        self,
        site: str,
        counts: Mapping[str, int],
        uses: Sequence[PageUse] = (),
        unexpected: Collection[UseKey] = (),
    ) -> None:
        """Add to counts of `site` by name (see :mod:`scrapy_tps.stats.figures`), and to those of the selectors and
        fields of one of its pages.

        :param unexpected: as for :meth:`~scrapy_tps.stats.coverage.Uses.add_page`.
        """
        try:  # a context manager costs more than most of these counts
            here = self._pending.recall(site)
            if here is None:
                # while the store fails, only the interval tries again, instead of each new site
                if self._pending.full and self._patience:
                    self._write(WRITTEN_AT_ONCE)
                here = self._pending.of(site)
            everywhere = (here,) if self.shared is None else (here, self.shared.of(site))
            if uses:
                now = int(time.time())
                for figures in everywhere:
                    figures.uses.add_page(uses, now, unexpected)
            for figures in everywhere:
                figures.add(counts)
        except Exception as error:  # an error in the figures must not cost a page
            self.guard.failed(FIGURES, error)

    def record_alarm(self, site: str, kind: str, count: int = 1) -> None:
        """Count `count` alarms of that kind."""
        with self.guard(FIGURES):
            self.add(site, {f"alarms/{kept_text(kind)}": int(count)})

    def flush(self) -> bool:
        """Write everything that the store lacks, in one transaction, and mirror it; return whether writing worked.

        Figures that the distributed crawl lacks are handed over, and sent while the crawl goes on.
        """
        if self.shared is not None:
            with self.guard(DISTRIBUTED):
                self.shared.flush()
        written = self._write()
        self.mirror()
        return written

    def mirror(self) -> None:
        """Bring Scrapy's stats ``tps/{name}`` up to the counts, except those of :data:`UNMIRRORED`.

        They are added to, because the collectors of several processes may share a server.
        """
        if self._stats is None:
            return
        with self.guard(STATS):
            for name, number in self.total.items():
                if not name.startswith(UNMIRRORED) and number != self._mirrored.get(name, 0):
                    self._stats.inc_value(f"tps/{name}", number - self._mirrored.get(name, 0))
                    self._mirrored[name] = number

    def add_stat(self, key: str, number: int = 1) -> None:
        """Add to one of Scrapy's stats."""
        if self._stats is not None:
            with self.guard(STATS):
                self._stats.inc_value(key, number)

    def set_stat(self, key: str, value: Any) -> None:
        """Set one of Scrapy's stats."""
        if self._stats is not None:
            with self.guard(STATS):
                self._stats.set_value(key, value)

    def finish(self, reason: str) -> None:
        """Write the last figures and the end of the crawl. It may be called again after further counts."""
        self._patience = LAST_PATIENCE
        self._write(reason=reason)
        self.mirror()

    def close(self) -> None:
        """Close the store; call :meth:`finish` first. Later counts stay in memory."""
        store, self._store, self._path = self._store, None, None
        if store is not None:
            with self.guard(STORE):
                store.close()

    def keep(self, site: str, selectors: Sequence[str]) -> None:
        """Remember a selector kept on a site for later crawls of the spider."""
        if self._store is not None:
            with self._writing(self._store):
                self._store.keep(self._spider, site, selectors)

    def kept(self) -> list[tuple[str, str]]:
        """Return the selectors from earlier crawls of the spider, each with its site."""
        return list(self._stored(lambda store, _: store.kept(self._spider)))

    def propose(self, proposals: Proposals) -> None:
        """Write proposals for selectors that find nothing any more."""
        self._proposals = proposals
        if self.shared is not None and self.memory is not None:
            self.shared.remember(self.memory.entries(), proposals)
        if self._store is not None and self.crawl is not None and proposals:
            with self._writing(self._store):
                self._store.propose(self.crawl, proposals)

    def sites(self, *, limit: int | None = None) -> Iterator[tuple[str, SiteFigures]]:
        """Yield the sites with their figures so far, most pages first; those in memory if the store cannot be used.

        :param limit: at most so many.
        """
        if self._write():
            return self._stored(lambda store, crawl: store.sites(crawl, limit=limit))
        in_order = sorted(self._pending.items(), key=lambda pair: (-pair[1]["pages"], pair[0]))
        return islice(in_order, limit)

    def uses(self) -> Iterator[UseRow]:
        """Yield the selectors and fields of each site so far, those first that found nothing on most pages; those in
        memory if the store cannot be used.
        """
        if self._write():
            return self._stored(lambda store, crawl: store.uses(crawl))
        rows = (row for site, figures in self._pending.items() for row in figures.uses.rows(site))
        return iter(sorted(rows, key=UseRow.order))

    def earlier(self) -> Earlier:
        """Return the selectors and fields that found more in earlier crawls of the spider; none without a store."""
        found = next(self._stored(lambda store, crawl: [store.earlier(crawl)]), Earlier())
        return replace(found, proposals=self._proposals)

    @property
    def incomplete(self) -> bool:
        """Whether the store lacks figures of this crawl, or can't be read."""
        return self.store_errors > 0 and (bool(self._pending) or not self._patience or self._unread)

    def _stored(self, read: Callable[[FiguresStore, int], Iterable[_T]]) -> Iterator[_T]:
        """Yield entries from the store, incomplete if it fails; nothing without one."""
        if self._store is None or self.crawl is None or not self._patience:
            return
        try:
            yield from read(self._store, self.crawl)
        except Exception as error:  # an error in the figures must not cost a report
            self._unread = True
            self._failed(error)

    def _opened(self) -> FiguresStore | None:
        """Try to open the store and enter the crawl; return the store if both are done."""
        if self._path is None or self._store is not None:
            return self._store
        store = None
        try:
            store = FiguresStore(self._path, patience=self._patience)
            self.crawl = store.begin_crawl(self._spider, started=self.started, **self._about)
        except Exception as error:  # an error in the figures must not cost a crawl
            if store is not None:
                with self.guard(STORE):
                    store.close()
            self._patience = 0.0
            self._failed(error)
            return None
        self._store, self._patience = store, HASTE
        if self.memory is not None:
            self.memory.load(self._stored(lambda store, _: store.remembered(self._spider)))
        return store

    def _write(self, count: int | None = None, reason: str | None = None) -> bool:
        """Write the `count` least recently used sites (default: all) and forget them, and the end of the crawl if there
        is a reason; return whether that worked.
        """
        store = self._opened()
        if store is None:
            return False
        oldest = dict(islice(self._pending.items(), count))
        with self._writing(store):
            assert self.crawl is not None
            store.add(self.crawl, oldest, reason)
            for site in oldest:
                self._written.add(self._pending.pop(site))
            if self.memory is not None and reason is not None:
                store.remember(self.crawl, self.memory.entries())
        return self._patience > 0

    @contextmanager
    def _writing(self, store: FiguresStore) -> Iterator[None]:
        try:
            store.wait(self._patience)
            yield
        except Exception as error:  # an error in the figures must not cost a page: unwritten figures are kept
            self._patience = 0.0
            self._failed(error)
        else:
            self._patience = HASTE

    def _failed(self, error: Exception) -> None:
        self.store_errors += 1
        self.guard.failed(STORE, error)


def new_figures(crawler: Crawler, stats: StatsCollector) -> CrawlFigures:
    """Return figures of a crawl that also count in a stats collector."""
    site_of = site_function(crawl_setting(crawler.settings, "TPS_STATS_SITE"))
    figures = CrawlFigures(stats, Guard(crawler), site_of=site_of)
    # before the handlers that read the stats
    crawler.signals.connect(figures.mirror, signal=signals.spider_closed)
    return figures


def figures_of(crawler: Crawler) -> CrawlFigures:
    """Return the figures of a crawl, ``crawler.stats.sites``; a collector that has none gets them."""
    stats: Any = crawler.stats
    figures = getattr(stats, "sites", None)
    if not isinstance(figures, CrawlFigures):
        figures = stats.sites = new_figures(crawler, stats)
    return figures
