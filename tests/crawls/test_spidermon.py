"""The monitors for spidermon, in real crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Spider

from tests.support.crawling import crawl, project, scrapy
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from pathlib import Path

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
MONITORS = {
    "reduction": "Reduction of pages by scrapy-tps/test_reduction",
    "empty": "Pages without items in a crawl with scrapy-tps/test_empty_pages",
    "losses": "Losses found by the shadow check of scrapy-tps/test_losses",
    "errors": "Errors of scrapy-tps/test_errors",
}


class Shop(Spider):
    """Wants the products."""

    name = "shop"

    def parse(self, response: Any) -> Any:
        for product in response.css("div.product"):
            yield {"name": product.css("a::text").get()}


class Menus(Shop):
    """Wants what pruning takes away, and is not heard."""

    custom_settings: ClassVar[dict[str, Any]] = {"TPS_ASK": False}
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
) -> dict[str, str]:
    """Crawl; return what became of each monitor."""
    caplog.clear()
    caplog.set_level("INFO")
    crawl(spider, {**SETTINGS, **settings}, start_urls=[server(page) for page in PAGES])
    return {
        name: message.removeprefix(f"[Spidermon] {monitor}... ").partition(" ")[0]
        for name, monitor in MONITORS.items()
        for message in caplog.messages
        if message.startswith(f"[Spidermon] {monitor}... ")
    }


def test_a_sound_crawl_passes(server: MockServer, caplog: pytest.LogCaptureFixture) -> None:
    said = monitored(Shop, server, caplog, TPS_SHADOW=1)
    assert said == dict.fromkeys(MONITORS, "OK")


BREAKS = {"TPS_STRATEGY": "tests.crawls.test_spidermon.Breaks", "TPS_MONITOR_MIN_REDUCTION": 0}


@pytest.mark.parametrize(
    ("settings", "failing", "message"),
    [
        ({"TPS_MIN_NODES": 5000}, "reduction", "less than TPS_MONITOR_MIN_REDUCTION (1.0%)"),
        (
            {"TPS_MONITOR_MAX_REDUCTION": "0.05"},
            "reduction",
            "more than TPS_MONITOR_MAX_REDUCTION (5.0%)",
        ),
        ({"TPS_MONITOR_MAX_EMPTY": 0.3}, "empty", "1 of 3 pages (33.3%) gave no item, more than"),
        ({"TPS_SHADOW": 1}, "losses", "changed items, more than TPS_MONITOR_MAX_LOSSES (0)"),
        (BREAKS, "errors", "pruning 2 pages failed, more than TPS_MONITOR_MAX_ERRORS (0)"),
    ],
)
def test_each_monitor_fails_on_what_it_watches(
    server: MockServer,
    caplog: pytest.LogCaptureFixture,
    settings: dict[str, Any],
    failing: str,
    message: str,
) -> None:
    spider = Menus if failing == "losses" else Shop
    said = monitored(spider, server, caplog, **settings)
    assert said.pop(failing) == "FAIL"
    assert "FAIL" not in said.values()
    (record,) = (record for record in caplog.records if message in record.getMessage())
    assert record.levelname == "ERROR"
    assert "; sites: 127.0.0.1\n" in record.getMessage()


@pytest.mark.parametrize(
    ("spider", "settings", "monitor"),
    [
        (Menus, {"TPS_SHADOW": 1, "TPS_MONITOR_MAX_LOSSES": 2}, "losses"),
        (Shop, {**BREAKS, "TPS_MONITOR_MAX_ERRORS": 2}, "errors"),
        (Shop, {"TPS_MIN_NODES": 5000, "TPS_MONITOR_MIN_REDUCTION": 0}, "reduction"),
        (Shop, {"TPS_MONITOR_MAX_EMPTY": 0.34}, "empty"),
    ],
)
def test_thresholds_allow_what_they_say(
    server: MockServer,
    caplog: pytest.LogCaptureFixture,
    spider: type[Spider],
    settings: dict[str, Any],
    monitor: str,
) -> None:
    assert monitored(spider, server, caplog, **settings)[monitor] == "OK"


def test_what_cannot_be_told_is_skipped(server: MockServer, caplog: pytest.LogCaptureFixture) -> None:
    assert monitored(Shop, server, caplog)["losses"] == "SKIPPED"
    said = monitored(Shop, server, caplog, TPS_DOMAINS={"*": False})
    assert (said["reduction"], said["errors"]) == ("SKIPPED", "OK")
    said = monitored(Shop, server, caplog, TPS_ENABLED=False)
    assert said == dict.fromkeys(MONITORS, "SKIPPED")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TPS_MONITOR_MAX_LOSSES": -1}, "TPS_MONITOR_MAX_LOSSES is -1; allowed: a whole number from 0"),
        ({"TPS_MONITOR_MIN_REDUCTION": 0.99}, "allowed: at most TPS_MONITOR_MAX_REDUCTION, which is 0.95"),
    ],
)
def test_a_wrong_threshold_stops_the_crawl_at_its_start(
    server: MockServer, caplog: pytest.LogCaptureFixture, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        monitored(Shop, server, caplog, **settings)


def test_the_monitors_run_in_a_project(tmp_path: Path, server: MockServer) -> None:
    spider = f"""
class Shop(scrapy.Spider):
    name = "shop"
    start_urls = [{server("/shop")!r}]

    def parse(self, response):
        for product in response.css("div.product"):
            yield {{"name": product.css("a::text").get()}}
"""
    settings = "".join(f"{name} = {value!r}\n" for name, value in SETTINGS.items())
    log = scrapy("crawl", "shop", cwd=project(tmp_path, spider, settings)).stderr
    assert f"'item_scraped_count': {PRODUCTS}" in log
    assert f"[Spidermon] {MONITORS['reduction']}... OK" in log
    assert f"[Spidermon] {MONITORS['losses']}... SKIPPED (TPS_SHADOW is 0: nothing is checked)" in log
    assert "Traceback" not in log


def test_items_are_validated_by_spidermon_as_without_scrapy_tps(
    server: MockServer, caplog: pytest.LogCaptureFixture
) -> None:
    schema = {"type": "object", "required": ["name"], "properties": {"name": {"enum": ["Product 2"]}}}
    settings = {
        **SETTINGS,
        "ITEM_PIPELINES": {"spidermon.contrib.scrapy.pipelines.ItemValidationPipeline": 800},
        "SPIDERMON_VALIDATION_SCHEMAS": {dict: schema},
        "SPIDERMON_VALIDATION_DROP_ITEMS_WITH_ERRORS": True,
        "TPS_ITEM_FIELD": "tps",
    }
    found = crawl(Shop, settings, start_urls=[server("/shop")])
    assert [item["name"] for item in found.items] == ["Product 2"]
    assert found.items[0]["tps"]["outcome"] == "pruned"
    assert found.stats["spidermon/validation/items/dropped"] == PRODUCTS - 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
