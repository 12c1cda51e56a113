"""Pages written for the tests: lists in the shapes that the web has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NAV = "<ul class='nav'>" + "".join(f"<li><a href='/c{n}'>Category {n}</a></li>" for n in range(12)) + "</ul>"
FOOT = "<div class='footer'><p>About us</p><p>Terms of use</p><p>Contact</p></div>"

WORDS = [
    "amber",
    "basalt",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "glade",
    "harbour",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "meadow",
    "nectar",
    "orchard",
    "pebble",
    "quartz",
    "reed",
    "slate",
    "thistle",
    "umber",
    "vale",
    "willow",
    "yarrow",
]


def sentence(number: int, words: int = 12) -> str:
    """A sentence that no other number gives."""
    picked = [WORDS[(number * 7 + place * (number % 5 + 3)) % len(WORDS)] for place in range(words)]
    return f"Item {number} is made of {' and '.join(picked)}."


def page(content: str, before: str = NAV, after: str = FOOT) -> str:
    head = "<!DOCTYPE html><html><head><title>t</title></head>"
    return f"{head}<body>{before}<div id='main'>{content}</div>{after}</body></html>"


def card(number: int, extra: str = "") -> str:
    return (
        f"<div class='card'><h3><a href='/p/{number}'>Product {number}</a></h3>"
        f"<p class='summary'>{sentence(number)}</p><span class='price'>£{number}.50</span>{extra}</div>"
    )


def cards(numbers: Iterable[int]) -> str:
    return "".join(card(number) for number in numbers)
