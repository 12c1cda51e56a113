"""Strip pages to their main-content region before spiders parse them."""

from scrapy_tps.pruning import Pruning, Region, Removed, prune

__all__ = ["Pruning", "Region", "Removed", "prune"]
