"""With ``TPS_ENABLED`` off, scrapy-tps only provides responses that spiders written for it can work with."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.engine.pruning import Pruning
from scrapy_tps.response import PrunedMixin, pruned_class
from scrapy_tps.settings.crawl import CrawlSettings

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class TpsOffMiddleware:
    """Give HTML pages ``response.tps`` and ``response.original`` while pruning is switched off altogether.

    Every page has the outcome ``excluded``, by ``TPS_ENABLED``, whatever ``TPS_DOMAINS`` and ``Request.meta`` say; the
    body is as downloaded and nothing is parsed, counted or logged. The add-on enables it instead of
    :class:`~scrapy_tps.downloadermiddlewares.pruning.TpsMiddleware` and all other components. Raises
    ``NotConfigured`` if ``TPS_ENABLED`` is on.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if CrawlSettings(crawler.settings).base.enabled:
            raise NotConfigured("TPS_ENABLED is True")
        return cls()

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the page whole, in the class that pruned pages have."""
        if (
            not isinstance(response, HtmlResponse)
            or isinstance(response, PrunedMixin)
            or request.callback is NO_CALLBACK
        ):
            return response
        pruning = Pruning(response.body, EXCLUDED, url=response.url, encoding=response.encoding)
        pruning.excluded_by = "TPS_ENABLED"
        try:
            return pruned_class(type(response)).from_response(response, pruning)
        except Exception:  # a class that can't be combined; a page is never lost
            with suppress(Exception):  # what logs may be what fails
                logger.debug("%s keeps its class", response, exc_info=True)
            return response
