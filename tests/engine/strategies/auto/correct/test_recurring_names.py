"""Names of dialogs, consent and menus on parts that recur take no record away."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, listing, menu

NAMES = (
    *("Stone Bridge", "Red Lamp", "Harbour View", "Old Clock Tower", "Wooden Chair", "City Lights"),
    *("Morning Fog", "Silent Lake", "Tall Pines", "Night Market", "Blue Door", "Iron Gate"),
)


def kept(html: str) -> str:
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


def page(items: str, rest: str = "") -> str:
    body = f"{menu(20, 'nav')}<h1>Our work</h1><div class=grid>{items}</div>{rest}<footer>Imprint</footer>"
    return f"<html><body>{body}</body></html>"


def grid(item: str, rest: str = "") -> str:
    return page("".join(item.format(name=name, number=number) for number, name in enumerate(NAMES)), rest)


def lost(html: str) -> list[str]:
    text = kept(html)
    return [name for name in NAMES if f">{name}<" not in text]


@pytest.mark.parametrize(
    "name", ["overlay", "card-overlay", "tooltip-content", "drawer", "flyout", "popover", "modal"]
)
def test_titles_in_a_layer_over_each_picture_stay(name: str) -> None:
    item = '<div class=item><img src={number}.jpg><div class="%s"><h3><a href=/p/{number}>{name}</a></h3></div></div>'
    assert lost(grid(item % name)) == []


@pytest.mark.parametrize(
    "classes",
    [
        "product product_cat-cookies",
        "product sales-flash-overlay",
        "col lightbox",
        "entry tag-cookie-consent",
    ],
)
def test_records_that_all_have_such_a_class_stay(classes: str) -> None:
    item = (
        f'<div class="{classes} post-{{number}}"><h3>{{name}}</h3><p>{SENTENCE}</p><b>{{number}}.95</b></div>'
    )
    assert lost(grid(item)) == []


@pytest.mark.parametrize("name", ["menu-title", "menu-name", "dropdown-name"])
def test_names_of_dishes_stay(name: str) -> None:
    item = '<div class=dish><img src={number}.jpg><div class="%s">{name}</div><p>{number}.95</p></div>'
    assert lost(grid(item % name)) == []


def test_what_says_the_same_over_each_picture_goes() -> None:
    item = (
        "<div class=item><h3>{name}</h3><p>{number}.95</p><div class=overlay><p>Look quickly</p></div></div>"
    )
    html = grid(item)
    assert lost(html) == []
    assert "Look quickly" not in kept(html)


def test_dialogs_side_by_side_go() -> None:
    dialogs = "".join(
        f'<div class="modal fade"><div><h4>{name}</h4><p>{SENTENCE}{name}</p></div></div>'
        for name in ("Terms", "Sizes", "Sign in")
    )
    html = kept(listing().replace("<footer>", f"<section>{dialogs}</section><footer>"))
    assert "The mill by the river" not in html
    assert html.count("Record number") == 12


def test_layers_of_which_one_is_most_go() -> None:
    sheets = "".join(
        f'<div class="sheet-overlay"><div><h4>Sheet {number}</h4><p>{SENTENCE * times}{number}</p></div></div>'
        for number, times in enumerate((12, 1, 1))
    )
    assert "Sheet 0" not in kept(listing().replace("<footer>", f"<section>{sheets}</section><footer>"))


def test_what_recurs_in_a_notice_of_consent_goes_with_it() -> None:
    kinds = "".join(
        f"<li class=cookie-kind><h4>Cookies of kind {kind}</h4><p>{SENTENCE}{kind}</p></li>"
        for kind in range(6)
    )
    html = kept(listing().replace("<footer>", f"<div id=cookie-notice><ul>{kinds}</ul></div><footer>"))
    assert "Cookies of kind" not in html
    assert html.count("Record number") == 12


@pytest.mark.parametrize("classes", ["modal-item", "item-popup", "toast"])
def test_records_named_like_dialogs_stay_side_by_side(classes: str) -> None:
    item = f'<div class="{classes}"><h3>{{name}}</h3><p>{SENTENCE}</p><b>{{number}}.95</b></div>'
    assert lost(grid(item)) == []


def test_details_that_a_click_on_a_record_shows_stay() -> None:
    person = (
        '<div class=person><a href="#bio-{number}"><img src={number}.jpg></a><p>Miller {number}</p></div>'
    )
    life = (
        '<div class="modal fade" id="bio-{number}" role=dialog><div class=modal-dialog><div class=modal-body>'
        f"<h4>{{name}}</h4><p>{SENTENCE}</p></div></div></div>"
    )
    lives = "".join(life.format(name=name, number=number) for number, name in enumerate(NAMES))
    assert lost(page("".join(person.format(number=number) for number in range(12)), lives)) == []


def test_products_in_a_list_with_the_name_of_a_notice_stay() -> None:
    item = f"<div class=cookie><h3>{{name}}</h3><p>{SENTENCE}</p><b>{{number}}.95</b></div>"
    cookies = "".join(item.format(name=name, number=number) for number, name in enumerate(NAMES))
    body = f"{menu(20, 'nav')}<div class=cookies><h1>Cookies</h1>{cookies}</div><footer>Imprint</footer>"
    assert lost(f"<html><body>{body}</body></html>") == []
