"""The start of the content."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import walking
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.pipeline import AUTO
from tests.engine.strategies.made import article, menu, record


@pytest.mark.parametrize("part", ["nav", "dialog"])
def test_headings_of_certain_boilerplate_do_not_count(part: str) -> None:
    before = f"<{part}><h1>Menu</h1>{menu(15, 'div')}</{part}>"
    page = AUTO.run(Page(walking.walk_tree(parse(article().replace("<body>", f"<body>{before}", 1)).body)))
    assert "".join(page.sequence.nodes[page.first_heading].itertext()) == "The mill"


def product(title: str) -> str:
    """The markup of a shop of 2015: no ``h1``, and the whole product in the order form."""
    facts = "".join(f"<li><span>Size {number}:</span> {number} inches</li>" for number in range(8))
    others = "".join(map(record, range(8)))
    return (
        f"<html><head><title>{title}</title></head><body>{menu(30, 'nav')}<div>"
        "<form method=post action=/cart/add><div class=shop><h2>Black Leaf glass mill</h2>"
        "<p>Our Price: <b>$41.30</b></p></div>"
        f"<div class=description>A small mill of solid glass.</div><ul>{facts}</ul>"
        "<input type=text name=quantity><button>Add to cart</button></form></div>"
        f"<div class=items>{others}</div></body></html>"
    )


def test_without_an_h1_the_heading_that_the_title_repeats_is_the_first_one() -> None:
    page = AUTO.run(Page(walking.walk_tree(parse(product("Black leaf Glass Mill | The Shop")).body)))
    assert "".join(page.sequence.nodes[page.first_heading].itertext()) == "Black Leaf glass mill"


@pytest.mark.parametrize(
    "title", ["", "Mills and more | The Shop", "Black Leaf glass mill" + " and much more" * 5]
)
def test_a_heading_that_the_title_does_not_repeat_is_none(title: str) -> None:
    page = AUTO.run(Page(walking.walk_tree(parse(product(title)).body)))
    assert page.first_heading == -1


def test_a_product_in_a_form_stays_with_its_form() -> None:
    html = prune(product("Black Leaf glass mill | The Shop")).html
    assert all(text in html for text in ("Black Leaf glass mill", "$41.30", "solid glass", "Size 7:"))
