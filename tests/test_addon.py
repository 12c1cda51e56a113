from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.misc import load_object

import scrapy_tps
from scrapy_tps.addon import Addon
from scrapy_tps.contracts import FindsContract, KeepsContract, OutcomeContract, ReducesContract
from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.spidermiddlewares.items import TpsSpiderMiddleware
from scrapy_tps.statscollectors import TpsStatsCollector
from tests.support.crawling import crawl, project, scrapy

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

COMPONENTS = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_tps.downloadermiddlewares.pruning.TpsMiddleware": 545},
    "SPIDER_MIDDLEWARES": {"scrapy_tps.spidermiddlewares.items.TpsSpiderMiddleware": 20},
    "STATS_CLASS": "scrapy_tps.statscollectors.TpsStatsCollector",
}


class OwnCollector(MemoryStatsCollector):
    """A user's collector."""

    def inc_value(self, key: str, *args: Any, **kwargs: Any) -> None:
        super().inc_value(f"own/{key}", *args, **kwargs)


class Shop(Spider):
    name = "shop"
    url: str

    async def start(self) -> Any:
        yield Request(self.url)

    def parse(self, response: Any) -> Any:
        yield {
            "outcome": getattr(response, "tps", None) and response.tps.outcome,
            "navs": response.text.count("<nav"),
        }


def applied(settings: dict[str, Any]) -> Settings:
    result = Settings(settings)
    Addon.update_pre_crawler_settings(result)
    Addon().update_settings(result)
    return result


def test_every_component_is_enabled() -> None:
    settings = applied({})
    assert settings["DOWNLOADER_MIDDLEWARES"][TpsMiddleware] == 545
    assert settings["SPIDER_MIDDLEWARES"][TpsSpiderMiddleware] == 20
    assert settings["STATS_CLASS"] is TpsStatsCollector
    contracts = set(map(load_object, settings["SPIDER_CONTRACTS"]))
    assert {ReducesContract, KeepsContract, FindsContract, OutcomeContract} <= contracts


@pytest.mark.parametrize("entry", [547, None])
@pytest.mark.parametrize(
    ("setting", "path"),
    [(name, *paths) for name, paths in COMPONENTS.items() if isinstance(paths, dict)]
    + [("SPIDER_CONTRACTS", "scrapy_tps.contracts.KeepsContract")],
)
def test_own_entries_are_respected(setting: str, path: str, entry: int | None) -> None:
    settings = applied({setting: {path: entry}})
    found = {getattr(key, "__name__", key): value for key, value in settings[setting].items()}
    name = path.rpartition(".")[2]
    assert {value for key, value in found.items() if key in (path, name)} == {entry}


@pytest.mark.parametrize("own", [OwnCollector, "scrapy_tps.statscollectors.TpsStatsCollector"])
def test_own_stats_class_stays(own: Any) -> None:
    assert applied({"STATS_CLASS": own})["STATS_CLASS"] == own


def test_one_line_enables_all_of_it(server: MockServer) -> None:
    crawled = crawl(Shop, {"TPS_COMPARE": False}, url=server("/shop"))
    assert crawled.items == [{"outcome": "pruned", "navs": 0}]
    assert crawled.stats["tps/outcome/pruned"] == 1
    assert crawled.stats["tps/items"] == 1


def test_components_enabled_by_hand(server: MockServer) -> None:
    crawled = crawl(Shop, {"ADDONS": {}, "TPS_COMPARE": False, **COMPONENTS}, url=server("/shop"))
    assert crawled.items == [{"outcome": "pruned", "navs": 0}]
    assert crawled.stats["tps/items"] == 1


@pytest.mark.parametrize(("compares", "navs"), [(True, 2), (False, 0)])
def test_middleware_alone_is_enough_and_loses_no_text_that_nothing_compares(
    server: MockServer, compares: bool, navs: int
) -> None:
    settings = {"ADDONS": {}, "DOWNLOADER_MIDDLEWARES": COMPONENTS["DOWNLOADER_MIDDLEWARES"]}
    crawled = crawl(Shop, settings | {"TPS_COMPARE": compares}, url=server("/shop"))
    assert crawled.items == [{"outcome": "pruned", "navs": navs}]
    assert crawled.stats["tps/outcome/pruned"] == 1


def test_the_spider_middleware_does_no_harm_without_the_middleware(server: MockServer) -> None:
    settings = {"ADDONS": {}, "SPIDER_MIDDLEWARES": COMPONENTS["SPIDER_MIDDLEWARES"]}
    crawled = crawl(Shop, settings, url=server("/shop"))
    assert crawled.items == [{"outcome": None, "navs": 2}]


