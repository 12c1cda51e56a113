"""Auto-keeps: selectors that the shadow check keeps on sites, shared by the processes of a job.

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


class AutoKeeps:
    """Selectors of parts that stay on the pages of sites from now on, like ``TPS_KEEP``.

    The first of very many sites are forgotten.

    :param shared: those of the other processes of the job, which are told what is kept here; None where there are none.
    """

    def __init__(self, shared: KeptSelectors | None = None) -> None:
        self._kept: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._shared = shared

    def remember(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take over the selectors of earlier crawls or other processes; those that can't be read are left out."""
        for site, selector in kept:
            if _is_selector(selector):
                self._kept[site] = tuple(dict.fromkeys((*self._kept.get(site, ()), selector)))
                if len(self._kept) > MOST_SITES:
                    self._kept.popitem(last=False)

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site, those that other processes found included."""
        if self._shared is not None:
            self.remember(self._shared.news())
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        for selector in selectors:
            self.remember([(site, selector)])
            if self._shared is not None:
                self._shared.add(site, selector)


def _is_selector(text: str) -> bool:
    """Whether a text is a selector; it is none where another program has written it."""
    try:
        compile_selector(text)
    except ValueError:
        return False
    return True
