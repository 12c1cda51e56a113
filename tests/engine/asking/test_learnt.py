"""What was asked for is learnt per site: a set that can be stored and merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine.asking.learnt import (
    MOST_PLACES,
    Learnt,
    LearntQueries,
    Place,
    SiteQueries,
    Step,
)
from scrapy_tps.engine.selectors import compile_selector

if TYPE_CHECKING:
    import random

_NAMES = st.text("abcdefgh-_", min_size=1, max_size=5)
_STEPS = st.builds(
    Step, st.sampled_from(["div", "ul", "li"]), st.just(""), st.lists(_NAMES, max_size=2).map(tuple)
)
_LEARNT = st.builds(
    Learnt,
    st.text(max_size=20),
    st.builds(Place, st.lists(_STEPS, min_size=1, max_size=4).map(tuple), st.just(0)),
    st.text(max_size=20),
)
_KNOWN = st.lists(_LEARNT, max_size=8).map(SiteQueries)


def learnt(number: int) -> Learnt:
    name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return Learnt(f"//*[@id='{name}']", Place((Step("div", name),)))


@given(_KNOWN)
def test_what_is_known_comes_back_from_its_bytes(known: SiteQueries) -> None:
    assert SiteQueries.from_bytes(known.to_bytes()) == known


@given(st.lists(_KNOWN, min_size=1, max_size=4), st.randoms())
def test_knowledge_merges_in_any_order_any_number_of_times(
    parts: list[SiteQueries], chance: random.Random
) -> None:
    def merged(some: list[SiteQueries]) -> bytes:
        whole = SiteQueries()
        for one in some:
            whole.merge(one)
        return whole.to_bytes()

    again = parts * 2
    chance.shuffle(again)
    assert merged(again) == merged(parts)


def test_of_too_many_the_same_stay_whatever_the_order() -> None:
    all_of_them = [learnt(number) for number in range(3 * MOST_PLACES)]
    known = SiteQueries(all_of_them)
    assert len(known) == MOST_PLACES
    assert SiteQueries(reversed(all_of_them)).to_bytes() == known.to_bytes()


def test_sites_that_were_used_least_recently_are_forgotten() -> None:
    known = LearntQueries(most_sites=2)
    for site in ("a", "b"):
        assert known.learn(site, [learnt(1)])
    assert not known.learn("a", [learnt(1)])
    known.learn("c", [learnt(1)])
    assert list(known.sites()) == ["a", "c"]
    assert known.of("b") is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[2,[]]",
        b"[1,[1]]",
        b'[1,[["//a","",0,[]]]]',
        b'[1,[["//a","",0,[["div","x\'] | //script[\'"]]]]]',
        b'[1,[["//a","",0,[["div/..",""]]]]]',
        b'[1,[["//a","",1,[["div",""]]]]]',
        b"\xff",
    ],
)
def test_bytes_of_another_kind_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="learnt"):
        SiteQueries.from_bytes(data)


@pytest.mark.parametrize(
    ("written", "selector"),
    [
        (".tags a", ".tags a"),
        (".tags a::text", ".tags a"),
        ("aside .topic::attr(href)", "aside .topic"),
        ("//ul[@id='tags']//a/@href", "//ul[@id='tags']//a"),
        ("string(//ul[@id='tags'])", "body > ul.tags"),
        ("a::text", "body > ul.tags"),
    ],
)
def test_settings_name_what_the_query_names_where_that_is_a_name(written: str, selector: str) -> None:
    query = (
        written if written.startswith(("/", "string")) else ".//a" if written == "a::text" else "//*[@id='x']"
    )
    one = Learnt(query, Place((Step("ul", "", ("tags",)),)), "" if query == written else written)
    assert one.keep_selector == selector
    compile_selector(one.keep_selector)
