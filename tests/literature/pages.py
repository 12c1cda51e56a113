"""Pages of made-up sites, for methods that learn from several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.html import document
from scrapy_tps.engine.native import walk

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "frost", "grove", "hazel", "ivory", "jasper", "kelp"),
    *("lotus", "maple", "north", "olive", "pearl", "quartz", "river", "stone", "thyme", "umber", "violet"),
    *("willow", "xenon", "yarrow", "zephyr", "acorn", "basil", "clover", "daisy"),
)
MENU = (
    "<ul class=menu>"
    + "".join(f"<li><a href=/{name}>Section {name}</a></li>" for name in _WORDS[:9])
    + "</ul>"
)
FOOTER = "<div class=foot><p>All rights reserved by the makers of this site, since the year 1999.</p></div>"


def sequence_of(html: str) -> TagPathSequence:
    """The sequence of a page; its tree stays alive with it."""
    sequence = walk(document.parse(html).body)
    sequence.hold()
    return sequence


def story(number: int, sentences: int = 6) -> str:
    """Paragraphs that no other number has."""
    return "".join(
        f"<p>{' '.join(_word(number, place * 3 + step * (number + 2), own=step % 2) for step in range(14))}"
        f" number{number} part{place}.</p>"
        for place in range(sentences)
    )


def _word(number: int, place: int, *, own: int) -> str:
    word = _WORDS[(number * 7 + place) % len(_WORDS)]
    return f"{word}{number}" if own else word


def article(number: int) -> str:
    """One page of a site of articles."""
    return (
        f"<html><head><title>Article {number}</title></head><body><div class=top>{MENU}</div>"
        f"<div class=main><h1>Headline number{number} of {_WORDS[number % 30]}</h1>{story(number)}</div>"
        f"{FOOTER}</body></html>"
    )
