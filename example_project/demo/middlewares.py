"""Send the requests for the demo sites to the local server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.httpobj import urlparse_cached

from demo.extensions import DemoSites
from demo.sites import SITES

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class DemoSitesMiddleware:
    """Makes the local server the HTTP proxy of every request for a host in :data:`demo.sites.SITES`.

    So the spiders see addresses such as ``http://shop.example/``, as on the open web, without any name lookup. Requests
    for other hosts are not changed. It must come before Scrapy's ``HttpProxyMiddleware`` (750).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        sites = self.crawler.get_extension(DemoSites)
        if sites is not None and sites.server is not None and urlparse_cached(request).hostname in SITES:
            request.meta["proxy"] = sites.server.url
