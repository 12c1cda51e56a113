"""Page objects of scrapy-poet, made again for the page of a further run."""

from __future__ import annotations

import sys
from copy import copy
from typing import TYPE_CHECKING, Any

from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Module and class of scrapy-poet's downloader middleware; loaded where a project uses it.
_MODULE, _CLASS = "scrapy_poet.downloadermiddlewares", "InjectionMiddleware"


class PageObjects:
    """Fills in the page objects that a callback asks for, from the page that it is called with.

    scrapy-poet puts them into ``cb_kwargs`` when a page has been downloaded, made from the pruned page; a
    second run with those would see nothing of the original. Does nothing where scrapy-poet is not in use.
    """

    def __init__(self, crawler: Crawler) -> None:
        middleware_class = getattr(sys.modules.get(_MODULE), _CLASS, None)
        middleware: Any = crawler.get_downloader_middleware(middleware_class) if middleware_class else None
        if middleware is not None:
            # the cache (SCRAPY_POET_CACHE) goes by the request, and would give the pruned page once more
            middleware = copy(middleware)
            middleware.injector = copy(middleware.injector)
            middleware.injector.cache = {}
        self._middleware = middleware

    async def fill_in(self, response: Response) -> None:
        """Put the page objects made from `response` into the ``cb_kwargs`` of its request.

        Raises what making them raises, and ``ValueError`` where that wants the page downloaded again.
        """
        if self._middleware is None:
            return
        request = response.request
        result = self._middleware.process_response(request=request, response=response)
        if isinstance(result, Deferred):
            result = maybe_deferred_to_future(result)
        if isinstance(await result, Request):
            raise ValueError(f"a page object of {response} wants it downloaded again")
