"""The item pipeline: items counted per site, and stamped with how their page was pruned."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from scrapy_tps.middleware import TpsMiddleware
from scrapy_tps.settings import crawl_setting
from scrapy_tps.spidermiddleware import TpsSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_tps.pruning import Pruning

logger = logging.getLogger(__name__)


class TpsPipeline:
    """Count items per site; with ``TPS_ITEM_FIELD`` also write into each how its page was pruned.

    Drops nothing. Belongs before pipelines that replace items (the add-on puts it at 0). Needs
    :class:`~scrapy_tps.spidermiddleware.TpsSpiderMiddleware`, which knows the page; items that did not come
    from a page of scrapy-tps pass untouched.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.field: str | None = crawl_setting(crawler.settings, "TPS_ITEM_FIELD")
        self._unstampable: set[type] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Return the same item."""
        origins = self.crawler.get_spider_middleware(TpsSpiderMiddleware)
        pages = self.crawler.get_downloader_middleware(TpsMiddleware)
        origin = origins.origin(item) if origins is not None else None
        if origin is not None and pages is not None:
            site, pruning = origin
            pages.figures.record_items(site, 1)
            if self.field is not None:
                self._stamp(item, self.field, pruning)
        return item

    def _stamp(self, item: Any, field: str, pruning: Pruning) -> None:
        try:
            ItemAdapter(item)[field] = {
                "outcome": pruning.outcome,
                "strategy": pruning.to_dict()["strategy"],
                "reduction": round(pruning.reduction, 4),
                "raw_nodes": pruning.raw_nodes,
                "kept_nodes": pruning.kept_nodes,
            }
        except (KeyError, TypeError, AttributeError):
            assert self.crawler.stats is not None
            self.crawler.stats.inc_value("tps/items/not_stamped")
            if type(item) not in self._unstampable:
                self._unstampable.add(type(item))
                logger.warning(
                    "Items of %(type)s have no field %(field)s (TPS_ITEM_FIELD), so they are not stamped",
                    {"type": type(item).__name__, "field": field},
                    extra={"spider": self.crawler.spider},
                )
