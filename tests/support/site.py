"""Pages of a made-up site: articles with a template around them."""

from __future__ import annotations

import random

_WORDS = [
    "harbour",
    "lantern",
    "meadow",
    "copper",
    "thistle",
    "orchard",
    "velvet",
    "granite",
    "saddle",
    "beacon",
    "willow",
    "ember",
    "canyon",
    "pebble",
    "ribbon",
    "anchor",
    "cedar",
    "marble",
    "falcon",
    "quarry",
    "timber",
    "valley",
    "glacier",
    "juniper",
    "mosaic",
    "paddle",
]

ADDRESS = "https://site.example/page/{}"
ABOUT = "Our house has been printing stories of the coast since the year the railway came to town."


def sentence(chance: random.Random, words: int = 12) -> str:
    """Words that no other page has in this order."""
    return " ".join(chance.choice(_WORDS) for _ in range(words)).capitalize() + "."


def article(number: int, *, beside: str = "") -> str:
    """A page of a site: heading and paragraphs of its own, and what stands on all pages.

    :param beside: what stands in the sidebar.
    """
    chance = random.Random(number)
    paragraphs = "".join(f"<p>{sentence(chance, 30)}</p>" for _ in range(8))
    return (
        f"<html><head><title>Story {number}</title></head><body class='home'>"
        "<div class='top'><span class='name'>The Coast Papers</span></div>"
        f"<article class='story'><h1>Story {number} {sentence(chance, 4)}</h1>{paragraphs}"
        f"<div class='house'><p>{ABOUT}</p><p>Letters are read by all of us and answered by some.</p></div></article>"
        f"<div class='sidebar'><p>{beside}</p></div></body></html>"
    )
