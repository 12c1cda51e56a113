"""Numbers in a bar above a list stay."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import menu, record

RECORDS = "".join(map(record, range(12)))
SORTING = "<label>Sort by</label><select><option>Name of 9</option><option>Price of 9</option></select>"


def kept(above: str, below: str = "") -> str:
    html = (
        f"<html><body>{menu(40, 'nav')}<h1>All the records</h1>{above}<div class=grid>{RECORDS}</div>"
        f"{below}<footer>Imprint</footer></body></html>"
    )
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize(
    "bar",
    [
        "<div class=toolbar><p>{}</p>{}</div>",
        "<form action=/sort><div><span>{}</span></div>{}</form>",
        "<div class=result-header><b>{}</b>{}</div>",
    ],
)
def test_the_number_of_results_stays_and_the_controls_beside_it_go(bar: str) -> None:
    html = kept(bar.format("1-24 of <em>1,250</em> results", f"{SORTING}<a href=?v=list>View 2 columns</a>"))
    assert "1-24 of <em>1,250</em> results" in html
    assert "Sort by" not in html
    assert "View 2 columns" not in html


def test_a_number_in_an_element_of_its_own_stays_with_the_word_behind_it() -> None:
    bar = "<div class=toolbar><div><strong>1,311</strong> boats <a href=/map>on the map</a></div>{}</div>"
    html = kept(bar.format(SORTING))
    assert "<strong>1,311</strong> boats " in html
    assert "on the map" not in html
    assert "1,311" not in kept("<div class=toolbar><div><b>1,311</b> <a href=/map>on the map</a></div></div>")


def test_the_number_stays_above_a_list_of_few_words() -> None:
    boats = "".join(
        f"<div><h3><a href=/{n}>Boat {n}</a></h3><b>{n},900</b><i>{n} m</i></div>" for n in range(9)
    )
    html = (
        f"<html><body>{menu(40, 'nav')}<h1>Boats</h1><div class=toolbar><p>1,311 boats</p>{SORTING}</div>"
        f"<div>{boats}</div></body></html>"
    )
    assert "1,311 boats" in prune(html, settings={"TPS_MIN_NODES": 0}).html


def test_numbers_of_choices_go() -> None:
    choices = "".join(f"<li><input type=checkbox><label>Make {n}</label> ({n})</li>" for n in range(3))
    assert "Make 2" not in kept(f"<form action=/choose><ul>{choices}</ul></form>")
    assert "(2)" not in kept(f"<form action=/choose><ul>{choices}</ul></form>")
    many = "".join(f"<p><a href=/{n}>Make {n}</a>: {n}0</p>" for n in range(9))
    assert "Make 2" not in kept(f"<div class=toolbar>{many}</div>")


def test_what_says_no_number_goes_and_what_stands_below_the_list() -> None:
    assert "Sorted as we like it" not in kept(
        f"<div class=toolbar><p>Sorted as we like it</p>{SORTING}</div>"
    )
    assert "Join 12,000" not in kept(
        "", "<form action=/join><p>Join 12,000 readers</p><input name=mail></form>"
    )


def test_numbers_of_a_hundred_lines_go_though_all_are_the_same() -> None:
    assert "7 of them" in kept(f"<div class=toolbar>{'<p>7 of them</p>' * 9}{SORTING}</div>")
    assert "7 of them" not in kept(f"<div class=toolbar>{'<p>7 of them</p>' * 101}{SORTING}</div>")


def test_a_search_of_several_lines_and_a_preposition_are_counts_all_the_same() -> None:
    assert "128 results" in kept(
        f"<form class=toolbar><p>128 results</p><textarea name=q></textarea>{SORTING}</form>"
    )
    assert "31 am Lager" in kept(f"<div class=toolbar><p>31 am Lager</p>{SORTING}</div>")


def test_what_a_form_for_messages_says_in_numbers_goes() -> None:
    written = "<p>500 characters at most</p><textarea name=message></textarea>"
    assert "500 characters" not in kept(f"<form action=/tell method=post>{written}</form>")


@pytest.mark.parametrize(
    "line", ["Open from 9 AM to 5 p.m.", "COVID-19 news", "Route A4 is closed", "Since 12:30"]
)
def test_times_and_identifiers_are_no_counts(line: str) -> None:
    assert line not in kept(f"<div class=toolbar><p>{line}</p>{SORTING}</div>")


def test_a_number_before_a_long_text_is_no_count() -> None:
    text = "of our own and of those who came before us to this river, to build and to bake"
    assert "1,311" not in kept(
        f"<div class=toolbar><div><b>1,311</b> {text} <a href=/m>map</a></div>{SORTING}</div>"
    )
