"""The original whose selectors note which of their answers the pruned page would not have given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse, Request
from scrapy.linkextractors import LinkExtractor
from scrapy.selector import Selector

from scrapy_tps import prune_response
from scrapy_tps.response import PrunedMixin
from scrapy_tps.shadow.forms import item_form, request_form
from scrapy_tps.shadow.noting import collapsed, noting_page
from scrapy_tps.shadow.onerun import difference
from tests.engine.fallback.test_properties import ask, pages, queries
from tests.support.cuts import without

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.shadow.noting import Notes

URL = "http://a.example/list"
ROWS = "".join(
    f"<li class=row><a href='/r/{number}'>Record {number}</a> <b class=price>{number * 10} EUR</b></li>"
    for number in range(1, 9)
)
CAROUSEL = "".join(
    f"<p><a class=x href='/c/{number}'>Offer {number}</a> <b class=price>{number}99 EUR</b></p>"
    for number in range(1, 8)
)
PAGE = f"""<html><head><title>Records</title><base href="http://a.example/"></head><body>
<div id=main><h1>Records  of <i class=cut>noise</i> all kinds</h1><ul>{ROWS}</ul></div>
<div class=carousel>{CAROUSEL}</div><aside><p class=topic>Parks</p><form action=/s><input name=q></form></aside>
</body></html>"""
CUT = without(".carousel", "aside", ".cut")


def noted(**settings: Any) -> tuple[Any, Notes]:
    response = prune_response(HtmlResponse(URL, body=PAGE.encode(), encoding="utf-8"), {**CUT, **settings})
    found = noting_page(response, Request(URL))
    assert found is not None
    return found


@pytest.mark.parametrize("ask", [True, False])
def test_it_answers_as_the_page_as_downloaded(ask: bool) -> None:
    page, _ = noted(TPS_ASK=ask)
    plain = Selector(text=PAGE)
    for query in ("a::attr(href)", ".price::text", "h1", "li.row", ".topic::text", ".nosuch", "title::text"):
        assert page.css(query).getall() == plain.css(query).getall()
    assert page.xpath("count(//b)").get() == plain.xpath("count(//b)").get()
    assert page.css("li")[2].css("a").attrib == plain.css("li")[2].css("a").attrib
    assert page.css("li")[1].re(r"\d+ EUR") == ["20 EUR"]
    assert (page.text, page.body) == (PAGE, PAGE.encode())
    assert isinstance(page, PrunedMixin)
    assert page.tps.pruned


def test_answers_that_the_pruned_page_gives_as_well_are_no_loss() -> None:
    page, notes = noted()
    for row in page.css("li.row"):
        row.css("a::text").get()
        row.xpath("./b/text()").re_first(r"\d+")
    page.css(".topic::text").get()  # asked of the original, and given
    page.css(".nosuch").get()
    assert not notes.missing
    assert (notes.missed, notes.emptied, notes.read_text) == (0, 0, False)


def test_answers_in_parts_that_go_are_noted() -> None:
    page, notes = noted()
    assert len(page.css(".price::text").getall()) == 15
    assert notes.missed == 7
    assert "199 EUR" in notes.missing
    assert "10 EUR" in notes.given
    page.css("a.x")[0].attrib["href"]
    assert "/c/1" in notes.given  # asked for by its class alone, the original answers


def test_what_stands_below_a_part_that_goes_is_noted() -> None:
    page, notes = noted(TPS_ASK=False)
    page.css(".carousel")[0].css("a::text").getall()
    assert {"Offer 1", "Offer 7"} <= set(notes.missing)
    assert notes.emptied == 1


def test_an_element_that_lost_something_is_noted_when_it_is_read() -> None:
    page, notes = noted()
    assert page.xpath("string(//h1)").get() == "Records  of noise all kinds"
    assert "Records of noise all kinds" in notes.missing
    assert "Records of all kinds" not in notes.missing


@pytest.mark.parametrize(
    ("read", "past"),
    [
        (lambda page: page.text, True),
        (lambda page: page.body, True),
        (lambda page: page.selector.root.xpath("//a"), True),
        (Selector, True),
        (lambda page: page.replace(url="http://b.example/"), True),
        (lambda page: LinkExtractor().extract_links(page), True),
        (lambda page: page.urljoin("/x"), False),
        (lambda page: page.encoding, False),
        (lambda page: page.follow(page.css("a")[0]), False),
        (lambda page: list(page.follow_all(css="a")), False),
        (lambda page: page.original.css("a").getall(), False),
        (lambda page: page.css("a").attrib, False),
    ],
)
def test_what_reads_past_selectors_is_noted(read: Callable[[Any], Any], past: bool) -> None:
    page, notes = noted()
    read(page)
    assert notes.read_text is past


def test_what_is_dropped_is_gone_from_both_pages() -> None:
    page, notes = noted()
    page.css("li.row")[0].drop()
    assert page.css("li.row a::text").get() == "Record 2"
    assert not notes.missing


def forms(*outputs: Any) -> list[Any]:
    return [request_form(one, one.url) if isinstance(one, Request) else item_form(one) for one in outputs]


def test_items_of_parts_that_go_are_lost_and_others_are_not() -> None:
    page, notes = noted(TPS_ASK=False)
    items = [
        {
            "name": row.css("a::text").get(),
            "price": float(row.css("b::text").re_first(r"\d+")),
            "source": "x",
            "n": 1,
        }
        for row in page.css("li, .carousel p")
    ]
    found = difference(forms(*items), notes, URL)
    assert [form.fields["name"] for form in found.lost] == [f"Offer {number}" for number in range(1, 8)]
    assert (found.items, found.changed) == (15, [])


def test_items_of_which_a_field_goes_are_changed() -> None:
    page, notes = noted(TPS_ASK=False)
    item = {"name": page.css("li a::text").get(), "topic": page.css(".topic::text").get()}
    found = difference(forms(item), notes, URL)
    (change,) = found.changed
    assert change.fields == ("topic",)
    assert change.pruned.fields == {"name": "Record 1", "topic": None}
    assert not difference(forms(item), notes, URL, frozenset({("", "topic")})).costs


def test_requests_for_links_in_parts_that_go_are_lost() -> None:
    page, notes = noted()
    followed = list(page.follow_all(css="a"))
    found = difference(forms(*followed, *followed), notes, URL)
    assert [form.fields["url"] for form in found.lost_requests] == [
        f"http://a.example/c/{number}" for number in range(1, 8)
    ]
    assert found.requests == 15


def test_values_that_are_not_of_the_page_are_no_loss() -> None:
    page, notes = noted(TPS_ASK=False)
    page.css(".carousel b::text").getall()
    items = [{"time": "12:00:01", "run": 3, "url": URL, "flag": True, "none": None, "one": "9"}]
    assert not difference(forms(*items), notes, URL).costs


def test_what_only_the_pruned_page_gives_is_noted() -> None:
    html = "<ul><li>one</li><li>two</li><li class=gone>three</li></ul>"
    page = HtmlResponse(URL, body=html.encode(), encoding="utf-8")
    values = {**without(".gone"), "TPS_ASK": False}
    found = noting_page(prune_response(page, values), Request(URL))
    assert found is not None
    whole, notes = found
    assert not whole.css("li:last-child:nth-child(2)")
    assert notes.missed == 1


@pytest.mark.parametrize("asking", [True, False])
@settings(max_examples=150, deadline=None)
@given(
    pages(),
    st.sets(st.integers(1, 25), min_size=1, max_size=6),
    st.lists(queries(), min_size=1, max_size=6),
)
def test_where_nothing_is_noted_the_pruned_page_gives_the_same(
    asking: bool, html: str, cut: set[int], asked: list[tuple[str, str]]
) -> None:
    original = HtmlResponse(URL, body=html.encode(), encoding="utf-8")
    drop = [f"[data-n='{number}']" for number in sorted(cut)]
    values = {**without(*drop), "TPS_ASK": asking}
    pruned = prune_response(original, values)
    assume(pruned.tps.pruned)
    found = noting_page(prune_response(original, values), Request(URL))
    assert found is not None
    page, notes = found
    for how, query in asked:
        noted_before = (notes.missed, len(notes.missing))
        given_texts = ask(page, how, query).getall()
        assert given_texts == ask(original, how, query).getall(), (how, query)
        if (notes.missed, len(notes.missing)) == noted_before and not notes.missing:
            expected = [collapsed(text) for text in ask(pruned, how, query).getall()]
            assert sorted(map(collapsed, given_texts)) == sorted(expected), (how, query)
