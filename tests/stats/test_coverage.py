"""The health of selectors: figures that add up, in memory and in the file."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_tps.engine.fallback.usage import OTHER_SELECTORS
from scrapy_tps.stats.coverage import (
    LONGEST,
    MOST_USES,
    UseFigures,
    UseKey,
    callback_name,
    selector_use,
    use_key,
)
from scrapy_tps.stats.figures import SiteFigures
from scrapy_tps.stats.store import FiguresStore

if TYPE_CHECKING:
    from scrapy_tps.stats.coverage import UseRow

PRICE, TITLE = UseKey("parse", "", ".price"), UseKey("parse", "", "h1")


@dataclass
class Counts:
    used: int = 1
    found: int = 0
    original: int = 0
    partly: int = 0
    taken: int = 0

    @property
    def nothing(self) -> int:
        return self.used - self.found - self.original


FOUND, ORIGINAL, NOTHING = Counts(found=1), Counts(original=1), Counts()


def site_figures(*pages: Counts, key: UseKey = PRICE, first: int = 1) -> SiteFigures:
    """Figures of a site with these pages, one a second."""
    figures = SiteFigures()
    for now, page in enumerate(pages, first):
        figures.uses.add_page([selector_use(key, page)], now)
    return figures


def only(rows: list[UseRow]) -> UseFigures:
    (row,) = rows
    return row.figures


@given(st.lists(st.lists(st.sampled_from([FOUND, ORIGINAL, NOTHING]), max_size=4), max_size=5))
def test_figures_written_in_parts_are_those_of_all_pages(parts: list[list[Counts]]) -> None:
    pages = [page for part in parts for page in part]
    with closing(FiguresStore(":memory:")) as store:
        crawl = store.begin_crawl("shop")
        done = 0
        for part in parts:
            store.add(crawl, {"a.example": site_figures(*part, first=done + 1)})
            done += len(part)
        stored = [row.figures for row in store.uses(crawl)]
    assert stored == list(site_figures(*pages).uses.values())


def test_what_was_found_and_since_when_not_is_told() -> None:
    ((_, figures),) = site_figures(
        FOUND, ORIGINAL, Counts(used=5, found=2, partly=1), NOTHING, NOTHING
    ).uses.items()
    assert (figures.asked, figures.found, figures.original, figures.partly, figures.nothing) == (
        9,
        3,
        1,
        1,
        5,
    )
    assert (figures.pages, figures.found_pages, figures.dry, figures.last_found) == (5, 3, 2, 3)


def test_selectors_beyond_the_most_of_a_site_are_added_up_in_memory_and_in_the_file() -> None:
    with closing(FiguresStore(":memory:")) as store:
        crawl = store.begin_crawl("shop")
        for part in range(3):
            figures = SiteFigures()
            for number in range(MOST_USES):
                figures.uses.add_page(
                    [selector_use(UseKey("parse", "", f"//a[@id='{part}-{number}']"), FOUND)], 1
                )
            figures.uses.add_page([selector_use(PRICE, FOUND)], 1)
            assert len(figures.uses) == MOST_USES + 1
            store.add(crawl, {"a.example": figures})
        rows = {row.name: row.figures.asked for row in store.uses(crawl)}
    assert len(rows) == MOST_USES + 1
    assert rows[OTHER_SELECTORS] == 2 * MOST_USES + 3


def test_selectors_that_the_file_has_stay_apart_when_too_many_others_come() -> None:
    with closing(FiguresStore(":memory:")) as store:
        crawl = store.begin_crawl("shop")
        for part in range(2):
            figures = SiteFigures()
            for number in range(MOST_USES - 1):
                figures.uses.add_page(
                    [selector_use(UseKey("parse", "", f"//a[@id='{part}-{number}']"), FOUND)], 1
                )
            figures.merge(site_figures(FOUND))
            store.add(crawl, {"a.example": figures})
        rows = {row.name: row.figures.asked for row in store.uses(crawl)}
    assert rows[PRICE.name] == 2
    assert rows[OTHER_SELECTORS] == MOST_USES - 1


def test_a_stored_request_of_a_rule_that_is_gone_is_counted_by_its_number() -> None:
    class Shop(CrawlSpider):
        name = "shop"
        rules = (Rule(LinkExtractor(), callback="parse_item"),)

        def parse_item(self, response: object) -> None:
            """Not called."""

    spider = Shop()
    requests = [
        Request("https://a.example", callback=spider._callback, meta={"rule": rule}) for rule in (0, 1)
    ]
    assert [callback_name(request) for request in requests] == ["parse_item", "_callback:1"]


def test_long_selectors_keep_their_start_and_end() -> None:
    kept = use_key("parse", "", "//a" + "b" * 1000 + "[last()]").name
    assert len(kept) == LONGEST
    assert (kept[:4], kept[-8:]) == ("//ab", "[last()]")


@pytest.mark.parametrize(
    ("pages", "stopped"),
    [
        ([FOUND] * 3 + [NOTHING] * 2, False),
        ([FOUND] * 3 + [NOTHING] * 3, True),
        ([ORIGINAL] * 3 + [NOTHING] * 3, True),
        ([FOUND] * 3 + [NOTHING] * 9 + [FOUND], False),
        ([FOUND, *[NOTHING] * 9] * 10, False),  # what few pages have must find nothing for longer
        ([FOUND, *[NOTHING] * 9] * 10 + [NOTHING] * 20, True),
        ([NOTHING] * 100, False),
        ([FOUND] * 2 + [NOTHING] * 100, False),
    ],
)
def test_a_selector_stops_finding_anything_where_chance_does_not_explain_it(
    pages: list[Counts], stopped: bool
) -> None:
    ((_, figures),) = site_figures(*pages).uses.items()
    assert figures.finds_nothing_any_more(3) is stopped


@given(st.lists(st.lists(st.sampled_from([FOUND, NOTHING]), max_size=9), min_size=1, max_size=6))
def test_the_file_gives_selectors_in_the_order_of_lists(sites: list[list[Counts]]) -> None:
    figures = {f"{number}.example": site_figures(*pages) for number, pages in enumerate(sites)}
    with closing(FiguresStore(":memory:")) as store:
        crawl = store.begin_crawl("shop")
        store.add(crawl, figures)
        rows = list(store.uses(crawl))
        assert [row.order() for row in rows] == sorted(row.order() for row in rows)
