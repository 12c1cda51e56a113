"""The models of a crawl's sites, and the file that keeps them, and what spiders asked for there, between crawls."""

from __future__ import annotations

import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.site import OFF, remembers
from scrapy_tps.engine.strategies import load_strategy
from scrapy_tps.sites.crawl import SiteModels
from scrapy_tps.sites.shared import SharedModels
from scrapy_tps.sites.store import SiteStore
from scrapy_tps.stats.crawl_kind import is_crawl
from scrapy_tps.stats.database import HASTE, StoreError
from scrapy_tps.stats.guard import MODELS
from scrapy_tps.stats.guarded import stats_of
from scrapy_tps.statscollectors import in_data_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_tps.engine.asking.learnt import SiteQueries
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.engine.site import KnownSite
    from scrapy_tps.sites.model import SiteModel
    from scrapy_tps.stats.aggregation import CrawlFigures

_OK = 200
#: Sites that strategies with a memory of their own remember: up to 47 MB each, of which pages are up to 16 and what is
#: made of them is the rest, where ours take 30 KB.
_MOST_REMEMBERED = 20
#: Models that wait for a file that can't be written: somebody else has locked it, or the disk is full.
_MOST_WAITING = 1000


class CrawlModels:
    """What the downloader middleware asks about sites, and tells.

    The file is opened when the first page is to be judged. What was learnt is written every ``TPS_STATS_INTERVAL``
    seconds, when models are let go of, and at the end: a crawl that is killed loses what it learnt last. A file
    that fails costs what it knows, never a page.

    :param values: the checked settings of the crawl.
    """

    def __init__(self, crawler: Crawler, values: Mapping[str, Any], figures: CrawlFigures) -> None:
        self._crawler, self._figures, self._guard = crawler, figures, figures.guard
        self._stats = stats_of(crawler)
        self._file: str | None = values["TPS_SITE_FILE"]
        self._pages: int = values["TPS_SITE_PAGES"]
        self._interval: float = values["TPS_STATS_INTERVAL"]
        self._settings = values
        self._models: SiteModels | None = None
        self._memories: SiteModels | None = None
        self._store: SiteStore | None = None
        self._writes = False
        self._waiting: dict[str, SiteModel] = {}
        self._waiting_queries: dict[str, tuple[int, SiteQueries]] = {}
        self._shared: SharedModels | None = None
        self._written = time.monotonic()

    def known(self, url: str, settings: PageSettings) -> KnownSite | None:
        """Return what is known of the site of a page; None where nothing is to be asked."""
        if not settings.enabled:
            return None
        if remembers(load_strategy(settings.strategy)):
            with self._guard(MODELS):
                return self._remembered().known(self._figures.site_of(url))
            return None
        if settings.site == OFF:
            return None
        with self._guard(MODELS):
            site = self._figures.site_of(url)
            models = self._opened()
            if self._store is not None and self._writes:
                self._store.use(site)  # it may be in memory for weeks
            if self._shared is not None:
                self._shared.watch(site)
                for other, model in self._shared.news():
                    models.merge(other, model)
            return models.known(site)
        return None

    def done(self, request: Request, response: Response, pruning: Pruning) -> None:
        """Learn what a page teaches, and count what its model did."""
        if pruning.site_digest is not None:
            with self._guard(MODELS):
                site = self._figures.site_of(response.url)
                teaches = is_page_of_site(request, response)
                counts = self._opened().done(site, pruning, teaches=teaches)
                self._figures.record_model(site, counts)
                if "epochs" in counts:  # what was asked for stands somewhere else now
                    self._figures.learnt.forget(site)
                if self._keeps and time.monotonic() >= self._written + self._interval:
                    self._write()
        pruning.lesson = None  # it holds the texts of the page

    def lost(self, url: str, rules: set[str]) -> None:
        """Take in that the shadow check found something lost that these rules took."""
        if self._models is not None and "template" in rules:
            with self._guard(MODELS):
                self._models.bar(self._figures.site_of(url))

    def close(self) -> None:
        """Write what was learnt, and close the file."""
        with self._guard(MODELS):
            if self._keeps:
                self._write()
        store, self._store = self._store, None
        if store is not None:
            with self._guard(MODELS):
                store.close()

    @property
    def _keeps(self) -> bool:
        """Whether what is learnt goes anywhere."""
        return self._writes or self._shared is not None

    @property
    def _read_only(self) -> bool:
        return self._settings["TPS_SITE_READ_ONLY"] or not is_crawl(self._crawler)

    def _remembered(self) -> SiteModels:
        """What strategies with a memory of their own remember: in this process alone."""
        if self._memories is None:
            most = min(_MOST_REMEMBERED, self._settings["TPS_SITE_MAX_SITES"])
            self._memories = SiteModels(max_sites=most, read_only=self._read_only)
        return self._memories

    def _opened(self) -> SiteModels:
        if self._models is None:
            read_only = self._read_only
            self._models = SiteModels(
                pages=self._pages,
                max_sites=self._settings["TPS_SITE_MAX_SITES"],
                read_only=read_only,
                load=self._load,
                keep=self._keep,
            )
            if self._figures.shared is not None and not read_only:
                self._shared = SharedModels(self._figures.shared.knowledge, self._pages)
            if self._file is not None:
                with self._guard(MODELS):
                    self._store = SiteStore(
                        in_data_directory(self._file),
                        pages=self._pages,
                        most_sites=self._settings["TPS_SITE_FILE_SITES"],
                        create=not read_only,
                        patience=HASTE,
                    )
                    self._writes = not read_only
        return self._models

    def _load(self, site: str) -> SiteModel | None:
        waiting = self._waiting.get(site)
        if waiting is not None or self._store is None:
            return waiting
        with self._guard(MODELS):
            queries = self._store.queries(site)
            if queries is not None:
                self._figures.learnt.remember(site, queries[1])
        with self._guard(MODELS):
            return self._store.load(site)
        return None

    def _keep(
        self,
        models: list[tuple[str, SiteModel]],
        queries: Mapping[str, tuple[int, SiteQueries]] = MappingProxyType({}),
    ) -> None:
        if self._store is None or not self._writes:
            return
        self._waiting.update(models)
        self._waiting_queries.update(queries)
        try:
            gone = self._store.merge(self._waiting.items(), self._waiting_queries.items(), patience=HASTE)
        except StoreError as error:
            self._guard.failed(MODELS, error)
            for waiting in (self._waiting, self._waiting_queries):
                while len(waiting) > _MOST_WAITING:  # what was learnt first can be learnt again
                    waiting.pop(next(iter(waiting)))
        else:
            self._waiting.clear()
            self._waiting_queries.clear()
            if gone:
                self._stats.inc_value("tps/model/forgotten", gone)

    def _write(self) -> None:
        assert self._models is not None
        self._written = time.monotonic()
        changed = self._models.changed()
        if self._shared is not None:
            for site, model in changed:
                self._shared.tell(site, model)
        queries = {
            site: (held.epoch, known)
            for site, known in self._figures.learnt.changed().items()
            if (held := self._models.model(site)) is not None
        }
        if changed or queries or self._waiting or (self._store is not None and self._store.uses):
            self._keep(changed, queries)


def is_page_of_site(request: Request, response: Response) -> bool:
    """Whether a page is what was asked for, and may teach: no error, nor one that asks for a password instead."""
    return response.status == _OK and not ("redirect_urls" in request.meta and b"password" in response.body)
