"""Which pages are checked, and when pruning goes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.shadow import sites
from scrapy_tps.shadow.comparison import compare
from scrapy_tps.shadow.forms import Form, item_form
from scrapy_tps.shadow.sites import SiteChecks


def forms(*items: Any) -> list[Form]:
    return [item_form(item) for item in items]


def checks(share: float = 0.1, limit: float = 0.0) -> SiteChecks:
    return SiteChecks(share, limit)


@given(st.floats(0.001, 1.0), st.integers(1, 200))
def test_share_of_pages_is_chosen_the_first_one_always(share: float, pages: int) -> None:
    site = checks(share)
    chosen = []
    for _ in range(pages):
        chosen.append(site.chosen("a.example", "parse"))
        site.confirm("a.example", "parse", ())
    assert chosen[0]
    assert share * pages <= sum(chosen) + 1e-6 <= share * pages + 1.001


def test_first_page_of_each_callback_is_chosen() -> None:
    site = checks(0.01)
    assert site.chosen("a.example", "parse")
    site.confirm("a.example", "parse", ())
    assert not site.chosen("a.example", "parse")
    assert site.chosen("a.example", "parse_item")
    assert site.chosen("b.example", "parse")


@pytest.mark.parametrize(
    ("items", "suspicious"),
    [
        ([{"name": "a", "price": 1}, {"name": "b", "price": 2}], False),
        ([{"name": "a", "price": 1}], True),
        ([{"name": "a", "price": 1}, {"name": "b", "price": None}], True),
        ([{"name": "a", "price": 1}, {"name": "b", "price": 2, "note": "x"}], False),
        ([{"name": "a", "price": 1}] * 3, False),
        ([], True),
    ],
)
def test_page_that_gives_less_than_any_checked_one_is_suspicious(items: list[Any], suspicious: bool) -> None:
    site = checks()
    site.confirm(
        "a.example", "parse", forms({"name": "a", "price": 1, "note": "x"}, {"name": "b", "price": 2})
    )
    assert site.suspicious("a.example", "parse", forms(*items)) is suspicious


def test_page_found_right_is_expected_from_then_on() -> None:
    site = checks()
    site.confirm("a.example", "parse", forms({"name": "a"}, {"name": "b"}))
    site.confirm("a.example", "parse", forms({"name": "a"}))
    assert not site.suspicious("a.example", "parse", forms({"name": "c"}))


@pytest.mark.parametrize(("limit", "off"), [(0.0, True), (0.2, True), (0.25, False), (1.0, False)])
def test_a_site_may_lose_no_more_than_the_limit(limit: float, off: bool) -> None:
    site = checks(limit=limit)
    difference = compare(forms(*({"n": number} for number in range(4))), forms({"n": 0}, {"n": 1}, {"n": 2}))
    assert site.count("a.example", difference, failed=False) is off
    site.switch_off("a.example")
    assert site.is_off("a.example")
    assert not site.is_off("b.example")
    # it goes but once
    assert not site.count("a.example", difference, failed=False)


def test_what_was_lost_before_a_site_was_healed_does_not_count() -> None:
    site = checks(limit=0.5)
    everything = compare(forms({"n": 1}), [])
    nothing = compare(forms({"n": 1}), forms({"n": 1}))
    assert site.count("a.example", everything, failed=False)
    assert site.healed("a.example")
    assert not site.count("a.example", nothing, failed=False)


def test_what_was_lost_before_another_process_healed_a_site_does_not_count() -> None:
    site = checks(limit=0.5)
    everything = compare(forms({"n": 1}), [])
    nothing = compare(forms({"n": 1}), forms({"n": 1}))
    assert site.count("a.example", everything, failed=False)
    for _ in range(sites.MOST_HEALINGS + 1):
        site.healed_elsewhere("a.example")
    assert not site.count("a.example", nothing, failed=False)
    assert site.healed("a.example")


def test_the_first_pages_after_a_site_was_healed_are_checked() -> None:
    site = checks(0.001)
    assert site.chosen("a.example", "parse")
    site.confirm("a.example", "parse", ())
    assert site.healed("a.example")
    chosen = [site.chosen("a.example", "parse") for _ in range(sites.CHECKED_AFTER_HEALING + 2)]
    assert chosen == [True] * sites.CHECKED_AFTER_HEALING + [False] * 2


def test_a_site_is_not_healed_for_ever() -> None:
    site = checks()
    assert [site.healed("a.example") for _ in range(sites.MOST_HEALINGS + 1)] == [
        True
    ] * sites.MOST_HEALINGS + [False]


def test_callback_that_fails_without_items_is_a_loss() -> None:
    assert checks().count("a.example", compare([], []), failed=True)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MOST_SITES", 3)
    site = checks(0.01)
    for number in range(5):
        assert site.chosen(f"{number}.example", "parse")
        site.confirm(f"{number}.example", "parse", ())
    assert not site.chosen("4.example", "parse")
    assert site.chosen("0.example", "parse")
