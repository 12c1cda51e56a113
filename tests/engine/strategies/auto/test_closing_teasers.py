"""Teasers behind the text go, with their pictures; what belongs to the text stays."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu

STEPS = "".join(f"<li>{SENTENCE}{number}</li>" for number in range(4))
PARTS = "".join(f"<li>{number} g of flour {number}</li>" for number in range(12))


def kept(end: str, *, story: str = "<div>{}</div>", above: str = "") -> str:
    text = f"{above}<h1>The mill bread</h1><ul class=parts>{PARTS}</ul><div><ol>{STEPS}</ol>{{}}</div>"
    inside = story.format(text.format(end)) if "{}" in story else text.format("") + end
    return prune(
        f"<html><body>{menu(20, 'nav')}<div class=page>{inside}</div></body></html>",
        settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": "aggressive"},
    ).html


def cards(number: int = 6, *, more: str = "", picture: bool = True, same: bool = False) -> str:
    return "".join(
        f'<div class=card><a href="/r/{0 if same else n}">{f"<img src=/{n}.jpg>" if picture else ""}'
        f"<b>A loaf of another river, number {n}</b></a>{more}</div>"
        for n in range(number)
    )


def test_teasers_behind_lists_go() -> None:
    html = kept(f"<section class=grid><h2>More of it</h2>{cards()}</section>", story="")
    assert "another river" not in html
    assert "More of it" not in html
    assert html.count("grey stone") == 4
    assert html.count(" g of flour ") == 12


@pytest.mark.parametrize(
    "end",
    [
        cards(2),
        cards(picture=False),
        cards(same=True),
        cards(more="<i>4.50 crowns</i>"),
        cards(more=f"<p>{SENTENCE}</p>"),
        f"<table><tr><th>Tools</th><td>{cards()}</td></tr></table>",
    ],
    ids=["two", "without pictures", "one address", "priced", "described", "a fact"],
)
def test_cards_of_something_else_stay(end: str) -> None:
    assert "another river, number 1" in kept(f"<section class=grid>{end}</section>", story="")


@pytest.mark.parametrize("title", ["", "The river from side {}"], ids=["without titles", "with titles"])
def test_galleries_of_the_text_stay(title: str) -> None:
    pictures = "".join(
        f"<div><a href=/large{n}.jpg><img src=/{n}.jpg>{title.format(n)}</a></div>" for n in range(6)
    )
    assert kept(f"<div class=pictures>{pictures}</div>", story="").count("large") == 6


def test_auto_keeps_cards_below_an_introduction() -> None:
    page = f"<html><body>{menu(20, 'nav')}<h1>All loaves</h1><p>{SENTENCE * 8}</p><div>{cards(8)}</div></body></html>"
    assert prune(page, settings={"TPS_MIN_NODES": 0}).html.count("another river") == 8


def test_cards_in_the_article_that_holds_the_text_stay() -> None:
    assert "another river" in kept(f"<div class=tools>{cards()}</div>", story="<article>{}</article>")


def test_cards_above_the_heading_and_before_the_text_stay() -> None:
    assert "another river" in kept("", above=f"<section>{cards()}</section>", story="")


def test_a_page_of_cards_keeps_them() -> None:
    page = f"<html><body>{menu(20, 'nav')}<h1>All loaves</h1><p>{SENTENCE}</p><div>{cards(20)}</div></body></html>"
    assert (
        prune(page, settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": "aggressive"}).html.count("another river")
        == 20
    )
