"""Pages that come from Zyte API are pruned like others, and keep what its plugin put on them."""

from __future__ import annotations

import json
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawling import project, scrapy
from tests.support.shop_pages import PRODUCTS, listing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("scrapy_zyte_api", reason="scrapy-zyte-api is not installed")

SPIDER = """
import pickle

class Shop(scrapy.Spider):
    name = "shop"

    async def start(self):
        for name, asked in {
            "browser": {"browserHtml": True},
            "body": {"httpResponseBody": True, "httpResponseHeaders": True},
            "product": {"product": True, "browserHtml": True},
            "json": {"httpResponseBody": True, "httpResponseHeaders": True},
        }.items():
            yield scrapy.Request(f"http://shop.example/{name}", meta={"zyte_api": asked}, cb_kwargs={"name": name})

    def parse(self, response, name):
        from scrapy_zyte_api.responses import ZyteAPITextResponse
        item = {"name": name, "class": type(response).__name__, "keys": sorted(response.raw_api_response),
                "flags": response.flags}
        if isinstance(response, ZyteAPITextResponse):
            again = pickle.loads(pickle.dumps(response)).replace(status=201)
            item |= {"outcome": response.tps.outcome, "products": len(response.css("div.product")),
                     "navs": response.text.count("<nav"), "original": len(response.original.css("nav")),
                     "original_class": type(response.original).__name__,
                     "again": [again.text.count("<nav"), again.raw_api_response == response.raw_api_response]}
        yield item
"""
SETTINGS = """TPS_COMPARE = False

ADDONS = {{"scrapy_zyte_api.Addon": 500, "scrapy_tps.Addon": 600}}
ZYTE_API_KEY = "a key"
ZYTE_API_URL = {url!r}
TPS_STRATEGY = "auto"
"""


class Api(BaseHTTPRequestHandler):
    """Answers as Zyte API does."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer: dict[str, Any] = {"url": asked["url"], "statusCode": 200}
        if asked.get("browserHtml"):
            answer["browserHtml"] = listing()
        if asked.get("product"):
            answer["product"] = {"url": asked["url"], "name": "Product 1"}
        if asked.get("httpResponseBody"):
            is_json = asked["url"].endswith("json")
            content_type = "application/json" if is_json else "text/html; charset=utf-8"
            body = '{"products": []}' if is_json else listing()
            answer["httpResponseBody"] = b64encode(body.encode()).decode()
            answer["httpResponseHeaders"] = [{"name": "Content-Type", "value": content_type}]
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/"
    server.shutdown()
    server.server_close()


def test_responses_keep_class_attributes_and_the_answer_of_the_api(tmp_path: Path, api: str) -> None:
    directory = project(tmp_path, SPIDER, SETTINGS.format(url=api), addon=False)
    done = scrapy("crawl", "shop", "-O", "items.json", cwd=directory)
    assert "Traceback" not in done.stderr, done.stderr
    items = {item["name"]: item for item in json.loads((directory / "items.json").read_text())}
    assert set(items) == {"browser", "body", "product", "json"}
    assert items["json"]["class"] == "ZyteAPIJsonResponse"
    for name in ("browser", "body", "product"):
        item = items[name]
        assert item["class"] == "PrunedZyteAPITextResponse"
        assert item["flags"] == ["zyte-api", "tps"]
        assert (item["outcome"], item["products"], item["navs"]) == ("pruned", PRODUCTS, 0)
        assert (item["original"], item["original_class"]) == (2, "ZyteAPITextResponse")
        assert item["again"] == [0, True]
    assert "product" in items["product"]["keys"]
    assert "httpResponseBody" in items["body"]["keys"]
