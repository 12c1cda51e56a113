"""Which pages are checked, and when pruning goes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.shadow import sites
from scrapy_tps.shadow.differences import Form, compare, item_form
from scrapy_tps.shadow.sites import SiteCheck


def forms(*items: Any) -> list[Form]:
    return [item_form(item) for item in items]


def checks(share: float = 0.1, limit: float = 0.0) -> SiteCheck:
    return SiteCheck("a.example", share, limit)


@given(st.floats(0.001, 1.0), st.integers(1, 200))
def test_share_of_pages_is_chosen_the_first_one_always(share: float, pages: int) -> None:
    site = checks(share)
    chosen = []
    for _ in range(pages):
        chosen.append(site.chosen("parse"))
        site.confirm("parse", ())
    assert chosen[0]
    assert share * pages <= sum(chosen) + 1e-6 <= share * pages + 1.001


def test_first_page_of_each_callback_is_chosen() -> None:
    site = checks(0.01)
    assert site.chosen("parse")
    site.confirm("parse", ())
    assert not site.chosen("parse")
    assert site.chosen("parse_item")


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
    site.confirm("parse", forms({"name": "a", "price": 1, "note": "x"}, {"name": "b", "price": 2}))
    assert site.suspicious("parse", forms(*items)) is suspicious


def test_page_found_right_is_expected_from_then_on() -> None:
    site = checks()
    site.confirm("parse", forms({"name": "a"}, {"name": "b"}))
    site.confirm("parse", forms({"name": "a"}))
    assert not site.suspicious("parse", forms({"name": "c"}))


def test_page_without_a_kind_of_items_lacks_none_of_its_fields() -> None:
    site = checks()
    offer, note, video = (Form(kind, {"text": "x"}) for kind in ("Offer", "Note", "Video"))
    site.confirm("parse", [offer, note])
    assert not site.suspicious("parse", [offer, offer])
    assert site.suspicious("parse", [offer, Form("Note", {"text": ""})])
    site.confirm("parse", [offer, video])  # a kind that no page before had
    assert site.suspicious("parse", [offer, Form("Video", {"text": None})])
    assert site.suspicious("parse", [offer, Form("Note", {"text": ""})])


@pytest.mark.parametrize(("limit", "off"), [(0.0, True), (0.2, True), (0.25, False), (1.0, False)])
def test_a_site_may_lose_no_more_than_the_limit(limit: float, off: bool) -> None:
    site = checks(limit=limit)
    difference = compare(forms(*({"n": number} for number in range(4))), forms({"n": 0}, {"n": 1}, {"n": 2}))
    assert site.count(difference, failed=False) is off
    site.off = True
    # it goes but once
    assert not site.count(difference, failed=False)


def test_what_was_lost_before_an_auto_keep_does_not_count() -> None:
    site = checks(limit=0.5)
    everything = compare(forms({"n": 1}), [])
    nothing = compare(forms({"n": 1}), forms({"n": 1}))
    assert site.count(everything, failed=False)
    assert site.may_keep()
    assert not site.count(nothing, failed=False)


def test_what_was_lost_before_an_auto_keep_of_another_process_does_not_count() -> None:
    site = checks(limit=0.5)
    everything = compare(forms({"n": 1}), [])
    nothing = compare(forms({"n": 1}), forms({"n": 1}))
    assert site.count(everything, failed=False)
    for _ in range(sites.MOST_AUTO_KEEPS + 1):
        site.kept_elsewhere()
    assert not site.count(nothing, failed=False)
    assert site.may_keep()


def test_the_first_pages_after_an_auto_keep_are_checked() -> None:
    site = checks(0.001)
    assert site.chosen("parse")
    site.confirm("parse", ())
    assert site.may_keep()
    chosen = [site.chosen("parse") for _ in range(sites.CHECKED_AFTER + 2)]
    assert chosen == [True] * sites.CHECKED_AFTER + [False] * 2


def test_auto_keeps_of_a_site_are_few() -> None:
    site = checks()
    assert [site.may_keep() for _ in range(sites.MOST_AUTO_KEEPS + 1)] == [True] * sites.MOST_AUTO_KEEPS + [
        False
    ]


def test_callback_that_fails_without_items_is_a_loss() -> None:
    assert checks().count(compare([], []), failed=True)
