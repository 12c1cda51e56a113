"""What many pages of a site tell: models of sites, learnt while crawling, kept and merged."""

from __future__ import annotations

from scrapy_tps.sites.model import SiteModel

__all__ = ["SiteModel"]
