"""Declarative shadow DOM: a browser shows `template[shadowrootmode]` as the content of its host."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import walking
from tests.engine.strategies.made import menu

WALKS = [walking.walk_tree] + [native.walk] * native.AVAILABLE


def card(number: int) -> str:
    return (
        f"<product-card><template shadowrootmode=open><style>b{{color:red}}</style><div class=card>"
        f"<h3>A lamp of brass, number {number}</h3><b>{number},50 kr</b><slot></slot></div></template>"
        f"<p>Note {number}</p></product-card>"
    )


def column(mode: str) -> str:
    links = "".join(f"<li><a href=/p/{n}>A popular story about something, {n}</a>" for n in range(8))
    return f"<div class=sidebar><x-box><template {mode}><h3>Popular</h3><ul>{links}</ul></template></x-box></div>"


def page(body: str):
    return prune_response(HtmlResponse("https://lamps.example/", body=body.encode(), encoding="utf-8"))


def listing(mode: str = "shadowrootmode=closed"):
    cards = "".join(map(card, range(10, 24)))
    return page(f"{menu(12, 'nav')}<h1>Lamps</h1><main><x-list>{cards}</x-list></main>{column(mode)}")


def test_values_in_shadow_roots_outweigh_a_column():
    response = listing()
    assert response.css("product-card h3::text").getall()[-1] == "A lamp of brass, number 23"
    assert len(response.css("template > div.card b::text").getall()) == 14
    assert "popular story" not in response.text


def test_values_in_shadow_roots_are_written_as_markdown():
    assert "23,50 kr" in listing().tps.markdown()


def test_records_have_the_values_of_their_shadow_roots():
    [region, *_] = listing().tps.records()
    assert len(region.records) == 14
    assert "A lamp of brass, number 10" in str(region.rows()[0])


@pytest.mark.parametrize("walk", WALKS)
def test_other_templates_are_still_unseen(walk):
    body = (
        "<p>a<template class=x shadowrootmode=open><b>b</b></template><template class=x><b>c</b></template>d"
    )
    sequence = walk(parse(body).body)
    assert [sequence.text_of(place) for place in range(len(sequence)) if sequence.chars[place]] == [
        "a",
        "b",
        "d",
    ]
    assert [sequence.tag_of(place) for place in range(len(sequence))].count("template") == 1


@pytest.mark.parametrize("walk", WALKS)
def test_a_shadow_root_and_another_template_of_one_class_have_different_places(walk):
    body = "<div><template class=x><b>c</b></template><template class=x shadowrootmode=open><b>b</b></template></div>"
    sequence = walk(parse(body).body)
    assert sequence.visible() == 1
