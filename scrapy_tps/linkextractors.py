"""Links of the page as downloaded, for spiders that parse the pruned page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.linkextractors import LinkExtractor as ScrapyLinkExtractor
from scrapy.spiders import CrawlSpider

from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.response import PrunedMixin
from scrapy_tps.stats.error_isolation import FIGURES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.http import TextResponse
    from scrapy.link import Link

    from scrapy_tps.stats.aggregation import CrawlFigures


class LinkExtractor(ScrapyLinkExtractor):
    """Scrapy's link extractor, over the page as downloaded.

    From a response of scrapy-tps it extracts the links of ``response.original``, or those of the pruned page if
    ``TPS_LINKS`` is ``pruned`` for this page. On any other response it behaves like
    Scrapy's.
    """

    def extract_links(self, response: TextResponse) -> list[Link]:
        """Return the links of the original page that the extractor's rules allow."""
        return super().extract_links(original_for_links(response))


def original_for_links(response: TextResponse) -> TextResponse:
    """Return the page whose links are followed: the original unless settings say otherwise."""
    if isinstance(response, PrunedMixin) and page_of(response.tps).settings.links == "original":
        return response.hold_original() or response
    return response


class OriginalLinks:
    """A wrapper that makes a link extractor of any class search the original page.

    Links that only the original has are counted for the page's site. The count does not run a user's own extractor on
    the pruned page, because it may rely on something that was removed.
    """

    def __init__(self, extractor: Any, figures: CrawlFigures) -> None:
        self.extractor = extractor
        self._figures = figures

    def __getattr__(self, name: str) -> Any:
        return getattr(self.extractor, name)

    def extract_links(self, response: TextResponse) -> list[Link]:
        """Return the links that the wrapped extractor finds in the original page."""
        original = original_for_links(response)
        links = list(self.extractor.extract_links(original))  # counting must not exhaust a generator
        if original is not response and links:
            with self._figures.guard(FIGURES):
                self._count(links, response)
        return links

    def _count(self, links: Iterable[Link], response: TextResponse) -> None:
        is_scrapys = type(self.extractor) is ScrapyLinkExtractor
        pruned = (self.extractor if is_scrapys else _ALL_LINKS).extract_links(response)
        still_there = {link.url for link in pruned}
        only_original = sum(link.url not in still_there for link in links)
        if only_original:
            self._figures.count(self._figures.site_of(response.url), "original_links", only_original)


_ALL_LINKS = ScrapyLinkExtractor(deny_extensions=())


def follow_original_links(spider: Any, figures: CrawlFigures) -> None:
    """Make the rules of a ``CrawlSpider`` follow the links of original pages (``TPS_LINKS``).

    Scrapy has no public access to the rules of a spider: ``CrawlSpider._rules`` holds copies of the class's rules, so
    nothing outside this spider changes.
    """
    if not isinstance(spider, CrawlSpider):
        return
    for rule in getattr(spider, "_rules", ()):
        if not isinstance(rule.link_extractor, (LinkExtractor, OriginalLinks)):
            rule.link_extractor = OriginalLinks(rule.link_extractor, figures)
