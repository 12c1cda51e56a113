"""Names that say what a part of a page is, and names that only seem to."""

from __future__ import annotations

import pytest

from tests.engine.strategies.made import SENTENCE, kept


def text(paragraphs: int = 8) -> str:
    return "".join(f"<p>{SENTENCE * 2}{number}</p>" for number in range(paragraphs))


def page(part: str) -> str:
    around = f"<div class=text>{text()}</div>"
    return f"<html><body><h1>The mill</h1>{around}{part}{around}</body></html>"


@pytest.mark.parametrize("tag", ["docs-sidebar", "app-footer", "x-related-content"])
def test_custom_elements_are_read_by_their_names(tag: str) -> None:
    assert "in ten tongues" not in kept(page(f"<{tag}><p>The mill in ten tongues</p></{tag}>"))


def test_classes_of_custom_elements_are_read() -> None:
    assert "in ten tongues" not in kept(page("<x-box class=sidebar><p>The mill in ten tongues</p></x-box>"))


def test_custom_elements_of_other_names_stay() -> None:
    assert "two hundred bags" in kept(
        page("<mill-facts><p>It grinds two hundred bags a day.</p></mill-facts>")
    )


def test_a_name_of_two_things_says_nothing_about_both() -> None:
    part = "<div id={}><p>Flour, two hundred bags</p></div>"
    assert "two hundred bags" in kept(page(part.format("ingredientsAndBanners")))
    assert "two hundred bags" not in kept(page(part.format("ingredientsBanners")))


def card(number: int) -> str:
    return f'<div class="card"><h3>Kind {number}</h3><p>{SENTENCE}</p><a href="/{number}">More of {number}</a></div>'


def test_a_list_of_cards_named_after_promotions_stays() -> None:
    cards = f'<div class="promo-container">{"".join(map(card, range(4)))}</div>'
    assert "Kind 3" in kept(f"<html><body><h1>Mills</h1><div><p>{SENTENCE}</p></div>{cards}</body></html>")


def test_a_promotion_of_one_thing_goes() -> None:
    assert "Kind 3" not in kept(page(f'<div class="promo-container">{card(3)}</div>'))
