"""The item pipeline: items stamped with how their page was pruned."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.spidermiddlewares.items import TpsSpiderMiddleware
from scrapy_tps.stats.error_isolation import STAMPS, stats_of
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TpsPipeline:
    """Write into each item, in the field ``TPS_ITEM_FIELD``, how its page was pruned.

    The value is a dict of ``outcome``, ``strategy``, ``reduction``, ``raw_nodes`` and ``kept_nodes``. Without that
    setting the pipeline is not enabled at all. It drops nothing: items that can't have the field are counted
    (``tps/items/not_stamped``), logged once per type and passed on.

    It must run before pipelines that replace items (the add-on puts it at 0). It needs
    :class:`~scrapy_tps.spidermiddlewares.items.TpsSpiderMiddleware`, which knows the page. Items that did not come
    from a page of scrapy-tps pass unchanged.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        field: str | None = crawl_setting(crawler.settings, "TPS_ITEM_FIELD")
        if field is None:
            raise NotConfigured  # without a word: that is the default, and each item would pay for the way here
        self.field = field
        self._unstampable: set[type] = set()
        self._stats = stats_of(crawler)
        self._guard = self._stats.guard

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Return the same item."""
        origins = self.crawler.get_spider_middleware(TpsSpiderMiddleware)
        stamp = origins.stamp(item) if origins is not None else None
        if stamp is not None:
            with self._guard(STAMPS):
                self._write(item, self.field, stamp)
        return item

    def _write(self, item: Any, field: str, stamp: dict[str, Any]) -> None:
        try:
            ItemAdapter(item)[field] = stamp
        except Exception as error:  # items are the spider's, and may do anything
            self._stats.inc_value("tps/items/not_stamped")
            if type(item) not in self._unstampable:
                self._unstampable.add(type(item))
                logger.warning(
                    "Items of %(type)s can't have the field %(field)s (TPS_ITEM_FIELD), so they are not stamped: "
                    "%(error)s",
                    {"type": type(item).__name__, "field": field, "error": printable(str(error))},
                    extra={"spider": self.crawler.spider},
                )
