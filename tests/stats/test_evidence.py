"""Which selectors and fields look wrong: by one crawl, and by the spider's crawls before it."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from scrapy_tps.spiders import RecordItem
from scrapy_tps.stats.coverage import UseKey, selector_use
from scrapy_tps.stats.evidence import Evidence, gather
from scrapy_tps.stats.fields import KnownFields, PageItems
from scrapy_tps.stats.figures import SiteFigures
from scrapy_tps.stats.store import FiguresStore
from tests.stats.test_coverage import FOUND, NOTHING, Counts

SITE = "a.example"


def page(figures: SiteFigures, items: list[dict[str, Any]], known: KnownFields, **selectors: Counts) -> None:
    """A page of the callback ``parse`` that gave these items and asked these selectors."""
    found = PageItems("http://a.example/")
    for item in items:
        found.add(item)
    counts = known.counts("parse", found) if items else known.missing("parse")
    uses = [selector_use(UseKey("parse", "", f".{name}"), one) for name, one in selectors.items()]
    figures.uses.add_page([*counts, *uses], 1)
    figures.add({"pages": 1, "items": len(items)})


def crawled(pages: list[list[dict[str, Any]]], **selectors: Counts) -> SiteFigures:
    """A site with these pages, on each of which the selectors did so."""
    figures, known = SiteFigures(), KnownFields()
    for items in pages:
        page(figures, items, known, **selectors)
    return figures


def items(number: int, **fields: Any) -> list[list[dict[str, Any]]]:
    """Pages with an item each, whose names and prices differ."""
    return [[{"name": f"n{n}", "price": n, "kind": f"k{n % 3}", **fields}] for n in range(number)]


def health(*crawls: dict[str, SiteFigures] | SiteFigures, pages: int = 10) -> Evidence:
    """Return the selectors and fields that look wrong in the last of the spider's crawls."""
    with closing(FiguresStore(":memory:")) as store:
        for sites in crawls:
            number = store.begin_crawl("shop")
            store.add(number, {SITE: sites} if isinstance(sites, SiteFigures) else sites, "finished")
        return gather(store.uses(number), store.earlier(number), pages)


def told(found: Evidence) -> list[str]:
    return [str(one) for one in found.troubles.values()]


def test_a_field_that_is_never_filled_and_a_selector_that_finds_nothing_are_told_of_a_first_crawl() -> None:
    found = health(crawled(items(12, stock=None), stock=NOTHING, name=FOUND))
    assert told(found) == [
        "stock of dict (callback parse): blank in all 12 items",
        ".stock (callback parse): found nothing on all 12 pages",
    ]
    assert [row.name for row in found.causes(SITE, "parse")] == [".stock"]
    assert told(health(crawled(items(9, stock=None), stock=NOTHING))) == []  # too few to tell


def test_a_selector_on_pages_without_items_is_a_cause_and_not_told() -> None:
    figures = crawled([[]] * 20, next=NOTHING)
    assert told(health(figures)) == []
    assert [row.name for row in health(figures).causes(SITE)] == [".next"]


def test_what_other_sites_lack_as_well_is_not_told_of_one() -> None:
    full, lacking = crawled(items(12, stock="1")), crawled(items(12, stock=None))
    found = health({"a.example": full, "b.example": lacking})
    assert {one.row.site for one in found.troubles.values()} == {"b.example"}
    assert told(health({"a.example": full, "b.example": lacking, "c.example": lacking})) == []


def test_a_field_that_stops_within_the_crawl_is_told() -> None:
    pages = items(15, stock="1") + items(12, stock="")
    assert told(health(crawled(pages))) == ["stock of dict (callback parse): blank on the last 12 pages"]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((20, 20, 0), "100 → 0 % of 20 items since crawl 3"),
        ((20, 17, 13), "100 → 65 % of 20 items since crawl 2"),
        ((20, 0, 0), "100 → 0 % of 20 items since crawl 2"),
        ((20, 20, 18), ""),  # less than chance may do, and than matters
        ((10, 10, 8), ""),
    ],
)
def test_a_field_that_is_filled_less_often_than_in_earlier_crawls_is_told(
    shares: tuple[int, ...], expected: str
) -> None:
    crawls = [crawled(items(filled, stock="1") + items(20 - filled, stock=None)) for filled in shares]
    assert told(health(*crawls)) == ([f"stock of dict (callback parse): {expected}"] if expected else [])


def test_a_selector_that_found_something_in_an_earlier_crawl_is_told() -> None:
    before, after = crawled(items(12), name=FOUND), crawled(items(12), name=NOTHING)
    assert told(health(before, after)) == [".name (callback parse): 100 → 0 % of 12 pages since crawl 2"]
    # after five crawls it is one that never finds anything
    assert told(health(before, *[after] * 6)) == [".name (callback parse): found nothing on all 12 pages"]


