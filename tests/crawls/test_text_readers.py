"""Callbacks that read the text of pages give what they give without pruning, with default settings."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from io import StringIO
from typing import Any

import pytest
import scrapy

from scrapy_tps.engine.html import document
from scrapy_tps.spidermiddlewares.shadow import TpsShadowMiddleware
from tests.support.crawling import SEQUENTIAL, project
from tests.support.crawling import scrapy as run_scrapy
from tests.support.text_crawls import Serve, items, same
from tests.support.text_sites import FIELDS, PAGES, Field, RandomSite
from tests.support.text_spiders import SPIDERS, GuardsByWords, Loads, Measures, ReadsSeldom, Soups, TextSpider


@pytest.mark.parametrize("spider", SPIDERS)
def test_callbacks_of_every_kind_lose_nothing(spider: str, serve: Serve) -> None:
    same(SPIDERS[spider], serve(RandomSite(len(spider))))


def test_parts_that_settings_drop_are_compared_like_others(serve: Serve) -> None:
    drops = ({}, {"TPS_DROP": "aside, nav, footer"})
    counts = [same(Soups, serve(RandomSite(1)), **drop, **SEQUENTIAL)["tps/compare/pages"] for drop in drops]
    assert counts[0] == counts[1]


def test_page_objects_lose_nothing(serve: Serve) -> None:
    pytest.importorskip("scrapy_poet")
    from tests.support.poet_pages import TextObjects

    addons = {"scrapy_poet.Addon": 300, "scrapy_tps.Addon": 500}
    site = RandomSite(7)
    same(TextObjects, serve(site), ADDONS=addons)
    assert same(TextObjects, serve(site), ADDONS=addons, **SEQUENTIAL)["tps/compare/kept"] >= 1


def test_callbacks_that_only_write_files_write_each_page_once_as_downloaded(serve: Serve) -> None:
    class Writes(TextSpider):
        name = "writes"
        file: StringIO

        def parse_item(self, response: Any, item: dict[str, Any]) -> None:
            self.file.write("".join(sorted(set(re.findall("[A-Z][a-z]+ \\d+", response.text)))) + "\n")

    url, written = serve(RandomSite(5)), []
    for enabled in (False, True):
        Writes.file = StringIO()
        _, stats = items(Writes, url, TPS_ENABLED=enabled)
        written.append(sorted(Writes.file.getvalue().splitlines()))
    assert written[0] == written[1]
    assert stats["tps/text/pages"] > 1
    assert not [name for name in stats if name.startswith("tps/compare/")]  # none was compared


def test_messages_of_further_runs_are_no_errors_of_the_crawl(serve: Serve) -> None:
    class Complains(TextSpider):
        name = "complains"

        def read(self, response: Any) -> dict[str, Any]:
            try:
                return {"stock": re.findall(r"Stock (\d+)", response.text)[0]}
            except IndexError as error:
                self.logger.error("no stock: %s", error)
                return {}

    site = RandomSite(2, (Field("stock", "all", "aside", "class"),))
    stats = same(Complains, serve(site))
    assert stats["tps/compare/differ"] >= 1
    assert "log_count/ERROR" not in stats


class ReadsRights:
    """Adds to each item what the text of its page says, which no comparison covers."""

    async def process_spider_output(self, response: Any, result: Any) -> Any:
        async for output in result:
            yield (
                {**output, "rights": "All rights reserved" in response.text}
                if type(output) is dict
                else output
            )


class ReadsRightsAtOnce:
    """Does the same before the callback begins."""

    async def process_spider_output(self, response: Any, result: Any) -> Any:
        rights = "All rights reserved" in response.text
        async for output in result:
            yield {**output, "rights": rights} if type(output) is dict else output


@pytest.mark.parametrize("middleware", [ReadsRights, ReadsRightsAtOnce])
def test_spider_middlewares_read_the_text_as_downloaded(middleware: type[Any], serve: Serve) -> None:
    same(Soups, serve(RandomSite(1)), SPIDER_MIDDLEWARES={middleware: 500}, **SEQUENTIAL)


class SlowInput:
    """Gives a comparison time to end between a page's preparation and its callback."""

    def process_spider_input(self, response: Any) -> None:
        time.sleep(0.02)


