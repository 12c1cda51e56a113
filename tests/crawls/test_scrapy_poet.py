"""Page objects of scrapy-poet get pruned pages, and the account and the original where they ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from scrapy_tps.addon import Addon
from scrapy_tps.engine.pruned_page import account_data, page_of
from tests.support.crawling import crawl, project, scrapy
from tests.support.shop_pages import PRODUCTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

pytest.importorskip("scrapy_poet", reason="scrapy-poet is not installed")

from web_poet.serialization import deserialize_leaf, serialize_leaf
from web_poet.testing import Fixture

from scrapy_tps import Pruning, prune
from scrapy_tps.poet import TpsProvider
from tests.support.poet_pages import AccountedPage, Accounts, AsksItself, Poet
from tests.support.shop_pages import listing

ADDONS = {"scrapy_poet.Addon": 300, "scrapy_tps.Addon": 500}
#: Without comparison, page objects get the pruned page of a first page, too.
PRUNED = {"ADDONS": ADDONS, "TPS_COMPARE": False}
#: Links of the two menus.
CATEGORIES = 52


def test_page_objects_get_the_pruned_page(server: MockServer) -> None:
    (item,) = crawl(Poet, PRUNED, url=server("/shop")).items
    assert len(item["titles"]) == PRODUCTS
    assert item["navs"] == 0
    assert item["outcome"] == "pruned"
    assert item["next"] == server("/shop?page=2")


def test_order_of_the_add_ons_does_not_matter(server: MockServer) -> None:
    settings = PRUNED | {"ADDONS": {"scrapy_tps.Addon": 300, "scrapy_poet.Addon": 500}}
    (item,) = crawl(Accounts, settings, url=server("/shop")).items
    assert item["navs"] == 0
    assert item["categories"] == CATEGORIES


def test_page_objects_reach_the_account_and_the_page_as_downloaded(server: MockServer) -> None:
    (item,) = crawl(Accounts, PRUNED, url=server("/shop")).items
    assert item["products"] == PRODUCTS
    assert (item["navs"], item["categories"]) == (0, CATEGORIES)
    assert item["outcome"] == "pruned"
    assert 0 < item["reduction"] < 1
    assert "/html/body/footer" in item["removed"]
    assert item["top"] == "Only here"


@pytest.mark.parametrize(
    ("path", "meta", "outcome", "excluded_by"),
    [
        ("/status/404", {"handle_httpstatus_all": True}, "excluded", "TPS_STATUS_CODES"),
        ("/shop", {"tps": False}, "excluded", "Request.meta['tps']"),
        ("/sitemaps/1/sitemap.xml", {}, "not_html", None),
        ("/bad/empty", {}, "empty", None),
    ],
)
def test_pages_kept_whole_have_an_account_and_are_their_own_original(
    server: MockServer, path: str, meta: dict[str, Any], outcome: str, excluded_by: str | None
) -> None:
    class Asks(AsksItself):
        async def start(self) -> Any:
            async for request in super().start():
                yield request.replace(meta=meta)

    (item,) = crawl(Asks, {"ADDONS": ADDONS}, url=server(path)).items
    assert (item["outcome"], item["excluded_by"]) == (outcome, excluded_by)


@pytest.mark.parametrize("off", [{"TPS_ENABLED": False}, {"TPS_DOMAINS": {"*": False}}])
def test_page_objects_work_where_pruning_is_switched_off(server: MockServer, off: dict[str, Any]) -> None:
    (item,) = crawl(Accounts, {"ADDONS": ADDONS, **off}, url=server("/shop")).items
    assert (item["navs"], item["outcome"], item["removed"]) == (2, "excluded", [])


def test_what_is_no_page_has_an_account_as_well(server: MockServer) -> None:
    (item,) = crawl(AsksItself, {"ADDONS": ADDONS}, url="data:application/json,[1,2]").items
    assert item == {"outcome": "not_html", "excluded_by": None, "start": "[1,2]"}


def test_the_provider_is_listed_once_and_as_the_user_wants() -> None:
    def listed(providers: dict[Any, Any]) -> dict[Any, Any]:
        settings = Settings({"SCRAPY_POET_PROVIDERS": providers})
        Addon().update_settings(settings)
        return settings.getdict("SCRAPY_POET_PROVIDERS")

    assert listed({}) == {"scrapy_tps.poet.TpsProvider": 1200}
    assert listed({"a.B": 1}) == {"a.B": 1, "scrapy_tps.poet.TpsProvider": 1200}
    assert listed({TpsProvider: 5}) == {TpsProvider: 5}
    assert listed({"scrapy_tps.poet.TpsProvider": None}) == {"scrapy_tps.poet.TpsProvider": None}


def test_saved_fixtures_hold_account_and_original(tmp_path: Path, server: MockServer) -> None:
    settings = 'ADDONS = {"scrapy_poet.Addon": 300, "scrapy_tps.Addon": 500}\n'
    directory = project(tmp_path, "", settings, addon=False)
    page = "tests.support.poet_pages.AccountedPage"
    scrapy("savefixture", page, server("/shop"), cwd=directory)
    (folder,) = (directory / "fixtures" / page).iterdir()
    fixture = Fixture(folder)
    saved = fixture.get_expected_output()
    assert saved["categories"] == CATEGORIES
    assert "/html/body/footer" in saved["removed"]
    fixture.assert_full_item_correct(AccountedPage)


@pytest.mark.parametrize(
    "settings", [{}, {"TPS_STRATEGY": "paper", "TPS_FALLBACK": False, "TPS_LINKS": "pruned"}]
)
@pytest.mark.parametrize("page", [listing(), listing().encode(), "<p>small", "\ud800" + listing()])
def test_an_account_comes_back_from_files(page: str | bytes, settings: dict[str, Any]) -> None:
    before = prune(page, settings=settings)
    files = serialize_leaf(before)
    after = deserialize_leaf(Pruning, files)
    assert account_data(after) == account_data(before)
    assert page_of(after).origin == page_of(before).origin
    if page_of(before).origin.source is not None:
        assert after.html == before.html
        assert list(after.removed()) == list(before.removed())


def test_a_page_in_the_cache_comes_with_its_account(tmp_path: Path, server: MockServer) -> None:
    settings = {"ADDONS": ADDONS, "SCRAPY_POET_CACHE": str(tmp_path / "cache")}
    first = crawl(Accounts, settings, url=server("/shop"))
    second = crawl(Accounts, settings, url=server("/shop"))
    assert second.stats["poet/cache/hit"] == first.stats["poet/cache/miss"]
    assert first.items == second.items
