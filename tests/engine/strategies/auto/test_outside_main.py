"""A `main` element that holds most of the page: what leads to it stays with the heading."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu, record


def test_the_description_of_a_category_between_its_heading_and_main_stays() -> None:
    title = f"<header class=page-header><h1>Mills</h1><div><p>Of this category: {SENTENCE}</p></div></header>"
    records = "".join(map(record, range(12)))
    body = f"{menu(20, 'nav')}<div>{title}<main>{records}</main></div><footer>Imprint</footer>"
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "Of this category" in html
    assert "Imprint" not in html
