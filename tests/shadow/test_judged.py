"""Kinds of removed parts, and their values."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.shadow.judged import MOST_VALUES, Judged, Part, removed_parts


def parts(*values: str) -> set[Part]:
    return {("/ul/li.label", value) for value in values}


def test_each_new_label_is_compared() -> None:
    judged = Judged()
    for label in ("In stock", "Gift wrap", "New", "Sale", "Free delivery"):
        assert not judged.has_all(parts(label))
        judged.add(parts(label))
    assert judged.has_all(parts("New", "Sale"))
    assert not judged.has_all(parts("New", "Sold out"))


def test_free_text_is_not() -> None:
    judged = Judged()
    judged.add(parts(*map(str, range(MOST_VALUES))))
    assert judged.has_all(parts("Another text"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>In stock: 0</p>", "<p>In stock: 4</p>"),
        (f"<p>{'Sold by others, ' * 3}none left</p>", f"<p>{'Sold by others, ' * 3}one left</p>"),
        ("<b title='sold out'></b>", "<b title='in stock'></b>"),
        ("<b class='s0'></b>", "<b class='s1'></b>"),
        ("<b style='display: none'>Sold</b>", "<b>Sold</b>"),
        ("<p>Stock</p><!-- out -->", "<p>Stock</p><!-- in -->"),
        ("<script>push({stock: 0})</script>", "<script>push({stock: 1})</script>"),
        ("<b itemprop=a>1</b><b itemprop=b>2</b>", "<b itemprop=a>2</b><b itemprop=b>1</b>"),
    ],
)
def test_parts_that_differ_in_what_code_can_read_are_compared(one: str, other: str) -> None:
    assert parts_of(one) != parts_of(other)


def parts_of(box: str, main: str = "<p>A sentence of the article, with many words.</p>") -> set[Part] | None:
    html = f"<main>{main * 9}</main><aside class=sidebar>{box}</aside>"
    page = HtmlResponse("https://a.example", body=html.encode(), encoding="utf-8")
    return removed_parts(prune_response(page, {"TPS_MIN_NODES": 5}).tps)


def test_pages_of_another_kind_are_compared_although_they_lost_the_same_parts() -> None:
    box = "<a href=/terms>Terms</a>"
    assert parts_of(box) != parts_of(box, main="<div class=item><h2>An item</h2><b>7.50</b></div>")


def test_each_kind_of_page_is_compared_however_many_there_are() -> None:
    judged = Judged()
    for letter in "abcdefghijkl":
        parts = parts_of(
            "<a href=/terms>Terms</a>", main=f"<p class={letter}>A sentence with many words.</p>"
        )
        assert parts
        assert not judged.has_all(parts)
        judged.add(parts)
