"""Figures of sites on their way somewhere, in bounded memory. Nothing imports Scrapy."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from scrapy_tps.stats.figures import SiteFigures

#: Where figures go that can neither be written nor kept apart.
OTHER_SITES: Final = "(other sites)"


class SiteBuffer(OrderedDict[str, SiteFigures]):
    """Figures by site, the least recently used first.

    :param most: sites held, 1 or more.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def find(self, site: str) -> SiteFigures | None:
        """Return the figures of a site, now the most recently used; None where it has none here."""
        figures = self.get(site)
        if figures is not None:
            self.move_to_end(site)
        return figures

    def of(self, site: str) -> SiteFigures:
        """Return the figures of a site to add to. Where there is no room, the least recently used sites are folded."""
        figures = self.find(site)
        if figures is None:
            if self.full:
                self.fold()
            figures = self[site] = SiteFigures()
        return figures

    def take(self, site: str, figures: SiteFigures) -> None:
        """Add figures that nobody else will change or read: those of a site that has none here are not copied."""
        if self.full or site in self:
            self.of(site).merge(figures)
        else:
            self[site] = figures

    @property
    def full(self) -> bool:
        """Whether there is no room for one more site."""
        return len(self) >= self.most

    def fold(self) -> None:
        """Make room: add the least recently used sites up under :data:`OTHER_SITES`."""
        other = self.pop(OTHER_SITES, None) or SiteFigures()
        while len(self) > max(self.most - 2, 0):
            _, figures = self.popitem(last=False)
            other.merge(figures)
        self[OTHER_SITES] = other
