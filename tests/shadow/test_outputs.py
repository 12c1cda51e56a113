"""Forms of outputs, and copies that a second run may change."""

from __future__ import annotations

import dataclasses
import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itemloaders import ItemLoader
from parsel import Selector
from scrapy import Field, Item, Request

from scrapy_tps.shadow.copies import independent
from scrapy_tps.shadow.differences import as_data, item_form, request_form

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)


class Product(Item):
    name = Field()
    tags = Field()


@dataclasses.dataclass
class Record:
    name: str
    tags: list[str]


@dataclasses.dataclass(frozen=True)
class Frozen:
    name: str


@pytest.mark.parametrize(
    "item", [{"name": "a", "tags": ["x"]}, Product(name="a", tags=["x"]), Record(name="a", tags=["x"])]
)
def test_items_of_every_type_have_their_fields(item: Any) -> None:
    assert item_form(item).fields == {"name": "a", "tags": ["x"]}


def test_kinds_of_items_are_told_apart() -> None:
    assert item_form({"name": "a"}).key() != item_form(Frozen("a")).key()


def test_white_space_and_the_order_of_fields_do_not_count() -> None:
    assert item_form({"a": "x  y\n", "b": 1}).key() == item_form({"b": 1, "a": "x y"}).key()


def test_none_is_as_good_as_no_field() -> None:
    assert item_form({"a": 1, "b": None}).key() == item_form({"a": 1}).key()


def test_ignored_fields_are_left_out() -> None:
    forms = [item_form({"a": 1, "time": time}) for time in (1, 2)]
    assert forms[0].key() != forms[1].key()
    assert len({form.key(frozenset({("dict", "time")})) for form in forms}) == 1
    assert len({form.key(frozenset({("", "time")})) for form in forms}) == 1


def test_values_beyond_json_have_a_form() -> None:
    value = {
        "p": Decimal("1.5"),
        "d": datetime.date(2026, 11, 20),
        "s": {2, 1},
        "o": object(),
        "n": float("nan"),
        "e": Selector(text="<b>a</b>").css("b"),
    }
    assert as_data(value) == {
        "p": "1.5",
        "d": "2026-11-20",
        "s": [1, 2],
        "o": "<object object>",
        "n": "nan",
        "e": ["<b>a</b>"],
    }


def test_request_has_what_it_carries() -> None:
    request = Request("https://a.example/", cb_kwargs={"item": {"a": 1}}, meta={"page": 2})
    form = request_form(request, "f")
    assert form.fields["cb_kwargs.item"] == {"a": 1}
    assert form.fields["meta.page"] == 2


@given(DATA)
def test_every_value_has_a_key_and_its_copy_has_the_same(value: Any) -> None:
    assert item_form({"v": value}).key() == item_form({"v": independent(value)}).key()


@pytest.mark.parametrize(
    "item", [Product(name="a", tags=["x"]), Record("a", ["x"]), {"name": "a", "tags": ["x"]}]
)
def test_changing_a_copy_leaves_the_item_alone(item: Any) -> None:
    before = item_form(item)
    [new] = independent([item])
    tags = new.tags if isinstance(new, Record) else new["tags"]
    tags.append("y")
    assert item_form(item) == before
    assert type(new) is type(item)


def test_frozen_items_and_live_objects_are_shared() -> None:
    frozen, live = Frozen("a"), object()
    assert independent({"frozen": frozen, "live": live}) == {"frozen": frozen, "live": live}


def test_structures_that_hold_themselves_are_copied() -> None:
    value: list[Any] = [1]
    value.append(value)
    new = independent(value)
    assert new is not value
    assert new[1] is new


def test_item_loader_is_copied_without_its_page() -> None:
    selector = Selector("<p>a</p>")
    loader = ItemLoader(item={}, selector=selector)
    loader.add_css("name", "p::text")
    new = independent({"loader": loader})["loader"]
    new.add_value("price", "1")
    assert new.load_item() == {"name": ["a"], "price": ["1"]}
    assert loader.load_item() == {"name": ["a"]}
    assert new.selector is selector
