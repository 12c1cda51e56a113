"""The first price below the heading stays, and the part that it is offered in."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, listing, menu

OFFER = "<p>Price: <b>$ 49.95</b></p><p>Sizes: <i>small</i>, <i>large</i></p><p>In stock</p>"


def kept(part: str, before: str = "") -> str:
    text = f"<p>{SENTENCE * 2}</p>" * 4
    html = (
        f"<html><body>{menu(20, 'nav')}<div><div><h1>A mill of wood</h1>{before}{text}</div></div>{part}"
        f"<div><h2>Details</h2>{text}</div><footer>Imprint</footer></body></html>"
    )
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize(
    "part",
    [
        f"<form action=/cart>{OFFER}</form>",
        f"<div class=product-sidebar>{OFFER}</div>",
        f"<aside><form action=/cart>{OFFER}</form></aside>",
        f"<div class=social><div>{OFFER}</div></div>",
    ],
)
def test_the_part_with_the_price_stays_whole(part: str) -> None:
    html = kept(part)
    assert "$ 49.95" in html
    assert "small" in html
    assert "In stock" in html


def test_what_is_marked_in_it_goes() -> None:
    assert "Follow us" not in kept(
        f"<form action=/cart>{OFFER}<div class=social><a href=/f>Follow us</a></div></form>"
    )


def test_the_same_part_goes_where_a_price_stays_before_it() -> None:
    assert "In stock" not in kept(
        f"<form action=/cart>{OFFER}<button>Add</button></form>", before="<p>Only $ 49.95</p>"
    )


def test_prices_to_choose_from_go() -> None:
    assert "under $ 5" not in kept("<aside class=filters><a href=/5>under $ 5</a></aside>")


def test_other_products_go() -> None:
    assert "$ 5" not in kept("<aside class=related><p><a href=/5>A mill of tin</a> $ 5.00</p></aside>")


def test_prices_beside_a_list_go() -> None:
    aside = "<aside><p>Under <b>$ 5.00</b></p></aside>"
    html = prune(
        listing().replace("<h1>", f"<h1>All of it</h1>{aside}<h1>"), settings={"TPS_MIN_NODES": 0}
    ).html
    assert "Under" not in html
