"""Comparing the outputs of two runs."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.shadow.differences import Form, compare, item_form, values, volatile

ITEMS = st.lists(
    st.fixed_dictionaries({"a": st.integers(0, 3), "b": st.sampled_from(["x", "y", ""])}), max_size=8
)


def forms(*items: Any) -> list[Form]:
    return [item_form(item) for item in items]


def request(url: str, **fields: Any) -> Form:
    return Form("request", {"method": "GET", "url": url, **fields}, url)


@given(ITEMS)
def test_runs_that_are_equal_but_for_order_do_not_differ(items: list[Any]) -> None:
    found = compare(forms(*items), forms(*items[::-1])).items
    assert (found.lost, found.changed, found.extra, found.costs) == ([], [], [], 0)


@given(ITEMS, ITEMS)
def test_every_item_is_equal_changed_lost_or_extra(original: list[Any], pruned: list[Any]) -> None:
    found = compare(forms(*original), forms(*pruned)).items
    assert len(original) - len(found.lost) == len(pruned) - len(found.extra)
    assert found.number == len(original)
    assert len(found.changed) <= min(len(original), len(pruned))
    assert found.costs == len(found.lost) + len(found.changed) + len(found.extra)


def test_one_of_two_equal_items_can_be_lost() -> None:
    assert len(compare(forms({"a": 1}, {"a": 1}), forms({"a": 1})).items.lost) == 1


def test_changed_items_are_paired_by_what_they_share() -> None:
    original = forms({"name": "a", "price": 1}, {"name": "b", "price": 2}, {"name": "c", "price": 3})
    found = compare(original, forms({"name": "c", "price": None}, {"name": "a", "price": 1})).items
    assert [change.original.fields["name"] for change in found.changed] == ["c"]
    assert found.changed[0].fields == ("price",)
    assert [form.fields["name"] for form in found.lost] == ["b"]


def test_as_many_left_on_both_sides_are_paired_in_order() -> None:
    found = compare(forms({"text": "a b"}), forms({"text": "a"})).items
    assert (len(found.changed), found.lost, found.extra) == (1, [], [])


def test_value_that_very_many_share_pairs_nothing() -> None:
    original = forms(*({"shop": "s", "name": str(number)} for number in range(300)))
    found = compare(
        original, forms(*({"shop": "s", "name": f"other {number}"} for number in range(200)))
    ).items
    assert len(found.lost) == 300


def test_requests_are_compared_as_a_set_with_what_they_carry() -> None:
    original = [request("/1"), request("/1"), request("/2", **{"cb_kwargs.price": "1"}), request("/3")]
    found = compare(
        original, [request("/2", **{"cb_kwargs.price": None}), request("/1"), request("/4")]
    ).requests
    assert found.number == 3
    assert [form.fields["url"] for form in found.lost] == ["/3"]
    assert [change.fields for change in found.changed] == [("cb_kwargs.price",)]
    assert [form.fields["url"] for form in found.extra] == ["/4"]


def test_what_differs_between_runs_over_one_page_is_volatile() -> None:
    first = [
        *forms({"name": "a", "time": 1}),
        request("https://a.example/p?t=1"),
        request("https://a.example/q"),
    ]
    second = [*forms({"name": "a", "time": 2}), request("https://a.example/p?t=2")]
    found = volatile(compare(first, second))
    # what the second run does not give at all was given once and for all: not volatile
    assert found == {("dict", "time"), ("request", "https://a.example/p")}
    assert not compare(first[:2], second, found).costs


def test_values_are_listed_once_in_order() -> None:
    assert values({"a": ["x", {"b": 2}], "c": "x", "d": None, "e": True, "f": ""}) == ["x", 2]