def test_page_objects_made_before_a_part_is_kept_lose_nothing(serve: Serve) -> None:
    pytest.importorskip("scrapy_poet")
    from tests.support.poet_pages import TextObjects

    addons = {"scrapy_poet.Addon": 300, "scrapy_tps.Addon": 500}
    same(TextObjects, serve(RandomSite(7)), ADDONS=addons, SPIDER_MIDDLEWARES={SlowInput: 10_001})


def test_text_is_compared_although_selectors_lost_nothing_with_its_parts(serve: Serve) -> None:
    """The shadow check compares pages whose text is not read before those whose text is."""
    same(ReadsSeldom, serve(RandomSite(213)), TPS_SHADOW=0.3, **SEQUENTIAL)


class ExplainsAtOnce(TpsShadowMiddleware):
    """Explains the loss of a page while that of an earlier one is kept."""

    def spider_opened(self) -> None:
        super().spider_opened()
        explain = self._checker.explain
        both = asyncio.Event()

        async def explain_at_once(check: Any) -> None:
            if check.visit.response.url.endswith("/1"):
                await both.wait()
            elif not both.is_set():
                both.set()
                while not self.auto_keeps.of("127.0.0.1"):
                    await asyncio.sleep(0)
            await explain(check)

        self._checker.explain = explain_at_once  # type: ignore[method-assign]


class LoadsInOrder(Loads):
    """A share of .3 chooses the pages 1 and 16. Those from 16 on have a code; 16 and 19 have equal parts."""

    async def start(self) -> Any:
        for number in (1, 2, 3, 16, 17, 19):
            yield scrapy.Request(f"{self.url}/item/{number}", self.parse_item, cb_kwargs={"item": {}})


def test_loss_explained_while_another_is_kept_is_repaired_later(serve: Serve) -> None:
    site = RandomSite(1, (Field("stock", "all", "aside", "class"), Field("code", "late", "footer", "class")))
    same(
        LoadsInOrder,
        serve(site),
        TPS_SHADOW=0.3,
        SPIDER_MIDDLEWARES={TpsShadowMiddleware: None, ExplainsAtOnce: 10_000},
        CONCURRENT_REQUESTS=1,
        SCRAPER_SLOT_MAX_ACTIVE_SIZE=len(site.item(1))
        + 1000,  # one page is requested while another is compared
    )


@pytest.mark.parametrize("share", ["all", "some", "late"])
@pytest.mark.parametrize("spider", [Loads, Soups])
def test_part_of_all_pages_or_of_some_is_kept(
    spider: type[Any], share: str, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    url = serve(RandomSite(1, (Field("stock", share, "aside", "class"),)))
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        stats = same(spider, url, **SEQUENTIAL)
    assert stats["tps/compare/kept"] == 1
    assert stats["tps/compare/pages"] <= 6
    assert "TPS_DOMAINS = {'127.0.0.1': {'TPS_KEEP': ['div.stock > span']}}" in caplog.text
    assert "parts that were removed at first: div.stock > span." in caplog.text


def test_the_advised_setting_has_the_selectors_of_the_configured_one(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        same(Soups, url, TPS_KEEP=["nav.topics"], **SEQUENTIAL)
    assert "{'TPS_KEEP': ['nav.topics', 'div.stock > span']}}" in caplog.text


def test_extra_item_of_the_pruned_page_is_found_and_repaired(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    url = serve(RandomSite(2))
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        stats = same(GuardsByWords, url, **SEQUENTIAL)
    assert stats["tps/compare/kept"] == 1
    assert "1 that the original does not give" in caplog.text


def test_what_too_many_parts_hold_is_read_from_the_page_as_downloaded(serve: Serve) -> None:
    stats = same(Measures, serve(RandomSite(3, menus=tuple("abcdefgh"))), **SEQUENTIAL)
    assert "tps/compare/kept" not in stats
    assert stats["tps/text/pages"] == PAGES
    assert stats["tps/compare/pages"] == 1


def test_kept_parts_are_those_of_the_next_crawl(serve: Serve, tmp_path: Any) -> None:
    url, file = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),))), str(tmp_path / "s.sqlite")
    assert "tps/compare/kept" in same(Soups, url, TPS_STATS_FILE=file, **SEQUENTIAL)
    assert "tps/compare/kept" not in same(Soups, url, TPS_STATS_FILE=file, **SEQUENTIAL)


