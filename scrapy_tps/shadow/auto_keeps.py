"""The selectors that the shadow check keeps on sites."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.stats.figures import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.sharing.outbox import KeptSelectors

_MOST_SITES = 10_000


class AutoKeeps:
    """The selectors of parts that stay on the pages of sites from now on, like ``TPS_KEEP``.

    If there are very many sites, the first ones are forgotten.

    :param shared: the selectors shared with other processes of the distributed crawl; None if there are none.
    """

    def __init__(self, shared: KeptSelectors | None = None) -> None:
        self._kept: Recent[str, tuple[str, ...]] = Recent(_MOST_SITES)
        self._shared = shared

    def remember(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take over the selectors of earlier crawls or other processes; unreadable ones are skipped."""
        for site, selector in kept:
            with suppress(ValueError):  # another program may have written it
                compile_selector(selector)
                self._kept.remember(site, tuple(dict.fromkeys((*self._kept.get(site, ()), selector))))

    def of(self, site: str) -> tuple[str, ...]:
        """Return the selectors of a site, including those that other processes found."""
        if self._shared is not None:
            self.remember(self._shared.news())
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        for selector in selectors:
            self.remember([(site, selector)])
            if self._shared is not None:
                self._shared.add(site, selector)
