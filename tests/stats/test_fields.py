"""Field coverage: which fields of items count as filled, whatever the items are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Field, Item

from scrapy_tps.stats.coverage import UseKey, Uses
from scrapy_tps.stats.fields import MOST_DISTINCT, MOST_FIELDS, KnownFields, PageItems, distinct

URL = "http://a.example/1"


class Product(Item):
    name = Field()
    price = Field()


@dataclass
class Offer:
    price: Any = None
    size: Any = None


def coverage(*items: Any) -> dict[str, tuple[int, int]]:
    """Return for each field of a page's items: items, and those in which it is filled; the items have an empty name."""
    page = PageItems(URL)
    for item in items:
        page.add(item)
    return {key.name: (items, filled) for key, items, filled, *_ in KnownFields().counts("parse", page)}


@pytest.mark.parametrize(
    "value",
    [None, "", " \n", [], {}, (), [None, ""], {"a": None}, [{"a": " "}], b"", Offer(), set()],
    ids=repr,
)
def test_blank_is_what_says_nothing(value: Any) -> None:
    assert coverage({"a": value})["a"] == (1, 0)


@pytest.mark.parametrize(
    "value",
    ["x", 0, False, 0.0, [0], {"a": 1}, b"x", date(2026, 1, 1), Decimal(0), Offer(1), object(), {"x"}],
)
def test_everything_else_is_filled(value: Any) -> None:
    assert coverage({"a": value})["a"] == (1, 1)


def made(kind: str) -> Any:
    """An item of a library."""
    if kind == "attrs":
        return pytest.importorskip("attr").make_class("Made", ["price"])("1")
    return pytest.importorskip("pydantic").create_model("Model", price=(Any, None))(price="1")


@pytest.mark.parametrize(
    "item", ["attrs", "pydantic", Offer("1"), Product(price="1"), {"price": "1"}], ids=repr
)
def test_items_of_all_kinds_are_counted_by_their_class_and_fields(item: Any) -> None:
    item = made(item) if isinstance(item, str) else item
    page = PageItems(URL)
    page.add(item)
    uses = {key: filled for key, _, filled, *_ in KnownFields().counts("parse", page)}
    assert uses[UseKey("parse", type(item).__name__, "price")] == 1


def test_what_an_item_lacks_is_known_by_those_before_it() -> None:
    known = KnownFields()
    for item in ({"a": 1, "b": 2}, {"a": 1}):
        page = PageItems(URL)
        page.add(item)
        counts = {key.name: (items, filled) for key, items, filled, *_ in known.counts("parse", page)}
    assert counts == {"": (1, 1), "a": (1, 1), "b": (1, 0)}
    assert [key for key, *_ in known.missing("parse")] == [UseKey("parse", "dict", "")]
    assert known.missing("other") == []


def test_nested_fields_have_paths() -> None:
    found = coverage(
        {"offers": [{"price": 1}, {"price": None, "size": {"w": 2}}], "by": Offer(size=[Offer(3)])}
    )
    assert found == {
        "": (1, 1),
        "offers": (1, 1),
        "offers.price": (1, 1),
        "offers.size": (1, 1),
        "offers.size.w": (1, 1),
        "by": (1, 1),
        "by.price": (1, 0),
        "by.size": (1, 1),
        "by.size.price": (1, 1),
        "by.size.size": (1, 0),
    }


def test_fields_made_up_by_pages_are_bounded() -> None:
    known = KnownFields()
    for number in range(100):
        page = PageItems(URL)
        page.add({f"{number}-{n}": n for n in range(100)})
        assert len(known.counts("parse", page)) <= MOST_FIELDS + 1


@pytest.mark.parametrize("item", ["text", 3, object(), None])
def test_what_is_no_item_is_counted_without_fields(item: Any) -> None:
    assert coverage(item) == {"": (1, 1)}


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60, unique=True), st.integers(1, 4))
def test_values_are_counted_about_right_however_often_and_in_what_order(
    values: list[int], times: int
) -> None:
    figures, backwards = Uses(), Uses()
    for into, ordered in ((figures, values * times), (backwards, values[::-1])):
        for value in ordered:
            page = PageItems(URL)
            page.add({"a": value})
            into.add_page(KnownFields().counts("parse", page), 1)
    found, again = (distinct(one.of(UseKey("parse", "dict", "a")).sketch) for one in (figures, backwards))
    assert found == again
    assert found is not None
    assert len(values) / 3 - 2 <= found <= min(3 * len(values) + 2, MOST_DISTINCT)


def test_the_address_of_the_page_and_blanks_are_no_values() -> None:
    page = PageItems(URL)
    page.add({"url": URL, "a": None})
    assert [distinct(sketch) for *_, sketch in KnownFields().counts("parse", page)] == [1, None, None]


@pytest.mark.parametrize(
    ("filled", "found", "sparse"), [(6, 5, False), (3, 5, True), (6, 2, True), (6, 1, True)]
)
def test_a_page_is_sparse_by_its_items_or_by_its_selectors(filled: int, found: int, sparse: bool) -> None:
    known = KnownFields()
    for fields, selectors in ((6, (5, 5)), (filled, (5, found))):
        page = PageItems(URL)
        page.add({str(number): number if number < fields else None for number in range(6)})
        is_sparse = known.is_sparse("parse", page, selectors)
    assert is_sparse is sparse
    assert known.is_sparse("parse", PageItems(URL), (0, 0))


def test_misread_characters_of_the_first_item_are_noted() -> None:
    page = PageItems("http://a.example/")
    page.add(
        {"a": "Gr\N{REPLACEMENT CHARACTER}n", "b": "GrÃ¼n", "c": "itâ€™s", "d": "Grün, 20 °C, São", "e": 1}
    )
    page.add({"d": "\N{REPLACEMENT CHARACTER}"})
    assert page.garbled == {"a", "b", "c"}
