"""Which pages are due, and when pruning goes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.shadow import sites
from scrapy_tps.shadow.differences import compare, item_form
from scrapy_tps.shadow.sites import SiteCheck


def forms(*items: Any) -> list[Any]:
    return [item_form(item) for item in items]


def checks(share: float = 0.1, limit: float = 0.0) -> SiteCheck:
    return SiteCheck("a.example", share, limit)


@given(st.floats(0.001, 1.0), st.integers(1, 200))
def test_share_of_pages_is_due_the_first_one_always(share: float, pages: int) -> None:
    site = checks(share)
    due = [site.is_due() for _ in range(pages)]
    assert due[0]
    assert share * pages <= sum(due) + 1e-6 <= share * pages + 1.001


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


def test_auto_keeps_of_a_site_are_few() -> None:
    site = checks()
    assert [site.may_keep() for _ in range(sites.MOST_AUTO_KEEPS + 1)] == [True] * sites.MOST_AUTO_KEEPS + [
        False
    ]


def test_callback_that_fails_without_items_is_a_loss() -> None:
    assert checks().count(compare([], []), failed=True)