class GivesLateItems(Soups):
    """Gives no items for the first pages."""

    def parse_item(self, response: Any, item: dict[str, Any]) -> Any:
        found = self.read(response)
        yield from [found] if response.url.endswith(("/9", "/13", "/17")) else []


def test_page_without_items_does_not_show_that_a_part_is_not_needed(serve: Serve) -> None:
    url = serve(RandomSite(1, (Field("stock", "some", "aside", "class"),)))
    assert same(GivesLateItems, url, **SEQUENTIAL)["tps/compare/kept"] == 1


class ReadsAttributes(TextSpider):
    """An attribute of an element that all pages have."""

    def read(self, response: Any) -> dict[str, Any]:
        return {"stock": re.findall(r'title="(Stock \d+)"', response.text)}


def test_part_whose_attribute_has_another_value_is_compared(serve: Serve) -> None:
    url = serve(RandomSite(1, (Field("stock", "late", "aside", "attribute"),)))
    assert same(ReadsAttributes, url, **SEQUENTIAL)["tps/compare/kept"] == 1


class LateRemark(Field):
    """A remark of readers, another one on each page, that names the value on later pages only."""

    def html(self, number: int) -> str:
        return f'<p class="remark">Remark {number}: {f"Stock {number}" if number < 12 else "none"}</p>'


class ReadsRemarks(TextSpider):
    """A value in free text."""

    def read(self, response: Any) -> dict[str, Any]:
        return {"stock": re.findall(r"Stock \d+", response.text)}


def test_value_that_late_free_text_has_is_found_when_pages_have_doubled(serve: Serve) -> None:
    url = serve(RandomSite(1, (LateRemark("stock", "late", "aside", "text"),)))
    expected, _ = items(ReadsRemarks, url, **SEQUENTIAL | {"TPS_ENABLED": False})
    found, stats = items(ReadsRemarks, url, **SEQUENTIAL)
    assert len(set(expected).difference(found)) == 3, "the 13th to the 15th page; the 16th is compared"
    assert stats["tps/compare/kept"] == 1


class ReadsWhatIsAsked(TextSpider):
    """Reads more of some pages, because the request says so."""

    def parse(self, response: Any) -> Any:
        for number in range(15):
            request = response.follow(f"/item/{number}", priority=-number)
            yield self.asking(request, full=number in (10, 12, 13))

    def asking(self, request: scrapy.Request, *, full: bool) -> scrapy.Request:
        return request.replace(callback=self.parse_item, cb_kwargs={"item": {"full": full}, "full": full})

    def parse_item(self, response: Any, item: dict[str, Any], full: bool = False) -> Any:
        found = re.findall("Stock \\d+" if full else "<h1>(.*?)</h1>", response.text)
        yield {**item, "found": found}


class AsksByMeta(ReadsWhatIsAsked):
    def asking(self, request: scrapy.Request, *, full: bool) -> scrapy.Request:
        return request.replace(callback=self.parse_more, meta={"mode": "full" if full else "short"})

    def parse_more(self, response: Any) -> Any:
        return self.parse_item(response, {}, full=response.meta["mode"] == "full")


class AsksByFunctions(ReadsWhatIsAsked):
    def asking(self, request: scrapy.Request, *, full: bool) -> scrapy.Request:
        if full:
            return request.replace(callback=lambda response: self.parse_item(response, {}, full=True))
        return request.replace(callback=lambda response: self.parse_item(response, {}))


@pytest.mark.parametrize("spider", [ReadsWhatIsAsked, AsksByMeta, AsksByFunctions])
def test_page_of_which_the_request_asks_more_is_compared(spider: type[Any], serve: Serve) -> None:
    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    assert same(spider, url, **SEQUENTIAL)["tps/compare/kept"] == 1


