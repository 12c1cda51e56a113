"""The downloader middleware for crawls with pruning switched off."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_tps.downloadermiddlewares.pruning import as_downloaded
from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.engine.pruned_page import Origin, PrunedPage
from scrapy_tps.engine.strategies import Selection
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.crawl import CrawlSettings

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from typing_extensions import Self


class TpsOffMiddleware:
    """Give HTML pages ``response.tps`` and ``response.original`` while pruning is switched off completely.

    Every page has the outcome ``excluded``, by ``TPS_ENABLED``, regardless of ``TPS_DOMAINS`` and ``Request.meta``. The
    body is as downloaded, and nothing is parsed, counted or logged. The add-on enables it instead of
    :class:`~scrapy_tps.downloadermiddlewares.pruning.TpsMiddleware` and all other components. Raises
    ``NotConfigured`` if ``TPS_ENABLED`` is on.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if CrawlSettings(crawler.settings).base.enabled:
            raise NotConfigured("TPS_ENABLED is True")
        return cls()

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the page unchanged, in the class of pruned pages."""
        if not isinstance(response, HtmlResponse) or isinstance(response, PrunedMixin):
            return response
        if request.callback is NO_CALLBACK:
            return response
        origin = Origin(response.body, response.url, response.encoding)
        page = PrunedPage(origin, Selection(EXCLUDED), excluded_by="TPS_ENABLED")
        return as_downloaded(response, page, suppress(Exception))