def test_other_spiders_and_sites_are_not_compared() -> None:
    with closing(FiguresStore(":memory:")) as store:
        store.add(store.begin_crawl("forum"), {SITE: crawled(items(30), name=FOUND)}, "finished")
        last = store.begin_crawl("shop")
        store.add(last, {SITE: crawled(items(12, price=None))}, "finished")
        earlier = store.earlier(last)
    assert (earlier.rows, earlier.items) == ([], [])


def test_pages_that_give_no_item_any_more_are_told() -> None:
    assert told(health(crawled(items(20)), crawled(items(8) + [[]] * 12))) == [
        "dict (callback parse): 100 → 40 % of 20 pages since crawl 2"
    ]


def test_a_site_that_gives_less_than_half_of_its_items_is_told_where_crawls_ended_by_themselves() -> None:
    found = health(crawled(items(30)), crawled(items(14)))
    assert found.earlier.items == [(SITE, 1, 30)]
    assert health(crawled(items(30)), crawled(items(15))).earlier.items == []
    moved = health({"a.example": crawled(items(30))}, {"b.example": crawled(items(30))})
    assert (moved.earlier.items, moved.earlier.new) == ([("a.example", 1, 30)], ("b.example", 30))


def test_items_that_are_the_same_over_and_over_are_told() -> None:
    same = [[{"name": "n", "price": 1, "kind": "k"}]] * 12
    assert told(health(crawled(same))) == [
        "dict (callback parse): only 1 different among 12 items, page addresses aside"
    ]
    assert (
        told(health(crawled([[{"status": 200, "type": "text"}]] * 12))) == []
    )  # too little to tell them apart by


def test_items_that_differ_are_not_alike_however_many_there_are() -> None:
    assert told(health(crawled(items(2000)))) == []


def test_nothing_is_told_where_that_is_switched_off() -> None:
    assert told(health(crawled(items(12, stock=None), stock=NOTHING), pages=0)) == []


def test_parts_of_a_field_that_looks_wrong_are_not_told_again() -> None:
    found = health(crawled(items(12, offer={"price": None, "size": {"width": ""}})))
    assert told(found) == ["offer of dict (callback parse): blank in all 12 items"]


def test_columns_of_lists_are_not_promised_by_the_spider() -> None:
    lists = [[RecordItem(name=f"n{n}", badge="new")] for n in range(12)]
    others = [[RecordItem(title=f"t{n}")] for n in range(24)]
    assert told(health(crawled(lists + others))) == []
    assert len(told(health(crawled(items(12, badge="new") + items(24, badge=None))))) == 1


def test_a_quarter_of_the_pages_of_a_callback_without_output_is_told_of_a_first_crawl() -> None:
    pages = [one for item in items(20) for one in ([item, []] if item[0]["price"] % 2 else [item])]
    assert told(health(crawled(pages))) == [
        "dict (callback parse): 10 of 30 pages yielded neither items nor requests"
    ]
    assert told(health(crawled(items(36) + pages))) == []


def test_what_was_so_in_an_earlier_crawl_is_as_usual() -> None:
    silent = crawled(items(20) + [[]] * 12)
    assert told(health(silent, silent)) == []
    stopping = crawled(items(15, stock="1") + items(15, stock=""))
    assert told(health(stopping)) == ["stock of dict (callback parse): blank on the last 15 pages"]
    assert told(health(stopping, stopping)) == []


def test_a_field_that_varied_and_has_one_value_now_is_told() -> None:
    same = [[{**item[0], "name": "all the same"}] for item in items(12)]
    found = health(crawled(items(12)), crawled(same))
    assert "name of dict (callback parse): one value in all 12 items, several in crawl 1" in told(found)
    assert told(health(crawled(items(12)), crawled(items(12)))) == []


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ("a text of many words " * 9, "short", "5 characters on average, 189 in crawl 1"),
        ("1,299.00 GBP", "Price on request", "0% digits, 50% in crawl 1"),
        (["one", "two"], ["one and two and three " * 2] * 3, "134 characters on average, 7 in crawl 1"),
    ],
)
def test_texts_of_another_kind_than_in_earlier_crawls_are_told(before: Any, now: Any, words: str) -> None:
    earlier, changed = crawled(items(12, about=before)), crawled(items(12, about=now))
    assert f"about of dict (callback parse): {words}" in told(health(earlier, changed))
    assert told(health(earlier, earlier)) == []
    assert told(health(earlier, changed, changed)) == []
