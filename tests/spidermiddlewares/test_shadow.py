"""The shadow check in real crawls of a site whose template changes in mid-crawl."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from scrapy_tps.addon import Addon
from scrapy_tps.spidermiddlewares.shadow import TpsShadowMiddleware
from tests.support.crawling import ROOT, program
from tests.support.shadow_site import CHANGED, PAGES, RECORDS, Site, everything, name, price

if TYPE_CHECKING:
    from pathlib import Path

CALLBACKS = (
    "generator",
    "returns",
    "coroutine",
    "async_generator",
    "raises",
    "raises_at_once",
    "changes",
)
CARRYING = ("carries", "loader")


class Crawled:
    """The results of a crawl of one spider."""

    def __init__(self, line: dict[str, Any], url: str) -> None:
        self.items: list[dict[str, Any]] = line["items"]
        self.stats: dict[str, Any] = line["stats"]
        self.url = url

    @property
    def records(self) -> list[tuple[str, str]]:
        return sorted((item["name"], item["price"]) for item in self.items)

    def count(self, name: str) -> int:
        return self.stats.get(f"tps/shadow/{name}", 0)


def crawl(*spiders: str, **settings: Any) -> tuple[dict[str, Crawled], str]:
    """Crawl the site with several spiders; return what each gave, and the log."""
    options = json.dumps({"spiders": spiders, "settings": settings})
    with Site() as site:
        done = program("tests.support.shadow_program", site.url, options, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["spider"]: Crawled(line, site.url) for line in lines}, done.stderr


@cache
def shadowed() -> tuple[dict[str, Crawled], str]:
    """One process for all kinds of callbacks: a crawl is quick, starting Python is not."""
    return crawl(
        *CALLBACKS, *CARRYING, "at_once", "rules", "fails_on_original", "many", "remembers", TPS_SHADOW=0.2
    )


@pytest.mark.parametrize("spider", CALLBACKS)
def test_crawl_ends_with_every_item_although_the_template_changes(spider: str) -> None:
    crawled = shadowed()[0][spider]
    assert crawled.records == everything()
    # what was lost is kept: the new template is pruned as well
    assert crawled.count("kept") == 1
    assert crawled.count("switched_off") == 0
    assert crawled.stats["tps/outcome/pruned"] == PAGES


def test_pages_under_way_when_the_site_gets_an_auto_keep_lose_nothing() -> None:
    crawled = shadowed()[0]["at_once"]
    assert crawled.records == everything()
    assert crawled.count("switched_off") == 0


def test_pages_whose_losses_are_explained_at_the_same_time_give_one_auto_keep() -> None:
    middlewares = {
        "scrapy_tps.spidermiddlewares.shadow.TpsShadowMiddleware": None,
        "tests.support.shadow_program.SlowToExplain": 10_000,
    }
    crawled = crawl("at_once", TPS_SHADOW=1, SPIDER_MIDDLEWARES=middlewares)[0]["at_once"]
    assert crawled.records == everything()
    assert (crawled.count("kept"), crawled.count("switched_off")) == (1, 0)


@pytest.mark.parametrize("spider", CARRYING)
def test_second_run_does_not_touch_what_a_request_carries(spider: str) -> None:
    crawled = shadowed()[0][spider]
    expected = [
        (name(page, record), price(page, record)) for page in range(1, PAGES + 1) for record in range(2)
    ]
    assert crawled.records == sorted(expected)
    assert crawled.count("kept") >= 1


def test_callback_that_yields_nothing_twice_reads_pages_as_downloaded() -> None:
    crawled, log = shadowed()
    found = crawled["remembers"]
    assert found.records == everything()
    assert (found.count("failed"), found.count("pages"), found.count("lost_items")) == (1, 0, 0)
    assert "From now on, parse reads the pages of this site as downloaded." in log


def test_rules_of_a_crawl_spider_are_checked() -> None:
    crawled = shadowed()[0]["rules"]
    details = [(name(page, 0), price(page, 0)) for page in range(1, PAGES + 1)]
    assert crawled.records == sorted(everything() + details)
    assert all(item["price"] for item in crawled.items)
    assert crawled.count("lost_requests") == 0


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("spider", ["PageObjectsSpider", "AccountsSpider"])
def test_page_objects_of_scrapy_poet_are_made_for_each_run(tmp_path: Path, spider: str, cache: bool) -> None:
    pytest.importorskip("scrapy_poet")
    spider = f"tests.support.poet_pages.{spider}"
    settings = {"SCRAPY_POET_CACHE": str(tmp_path / "cache")} if cache else {}
    addons = {"scrapy_tps.Addon": 500, "scrapy_poet.Addon": 300}
    crawled = crawl(spider, TPS_SHADOW=0.2, ADDONS=addons, **settings)[0][spider]
    assert crawled.records == everything()
    assert crawled.stats.get("tps/compare/kept", 0) == (0 if cache else 1)


def test_rules_that_follow_pruned_links_lose_none() -> None:
    strategy = "tests.support.shadow_site.DropAdvertisements"
    crawled = crawl("rules", TPS_SHADOW=1, TPS_LINKS="pruned", TPS_DROP="a.next", TPS_STRATEGY=strategy)[0][
        "rules"
    ]
    # the link to the next page goes, as told, and only the original has it
    assert crawled.count("pages") > 1
    assert (crawled.count("requests"), crawled.count("lost_requests")) == (0, 0)


def test_without_the_check_the_change_costs_items() -> None:
    crawled = crawl("generator")[0]["generator"]
    assert len(crawled.records) == len(everything()) - (PAGES - CHANGED + 1) * 4
    assert not [name for name in crawled.stats if "shadow" in name]


def test_share_of_pages_is_checked_and_those_with_new_removed_parts() -> None:
    crawled = crawl(
        "generator", TPS_SHADOW=0.25, TPS_STRATEGY="tests.support.shadow_site.DropAdvertisements"
    )[0]["generator"]
    assert crawled.records == everything()
    # pages 1, 5 and 9
    assert crawled.count("pages") == 3
    assert crawled.count("items") == 3 * RECORDS
    assert crawled.stats["tps/outcome/pruned"] == PAGES
    assert not [name for name in crawled.stats if "alarms" in name]


def test_page_with_a_new_removed_part_is_checked_between_the_share() -> None:
    crawled = crawl("generator", TPS_SHADOW=0.01)[0]["generator"]
    assert crawled.records == everything()
    assert (crawled.count("pages"), crawled.count("differ"), crawled.count("kept")) == (2, 1, 1)


def test_limits_say_when_pruning_goes() -> None:
    crawled = crawl("generator", TPS_SHADOW={"share": 1, "limit": 1})[0]["generator"]
    # what the checked pages lost is made good in any case
    assert crawled.records == everything()
    assert crawled.stats["tps/outcome/pruned"] == PAGES
    assert crawled.stats["tps/alarms/shadow/lost_items"] == (PAGES - CHANGED + 1) * 4
    assert crawled.count("differ") == PAGES - CHANGED + 1
    assert crawled.count("switched_off") == 0


def test_log_names_value_region_reason_and_setting_once() -> None:
    crawled, log = crawl("generator", TPS_SHADOW={"share": 1, "limit": 1}, LOG_LEVEL="WARNING")
    assert log.count("[scrapy_tps.spidermiddlewares.shadow] WARNING") == 1
    assert f"Pruning loses data of 127.0.0.1 ({crawled['generator'].url}/list?page=7, callback parse)" in log
    assert "4 of 10 items lost, 0 changed; 0 of 1 requests lost" in log
    assert "- {'name': 'Record 7-6', 'price': '706.50'}" in log
    assert (
        "removed: /html/body/ul[2] (looks like a side bar; rule side) held name 'Record 7-6', price '706.50'"
        in log
    )
    assert "to keep it, add to TPS_KEEP: ['li.record'] (tried: with it nothing is lost)\n" in log


def test_pruned_page_alone_failing_is_a_loss() -> None:
    crawled, log = shadowed()
    assert crawled["raises"].count("errors") == 1
    assert "spider_exceptions/count" not in crawled["raises"].stats
    assert crawled["raises_at_once"].stats["finish_reason"] == "finished"
    assert "with pruning the callback fails: IndexError" in log


def test_callback_that_fails_on_the_original_fails_as_without_pruning() -> None:
    found = shadowed()[0]["fails_on_original"]
    assert len(found.items) == RECORDS
    assert found.stats["spider_exceptions/count"] == 1
    assert found.count("pages") == 0


def test_page_with_very_many_outputs_streams_on() -> None:
    crawled = shadowed()[0]["many"]
    assert len(crawled.items) == 10_050
    assert crawled.count("failed") == 1


def test_what_differs_by_itself_is_no_loss() -> None:
    crawled = crawl("changes", TPS_SHADOW=1, TPS_STRATEGY="tests.support.shadow_site.DropAdvertisements")[0][
        "changes"
    ]
    assert crawled.records == everything()
    assert crawled.count("differ") == 0
    assert crawled.stats["tps/outcome/pruned"] == PAGES


def test_checked_pages_give_callbacks_what_their_requests_carry_itself() -> None:
    crawled = crawl("collects", TPS_SHADOW=1)[0]["collects"]
    assert crawled.records == everything()


def test_originals_stay_for_the_check() -> None:
    crawled = crawl("generator", TPS_SHADOW=1, TPS_FALLBACK=False, TPS_LINKS="pruned")[0]["generator"]
    assert crawled.count("pages") > 0


def test_ignored_fields_are_not_compared() -> None:
    crawled = crawl("carries", TPS_SHADOW={"share": 1, "ignore": "price"})[0]["carries"]
    assert crawled.count("changed_items") == 0


@pytest.mark.parametrize(
    ("share", "compare", "listed"), [("0.1", False, True), ("0", True, True), ("0", False, False)]
)
def test_addon_lists_the_check_nearest_to_the_spider_where_it_is_on(
    share: str, compare: bool, listed: bool
) -> None:
    options = {"TPS_SHADOW": share, "TPS_COMPARE": compare, "ADDONS": {Addon: 500}}
    settings = get_crawler(settings_dict=options).settings
    priorities = settings["SPIDER_MIDDLEWARES"]
    assert (TpsShadowMiddleware in priorities) is listed
    assert not listed or priorities[TpsShadowMiddleware] == max(priorities.values())


def test_check_is_off_without_a_share_and_comparison() -> None:
    with pytest.raises(NotConfigured):
        TpsShadowMiddleware.from_crawler(get_crawler(settings_dict={"TPS_COMPARE": False}))


@cache
def checked() -> tuple[dict[str, Crawled], str]:
    """All pages checked."""
    return crawl("generator", "needs_more", TPS_SHADOW=1, LOG_LEVEL="WARNING")


def test_pruning_goes_where_no_setting_keeps_what_was_lost() -> None:
    crawled, log = checked()
    found = crawled["needs_more"]
    assert len(found.items) == len(everything())
    assert (found.count("kept"), found.count("switched_off")) == (0, 1)
    # those under way are read as downloaded
    assert found.stats["tps/outcome/pruned"] + found.stats.get("tps/excluded/TPS_SHADOW", 0) == PAGES
    assert "Pruning is switched off for this site" in log


def test_log_names_the_setting_of_an_auto_keep() -> None:
    assert (
        "It is kept on this site from now on; to keep it from the start: "
        "TPS_DOMAINS = {'127.0.0.1': {'TPS_KEEP': ['li.record']}}" in checked()[1]
    )


def test_what_is_asked_of_checked_pages_is_counted_once() -> None:
    stats = checked()[0]["generator"].stats
    # a listing is asked for its rows and its link, of each row two values are asked
    rows = PAGES * RECORDS
    assert stats["selectors"] == 2 * PAGES + 2 * rows
