"""A download handler for crawls inside the test process: real HTTP, neither reactor nor further packages."""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import run_in_thread

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class PlainHandler(BaseDownloadHandler):
    lazy = True

    async def download_request(self, request: Request) -> Response:
        return await run_in_thread(fetch, request)


def fetch(request: Request) -> Response:
    parts = urlsplit(request.url)
    proxy = urlsplit(request.meta["proxy"]) if "proxy" in request.meta else None
    listens = proxy or parts
    connection = http.client.HTTPConnection(listens.hostname or "", listens.port, timeout=30)
    try:
        target = request.url if proxy else parts._replace(scheme="", netloc="").geturl()
        headers = {name.decode(): values[0].decode() for name, values in request.headers.items() if values}
        connection.request(request.method, target, request.body or None, headers)
        answer = connection.getresponse()
        body = answer.read()
        received = Headers([(name, value) for name, value in answer.getheaders()])
    finally:
        connection.close()
    response_class = responsetypes.from_args(headers=received, url=request.url, body=body)
    return response_class(request.url, status=answer.status, headers=received, body=body)
