"""No page becomes empty."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import menu


def test_a_page_of_which_only_its_heading_would_be_left_stays_whole() -> None:
    countries = "".join(f"<li><a href=/c/{number}>Country {number}</a></li>" for number in range(12))
    content = f"<div><h1>Choose one</h1><ul class=country-list>{countries}</ul></div>"
    links = "".join(f"<a href=/i/{number}>Imprint {number}</a> " for number in range(12))
    html = f"<html><body><header>{menu(15, 'nav')}</header>{content}<footer>{links}</footer></body></html>"
    pruning = prune(html, settings={"TPS_MIN_NODES": 0})
    assert pruning.outcome == "ambiguous"
    assert "Country 11<" in pruning.html


def test_one_line_of_text_beside_the_heading_is_something() -> None:
    links = "".join(f"<a href=/i/{number}>Imprint {number}</a> " for number in range(12))
    html = (
        f"<html><body><header>{menu(15, 'nav')}</header><div><h1>Closed</h1><p>We are back on Monday.</p></div>"
        f"<footer>{links}</footer></body></html>"
    )
    pruning = prune(html, settings={"TPS_MIN_NODES": 0})
    assert pruning.outcome == "pruned"
    assert "Monday" in pruning.html