def test_middleware_switched_off_by_hand(server: MockServer) -> None:
    crawled = crawl(Shop, {"DOWNLOADER_MIDDLEWARES": {TpsMiddleware: None}}, url=server("/shop"))
    assert crawled.items == [{"outcome": None, "navs": 2}]


def test_all_of_it_switched_off(server: MockServer) -> None:
    crawled = crawl(Shop, {"TPS_ENABLED": False}, url=server("/shop"))
    assert crawled.items == [{"outcome": "excluded", "navs": 2}]
    assert not any(key.startswith("tps/") for key in crawled.stats)


def test_spiders_that_ask_for_the_original_work_when_all_is_switched_off(server: MockServer) -> None:
    class Asking(Shop):
        async def start(self) -> Any:
            yield Request(self.url, meta={"tps": True})

        def parse(self, response: Any) -> Any:
            assert response.original is response
            yield {"by": response.tps.excluded_by, "menu": len(response.original.css("nav"))}
            yield {"removed": len(list(response.tps.removed())), "reduction": response.tps.reduction}

    settings = {"TPS_ENABLED": False, "TPS_DOMAINS": {"*": True}}
    crawled = crawl(Asking, settings, url=server("/shop"))
    assert crawled.items == [{"by": "TPS_ENABLED", "menu": 2}, {"removed": 0, "reduction": 0.0}]
    assert crawled.stats["response_received_count"] == 1
    assert not any(key.startswith("tps/") for key in crawled.stats)


def test_log_names_the_addon() -> None:
    assert repr(Addon()) == "<scrapy_tps.Addon>"


def test_settings_of_a_spider_hold(server: MockServer) -> None:
    class Whole(Shop):
        custom_settings = {"TPS_MIN_NODES": 10_000}  # noqa: RUF012 -- as users write it

    assert crawl(Whole, url=server("/shop")).items[0]["outcome"] == "too_small"


WRONG = {
    "settings.py": ("TPS_SIZE_RATIO = 5\n", "", ()),
    "the spider": ("", "    custom_settings = {'TPS_SIZE_RATIO': 5}\n", ()),
    "the command line": ("", "", ("-s", "TPS_SIZE_RATIO=5")),
}


@pytest.mark.parametrize(
    ("where", "addon"), [("settings.py", False), ("the spider", True), ("the command line", True)]
)
def test_wrong_setting_stops_the_crawl_at_start(
    tmp_path: Path, server: MockServer, where: str, addon: bool
) -> None:
    settings, custom, options = WRONG[where]
    if not addon:
        settings += f"DOWNLOADER_MIDDLEWARES = {COMPONENTS['DOWNLOADER_MIDDLEWARES']}\n"
    spider = (
        "class Shop(scrapy.Spider):\n    name = 'shop'\n"
        f"{custom}    start_urls = [{server('/shop')!r}]\n"
        "    def parse(self, response):\n        print('PARSED')\n"
    )
    directory = project(tmp_path, spider, settings, addon=addon)
    done = scrapy("crawl", "shop", *options, cwd=directory, check=False)
    assert done.returncode == 1
    assert "PARSED" not in done.stdout
    assert not (directory / ".scrapy").exists()
    assert "TPS_SIZE_RATIO is " in done.stderr
    assert "allowed: a number from 0 to less than 1" in done.stderr


def test_none_as_a_string_is_none_in_a_crawl(
    server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("STATS_FILE", "KEEP", "KEEP_INVISIBLE", "SIZE_RATIO", "ITEM_FIELD", "REPORT")
    settings = {f"TPS_{name}": "None" for name in names}
    assert crawl(Shop, settings, url=server("/shop")).items == crawl(Shop, url=server("/shop")).items
    assert not list(tmp_path.iterdir())


def test_what_few_crawls_need_is_not_imported():
    components = "downloadermiddlewares.pruning", "spidermiddlewares.items", "spidermiddlewares.shadow"
    code = f"import sys, {', '.join(f'scrapy_tps.{name}' for name in components)}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    assert "scrapy_tps.shadow.check" in imported
    assert imported.isdisjoint({"scrapy_tps.records", "itemadapter", "itemloaders", "pydantic"})


def test_a_crawl_that_compares_nothing_does_not_import_the_comparison():
    code = "import sys, scrapy_tps; scrapy_tps.Addon; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "scrapy_tps.spidermiddlewares.shadow" not in ran.stdout.split()


def test_names_of_the_package_are_there_when_asked_for():
    assert all(hasattr(scrapy_tps, name) for name in scrapy_tps.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Spider'"):
        _ = scrapy_tps.Spider
