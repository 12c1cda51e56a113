"""The drift alarm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.stats import drift
from scrapy_tps.stats.drift import FEWER_ITEMS, NO_ITEMS, DriftWatch


def kinds(watch: DriftWatch, *items: int, pruned: bool = True, site: str = "a.example") -> list[list[str]]:
    return [
        [alarm.kind for alarm in watch.page(site, "parse", pruned=pruned, items=number)] for number in items
    ]


def test_page_without_items_after_enough_with_some_is_an_alarm_until_items_come_again() -> None:
    watch = DriftWatch(3, 0.3)
    assert kinds(watch, 1, 5, 2, 0, 0, 4, 0) == [[], [], [], [NO_ITEMS], [NO_ITEMS], [], []]


def test_only_the_first_alarm_of_a_kind_is_told() -> None:
    watch = DriftWatch(2, 0.3)
    told = [
        alarm.first
        for number in (1, 1, 0, 0, 1, 1, 0)
        for alarm in watch.page("a.example", "parse", pruned=True, items=number)
    ]
    assert told == [True, False, False]


def test_callbacks_and_sites_are_watched_apart() -> None:
    watch = DriftWatch(2, 0.3)
    assert kinds(watch, 1, 1) == [[], []]
    assert kinds(watch, 0, site="b.example") == [[]]
    assert not watch.page("a.example", "parse_list", pruned=True, items=0)
    assert kinds(watch, 0) == [[NO_ITEMS]]


def test_page_kept_whole_without_items_is_not_the_prunings_doing() -> None:
    watch = DriftWatch(2, 0.3)
    kinds(watch, 1, 1)
    assert kinds(watch, 0, pruned=False) == [[]]
    assert kinds(watch, 0) == [[]]


@pytest.mark.parametrize(("items", "alarm"), [(6, True), (7, False), (10, False), (12, False)])
def test_fewer_items_than_on_pages_kept_whole_is_an_alarm_once(items: int, alarm: bool) -> None:
    watch = DriftWatch(3, 0.3)
    kinds(watch, 10, 10, 10, pruned=False)
    assert kinds(watch, *[items] * 4) == [[], [], [FEWER_ITEMS] if alarm else [], []]


def test_reason_tells_both_means() -> None:
    watch = DriftWatch(1, 0.3)
    kinds(watch, 10, pruned=False)
    [alarm] = watch.page("a.example", "parse", pruned=True, items=2)
    assert alarm.reason == "2.00 items a page on 1 pruned pages, 10.00 on the 1 kept whole"


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=50))
def test_nothing_is_watched_where_it_is_off(pages: list[tuple[bool, int]]) -> None:
    watch = DriftWatch(0, 0.3)
    assert not any(watch.page("a.example", "parse", pruned=pruned, items=items) for pruned, items in pages)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "MOST_WATCHED", 3)
    watch = DriftWatch(1, 0.3)
    for number in range(5):
        kinds(watch, 1, site=f"{number}.example")
    assert kinds(watch, 0, site="4.example") == [[NO_ITEMS]]
    assert kinds(watch, 0, site="0.example") == [[]]
