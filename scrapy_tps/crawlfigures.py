"""The figures of a running crawl: all sites, in bounded memory, on their way to the store."""

from __future__ import annotations

import logging
from collections import OrderedDict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_tps.database import HASTE, StoreError
from scrapy_tps.doubts import doubts
from scrapy_tps.figures import PruningFigures, SiteFigures
from scrapy_tps.sites import SiteOf, host_site
from scrapy_tps.store import FiguresStore

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

#: Sites written when memory is full. The crawl stands still meanwhile: with 200,000 sites in the file, 100 took 8 ms
#: (median), 1,000 took 141 ms, for no less time a site.
WRITTEN_AT_ONCE = 100

#: Where figures go that can neither be written nor kept apart.
OTHER_SITES = "(other sites)"


class CrawlFigures:
    """Counts what happens to the pages of each site.

    Memory holds what the store has not got yet. At most `max_sites` sites are held: when one more comes, the
    least recently used ones are written. Without a store, or while it cannot be written, the least recently
    used sites are added up under ``(other sites)`` instead, so that memory stays bounded in any case and no
    page is lost from the totals.

    :param site_of: the site of a URL, for callers that have only that.
    :param max_sites: sites held in memory, 1 or more.
    """

    def __init__(self, *, site_of: SiteOf = host_site, max_sites: int = 2000) -> None:
        self.site_of = site_of
        self.max_sites = max_sites
        self.total = SiteFigures()
        """The whole crawl so far."""
        self.store_errors = 0
        """Writes that failed. Their figures were kept and are written with the next."""
        self.crawl: int | None = None
        """Number of the crawl in the store, or None without a store."""
        self._pending: OrderedDict[str, SiteFigures] = OrderedDict()
        self._store: FiguresStore | None = None
        self._path: Path | None = None
        self._store_failing = False

    def open_store(self, path: str | Path, spider: str) -> None:
        """Write to the store at `path` from now on, as a crawl of `spider` that starts now.

        A store that cannot be opened is logged and done without: figures are no reason to stop a crawl.
        """
        store = None
        try:
            store = FiguresStore(path)
            self.crawl = store.begin_crawl(spider)
        except StoreError as error:
            if store is not None:
                store.close()
            self.store_errors += 1
            logger.error("The per-site figures of this crawl will not be kept: %s", error)
        else:
            self._store = store
            self._path = Path(path)

    def record_page(self, site: str, pruning: PruningFigures, seconds: float) -> None:
        """Count a page of `site`, how it was pruned and the time that took."""
        self._site(site).add_page(pruning, seconds)
        self.total.add_page(pruning, seconds)

    def record_items(self, site: str, count: int) -> None:
        """Count items scraped from pages of `site`."""
        self._site(site).items += count
        self.total.items += count

    def record_empty_page(self, site: str, *, silent: bool = False, failed: bool = False) -> None:
        """Count a page of `site` that gave no item.

        :param silent: whether it gave no request, either.
        :param failed: whether its callback raised an exception.
        """
        for figures in (self._site(site), self.total):
            figures.empty_pages += 1
            figures.silent_pages += silent
            figures.failed_pages += failed

    def record_parsed(self, site: str, items: int, *, pruned: bool) -> None:
        """Count a page of `site` whose callback has ended, and the items it gave."""
        for figures in (self._site(site), self.total):
            if pruned:
                figures.pruned_pages += 1
                figures.pruned_items += items
            else:
                figures.whole_pages += 1
                figures.whole_items += items

    def record_links(self, site: str, only_original: int) -> None:
        """Count links of a page of `site` that only the original page has."""
        self._site(site).original_links += only_original
        self.total.original_links += only_original

    def record_alarm(self, site: str, kind: str, count: int = 1) -> None:
        """Count `count` alarms of that kind."""
        self._site(site).add_alarm(kind, count)
        self.total.add_alarm(kind, count)

    def flush(self, *, patience: float = HASTE) -> bool:
        """Write everything the store has not got, in one transaction; return whether that worked.

        :param patience: seconds to wait for other writers; by default so few that the crawl hardly notices.
        """
        written = self._write(len(self._pending), patience)
        self._store_failing = self._store is not None and not written
        return written

    def finish(self, reason: str) -> None:
        """Write the last figures and that the crawl ends now. May be called again when more was counted."""
        if self._store is None or self.crawl is None:
            return
        try:
            self._store.finish_crawl(self.crawl, reason, self._pending)
        except StoreError as error:
            self._failed(error)
        else:
            self._pending.clear()

    def close(self) -> None:
        """Close the store; :meth:`finish` first. What is counted afterwards stays in memory."""
        if self._store is None:
            return
        store, self._store = self._store, None
        store.close()

    def sites(self, *, limit: int | None = None, doubtful: bool = False) -> Iterator[tuple[str, SiteFigures]]:
        """Sites with their figures so far, most pages first.

        :param limit: at most so many.
        :param doubtful: only those that look wrong.
        """
        if self._path is not None and self.crawl is not None and (self._store is None or self.flush()):
            try:
                yield from self._stored_sites(limit, doubtful)
            except StoreError as error:
                self._failed(error)
            return
        chosen = (pair for pair in self._pending.items() if not doubtful or doubts(pair[1]))
        yield from islice(sorted(chosen, key=lambda pair: (-pair[1].pages, pair[0])), limit)

    def site_count(self) -> int:
        """How many sites :meth:`sites` has without a limit; 0 when the store cannot be read."""
        if self._store is None or self.crawl is None or not self.flush():
            return len(self._pending)
        try:
            return self._store.site_count(self.crawl)
        except StoreError as error:
            self._failed(error)
            return 0

    @property
    def incomplete(self) -> bool:
        """Whether the store could not be written and lacks figures of this crawl."""
        return self.store_errors > 0 and bool(self._pending)

    def _stored_sites(self, limit: int | None, doubtful: bool) -> Iterator[tuple[str, SiteFigures]]:
        assert self._path is not None
        store = self._store or FiguresStore(self._path, create=False)
        try:
            yield from store.sites(self.crawl, limit=limit, doubtful=doubtful)
        finally:
            if store is not self._store:
                store.close()

    def _site(self, site: str) -> SiteFigures:
        figures = self._pending.get(site)
        if figures is not None:
            self._pending.move_to_end(site)
            return figures
        if len(self._pending) >= self.max_sites:
            self._make_room()
        figures = self._pending[site] = SiteFigures()
        return figures

    def _make_room(self) -> None:
        # While the store fails only the interval tries again: waiting at every new site would stall it all.
        if not self._store_failing and self._write(WRITTEN_AT_ONCE):
            return
        self._store_failing = self._store is not None
        other = self._pending.pop(OTHER_SITES, SiteFigures())
        while len(self._pending) > max(self.max_sites - 2, 0):
            _, figures = self._pending.popitem(last=False)
            other.merge(figures)
        self._pending[OTHER_SITES] = other

    def _write(self, count: int, patience: float = HASTE) -> bool:
        """Write the `count` least recently used sites and forget them."""
        if self._store is None or self.crawl is None:
            return False
        oldest = dict(islice(self._pending.items(), count))
        try:
            self._store.add(self.crawl, oldest, patience=patience)
        except StoreError as error:
            self._failed(error)
            return False
        for site in oldest:
            del self._pending[site]
        return True

    def _failed(self, error: StoreError) -> None:
        self.store_errors += 1
        level = logging.WARNING if self.store_errors == 1 else logging.DEBUG
        logger.log(
            level, "Per-site figures could not be written (they are kept for the next time): %s", error
        )
