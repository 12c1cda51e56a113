"""The monitor for spidermon, in real crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Spider

from tests.support.crawling import crawl
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer

pytest.importorskip("spidermon", reason="spidermon is not installed")

# Scrapy 2.19 deprecates what spidermon 1.27 logs with
pytestmark = pytest.mark.filterwarnings("ignore:Spider.log:scrapy.exceptions.ScrapyDeprecationWarning")

PAGES = ("/shop", "/shop?page=2", "/category/1")
SETTINGS = {
    "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
    "SPIDERMON_ENABLED": True,
    "SPIDERMON_SPIDER_CLOSE_MONITORS": ["scrapy_tps.monitors.TpsMonitorSuite"],
}
MONITOR = "[Spidermon] Summary of scrapy-tps/test_findings... "


class Shop(Spider):
    """Wants the products."""

    name = "shop"

    def parse(self, response: Any) -> Any:
        for product in response.css("div.product"):
            yield {"name": product.css("a::text").get()}


class Menus(Shop):
    """Wants what pruning takes away, and is not heard."""

    custom_settings: ClassVar[dict[str, Any]] = {"TPS_FALLBACK": False}
    name = "menus"

    def parse(self, response: Any) -> Any:
        yield {"categories": len(response.css("nav a"))}


class Breaks:
    """A strategy."""

    size_ratio = 0.2

    def select(self, *arguments: Any) -> Any:
        raise ValueError("it breaks")


def monitored(
    spider: type[Spider], server: MockServer, caplog: pytest.LogCaptureFixture, **settings: Any
) -> str:
    """Crawl; return what became of the monitor."""
    caplog.clear()
    caplog.set_level("INFO")
    crawl(spider, {**SETTINGS, **settings}, start_urls=[server(page) for page in PAGES])
    (said,) = (text for text in caplog.messages if text.startswith(MONITOR))
    return said.removeprefix(MONITOR).partition(" ")[0]


def test_a_sound_crawl_passes(server: MockServer, caplog: pytest.LogCaptureFixture) -> None:
    assert monitored(Shop, server, caplog, TPS_SHADOW=1) == "OK"


@pytest.mark.parametrize(
    ("spider", "settings", "message"),
    [
        (Menus, {"TPS_SHADOW": 1}, "the shadow check found losses on 1 site: 127.0.0.1"),
        (Shop, {"TPS_STRATEGY": "tests.crawls.test_spidermon.Breaks"}, "pruning failed"),
    ],
)
def test_a_finding_of_the_summary_fails(
    server: MockServer,
    caplog: pytest.LogCaptureFixture,
    spider: type[Spider],
    settings: dict[str, Any],
    message: str,
) -> None:
    assert monitored(spider, server, caplog, **settings) == "FAIL"
    (record,) = (
        record for record in caplog.records if record.levelname == "ERROR" and message in record.getMessage()
    )
    assert " findings, the worst: " in record.getMessage() or "Look at this: " in record.getMessage()


def test_without_pruning_the_monitor_is_skipped(server: MockServer, caplog: pytest.LogCaptureFixture) -> None:
    assert monitored(Shop, server, caplog, TPS_ENABLED=False) == "SKIPPED"


def test_items_are_validated_by_spidermon_as_without_scrapy_tps(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    schema = {"type": "object", "required": ["name"], "properties": {"name": {"enum": ["Product 2"]}}}
    settings = {
        **SETTINGS,
        "ITEM_PIPELINES": {"spidermon.contrib.scrapy.pipelines.ItemValidationPipeline": 800},
        "SPIDERMON_VALIDATION_SCHEMAS": {dict: schema},
        "SPIDERMON_VALIDATION_DROP_ITEMS_WITH_ERRORS": True,
    }
    found = crawl(Shop, settings, start_urls=[server("/shop")])
    assert [item["name"] for item in found.items] == ["Product 2"]
    assert found.stats["spidermon/validation/items/dropped"] == PRODUCTS - 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
