"""Links of the page as downloaded, for rules of a ``CrawlSpider`` with a link extractor of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spiders import CrawlSpider

from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.response import PrunedMixin

if TYPE_CHECKING:
    from scrapy.http import TextResponse
    from scrapy.link import Link


class OriginalLinks:
    """A wrapper that makes a link extractor of any class search the page as downloaded, unless ``TPS_LINKS`` is
    ``pruned``.

    Scrapy's link extractors do so without it (:attr:`~scrapy_tps.response.PrunedMixin.selector`).
    """

    def __init__(self, extractor: Any) -> None:
        self.extractor = extractor

    def __getattr__(self, name: str) -> Any:
        return getattr(self.extractor, name)

    def extract_links(self, response: TextResponse) -> list[Link]:
        """Return the links that the wrapped extractor finds."""
        if isinstance(response, PrunedMixin) and page_of(response.tps).settings.links == "original":
            response = response.hold_original() or response
        return self.extractor.extract_links(response)  # type: ignore[no-any-return]


def follow_original_links(spider: Any) -> None:
    """Make the rules of a ``CrawlSpider`` follow the links of original pages (``TPS_LINKS``).

    Scrapy has no public access to the rules of a spider: ``CrawlSpider._rules`` holds copies of the class's rules, so
    nothing outside this spider changes.
    """
    if isinstance(spider, CrawlSpider):
        for rule in getattr(spider, "_rules", ()):
            rule.link_extractor = OriginalLinks(rule.link_extractor)