class Fails(TextSpider):
    """Misses a field that no page has."""

    def read(self, response: Any) -> dict[str, Any]:
        return {"colour": re.search(r"Colour: (\w+)", response.text)[1]}  # type: ignore[index]


def test_failure_on_the_page_as_downloaded_is_not_blamed_on_pruning(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        found, _ = items(Fails, serve(RandomSite(5)))
    assert not found
    assert "as downloaded: on these, pruning is not the cause. Look at the callback" in caplog.text


class FindsNothing(TextSpider):
    """Misses a field that no page has, and goes on."""

    def read(self, response: Any) -> dict[str, Any]:
        return {"colour": re.findall(r"Colour: (\w+)", response.text)}


def test_pages_that_were_not_compared_are_not_judged(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        stats = same(FindsNothing, serve(RandomSite(5)), **SEQUENTIAL)
    advice = "on these, pruning is not the cause. Look at the callback, or compare more pages:"
    assert f"The callback read {stats['tps/compare/pages']} pages as downloaded: {advice}" in caplog.text
    assert "TPS_SHADOW = 1" in caplog.text


class ReadsHeadings(TextSpider):
    """What stays on each page."""

    def read(self, response: Any) -> dict[str, Any]:
        return {"name": re.findall("<h1>(.*?)</h1>", response.text)}


class Drops(ReadsHeadings):
    """Takes the heading out of the tree of the page before it reads the text."""

    def read(self, response: Any) -> dict[str, Any]:
        heading = response.css("h1")[0]
        name = heading.css("::text").get()
        heading.drop()
        return {"first": name, **super().read(response)}


def test_callback_that_changes_the_tree_is_compared_on_a_page_that_it_has_not_changed(serve: Serve) -> None:
    stats = same(Drops, serve(RandomSite(1)), **SEQUENTIAL)
    assert stats["tps/compare/pages"] > 0
    assert "tps/compare/differ" not in stats


def test_comparison_without_differences_parses_no_page(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []

    def counted(*arguments: Any) -> Any:
        parsed.append(arguments)
        return parse(*arguments)

    parse = document.parse
    monkeypatch.setattr(document, "parse", counted)
    stats = same(ReadsHeadings, serve(RandomSite(1)), **SEQUENTIAL)
    assert stats["tps/compare/pages"] > 0
    assert len(parsed) == stats["tps/pages"]


class Ignores(TextSpider):
    """Looks at no page."""

    def parse(self, response: Any) -> Any:
        return ()


def test_callback_that_does_not_read_its_pages_is_not_called_a_reader(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "scrapy_tps"):
        items(Ignores, serve(RandomSite(5)))
    assert "the crawl produced no items" in caplog.text
    assert "reads the pages" not in caplog.text


class Selects(TextSpider):
    """Uses selectors alone."""

    def read(self, response: Any) -> dict[str, Any]:
        return {name: response.css(f".{name} span::text").get() for name in FIELDS}


def test_callbacks_that_only_select_are_not_compared(serve: Serve) -> None:
    stats = same(Selects, serve(RandomSite(5)))
    assert not [name for name in stats if name.startswith(("tps/compare", "tps/text"))]


def test_comparison_can_be_switched_off(serve: Serve) -> None:
    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    found, stats = items(Soups, url, TPS_COMPARE=False)
    assert all('"stock": null' in item for item in found)
    assert stats["tps/text/pages"] == PAGES
    assert "tps/compare/pages" not in stats


def test_contracts_and_parse_give_what_a_crawl_gives(serve: Serve, tmp_path: Any) -> None:
    url = serve(RandomSite(1, (Field("stock", "all", "aside", "class"),)))
    code = f'''
import re

class Stocks(scrapy.Spider):
    name = "stocks"

    def parse(self, response):
        """
        @url {url}/item/1
        @returns items 1 1
        """
        for stock in re.findall(r"Stock \\d+", response.text):
            yield {{"stock": stock}}
'''
    directory = project(tmp_path, code, "TPS_STRATEGY = 'auto'\n")
    assert "FAILED" not in run_scrapy("check", "stocks", cwd=directory).stderr
    assert "Stock" in run_scrapy("parse", "--spider", "stocks", f"{url}/item/1", cwd=directory).stdout
