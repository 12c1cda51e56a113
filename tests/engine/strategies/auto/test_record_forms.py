"""Results in a form, to choose from them or to go on, stay; what narrows them down goes."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import menu

TOPICS = ("mills", "rivers", "barley", "stone", "bread", "flour", "wheels", "weirs", "boats", "bridges")
FILTERS = "".join(
    f"<ul>{''.join(f'<li><input type=checkbox><label>{topic}</label></li>' for topic in TOPICS)}</ul>"
    for _ in range(4)
)


def row(number: int) -> str:
    return (
        f"<tr><td>{number}</td><td><a href=/r/{number}>Result number {number}</a></td>"
        f"<td>{number * 7}</td><td>Town</td></tr>"
    )


def facet(number: int) -> str:
    return f"<tr><td><a href=/f/{number}>Facet number {number}</a></td><td>({number * 7})</td></tr>"


def kept(part: str) -> str:
    html = (
        f"<html><body>{menu(30, 'nav')}<h1>Found</h1><div class=left>{FILTERS}</div>{part}"
        f"<footer>Imprint and more of it</footer></body></html>"
    )
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize("rows", [6, 20])
@pytest.mark.parametrize("attributes", ["", "action=/basket method=post"])
def test_results_in_a_form_stay(rows: int, attributes: str) -> None:
    html = kept(f"<form {attributes}><table>{''.join(map(row, range(rows)))}</table></form>")
    assert html.count("Result number") == rows


def test_facets_in_a_form_go() -> None:
    assert "Facet" not in kept(f"<form><table>{''.join(map(facet, range(20)))}</table></form>")


def test_fields_in_a_form_go() -> None:
    fields = "".join(
        f"<tr><td>Field {number}</td><td>Cue <input name=f{number}></td><td>*</td></tr>"
        for number in range(20)
    )
    assert "Cue" not in kept(f"<form><table>{fields}</table></form>")


def test_a_text_in_a_form_stays_if_the_form_asks_for_nothing() -> None:
    # old Reddit
    text = "<form action=#><input type=hidden name=thing value=7><div class=md><p>I saw it, too</p></div>{}</form>"
    assert "saw it" in kept(f"<p>A mill was seen on the river</p>{text.format('')}")
    assert "saw it" not in kept(f"<p>A mill was seen on the river</p>{text.format('<textarea></textarea>')}")
    # Steam
    game = (
        "<form><input type=hidden name=thing><a href=/music><b>Songs of the mill</b> <i>8,19€</i></a></form>"
    )
    assert "Songs of the mill" in kept(f"<p>A game about a mill</p>{game}")
    assert "Songs of the mill" not in kept(f"<p>A game about a mill</p>{game.replace('8,19€', '')}")


def test_the_only_product_in_a_form_stays_but_not_a_filter_by_price() -> None:
    product = (
        "<form><a href=/p/1>The mill</a> <b>$17.98</b> <input type=checkbox> <button>Compare</button></form>"
    )
    assert "$17.98" in kept(f"<p>1 product</p>{product}")
    prices = "<form><a href=/p?under=50>Under $50.00</a> <input type=checkbox> <button>Filter</button></form>"
    assert "Under" not in kept(f"<p>1 product</p>{prices}")
