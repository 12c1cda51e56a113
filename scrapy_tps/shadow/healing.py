"""Selectors that healing keeps on sites until the crawl ends, shared by the processes of a job.

Nothing imports Scrapy.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.selectors import compile_selector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.sharing.kept import KeptSelectors

#: Sites that are remembered.
MOST_SITES: Final = 10_000


class HealedSites:
    """Selectors of parts that stay on the pages of sites from now on, like ``TPS_KEEP``.

    The first of very many sites are forgotten.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def remember(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take over the selectors of earlier crawls or other processes; those that can't be read are left out."""
        for site, selector in kept:
            if _is_selector(selector):
                HealedSites.keep(self, site, [selector])

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site."""
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site."""
        self._kept[site] = tuple(dict.fromkeys((*self._kept.get(site, ()), *selectors)))
        if len(self._kept) > MOST_SITES:
            self._kept.popitem(last=False)


class SharedHealedSites(HealedSites):
    """Healed sites that are told to the other processes of a job, with those that these tell."""

    def __init__(self, shared: KeptSelectors) -> None:
        super().__init__()
        self._shared = shared

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site, those that other processes found included."""
        self.remember(self._shared.news())
        return super().of(site)

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        selectors = tuple(selectors)
        super().keep(site, selectors)
        for selector in selectors:
            self._shared.add(site, selector)


def _is_selector(text: str) -> bool:
    """Whether a text is a selector; it is none where another program has written it."""
    try:
        compile_selector(text)
    except ValueError:
        return False
    return True
