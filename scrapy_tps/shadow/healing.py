"""Selectors that healing keeps on sites until the crawl ends, shared by the processes of a job.

Nothing imports Scrapy.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.sharing.knowledge import Row, Topic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.sharing.knowledge import Knowledge

#: Sites that are remembered.
MOST_SITES: Final = 10_000

#: Kind of the rows: a selector, under its digest.
KIND: Final = "healed"

#: Selectors of a site that the processes of a job share. A process heals a site eight times at most, and mostly by
#: one selector.
MOST_SHARED: Final = 50


class HealedSites:
    """Selectors of parts that stay on the pages of sites from now on, like ``TPS_KEEP``.

    The first of very many sites are forgotten.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def remember(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take over the selectors of earlier crawls; those that can't be read are left out."""
        for site, selector in kept:
            HealedSites.keep(self, site, _read(selector.encode("utf-8", "surrogatepass")))

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site."""
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site."""
        self._kept[site] = tuple(dict.fromkeys((*self._kept.get(site, ()), *selectors)))
        if len(self._kept) > MOST_SITES:
            self._kept.popitem(last=False)


class SharedHealedSites(HealedSites):
    """Healed sites that are told to the other processes of a job, with those that these tell.

    A server that has lost rows is told them again, site by site, by every process that knows them: the one that healed
    a site may have ended.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__()
        self._knowledge = knowledge
        self._losses = 0
        self._untold: set[str] = set()
        knowledge.keep(KIND, MOST_SHARED)

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site; ask for what others find out about it."""
        for row in self._knowledge.news(KIND):
            super().keep(row.topic.site, _read(row.blob))
        if self._losses != self._knowledge.losses:
            self._losses = self._knowledge.losses
            self._untold = set(self._kept)
        self._knowledge.watch(site, KIND)
        kept = super().of(site)
        if site in self._untold:
            self._untold.remove(site)
            self._tell(site, kept)
        return kept

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        selectors = tuple(selectors)
        super().keep(site, selectors)
        self._tell(site, selectors)

    def _tell(self, site: str, selectors: Iterable[str]) -> None:
        for selector in selectors:
            text = selector.encode()
            self._knowledge.tell(Row(Topic(site, KIND), blake2b(text, digest_size=16).digest(), text))


def _read(blob: bytes) -> tuple[str, ...]:
    """A row's selector; none where another program has written it."""
    try:
        selector = blob.decode()
        compile_selector(selector)
    except ValueError:
        return ()
    return (selector,)
