"""Teasers at the end of a page about one thing: cards of a linked picture and a linked title, for other pages."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.strategies.auto.masks import flipped, masked
from scrapy_tps.engine.strategies.auto.queries import any_in, count_prices
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE, PRICES

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import ClosingTeasers

#: Elements of tables and definition lists.
_FACTS: Final = frozenset({"th", "td", "dt", "dd"})
#: A link to a picture shows it larger: no other page.
_PICTURE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)", re.IGNORECASE)


def closing_teasers(page: Page, limits: ClosingTeasers) -> list[Removal]:
    """Remove parts of linked pictures and linked texts that follow nearly all of what is said outside of links.

    On most pages of records that is said in the records themselves, or there is little of it. Cards without prices
    below a long introduction go: `auto` does without this rule.
    """
    heading = page.first_heading
    if heading < 0:
        return []
    linked, alive = page.in_link, page.alive
    pictures = [
        place for place in page.sequence.find({"img"}) if place > heading and linked[place] and alive[place]
    ]
    if len(pictures) < limits.pictures:
        return []
    own = masked(alive, flipped(linked))
    total = page.characters_in(max(heading, 0), page.size, own)
    if total < ENOUGH_PROSE:
        return []
    facts, articles = page.sequence.find(_FACTS), page.sequence.find({"article"})
    # those of the text, as far as markup says so
    articles = [place for place in articles if 2 * page.characters_in(place, page.end[place], own) > total]
    found: list[Removal] = []
    for part in _after_the_text(page, own, limits.behind * total):
        end = page.end[part]
        text = page.text_before[end] - page.text_before[part]
        said = page.characters_in(part, end, own)
        shown = pictures[bisect_left(pictures, part) : bisect_left(pictures, end)]
        if (
            part > heading
            and len(shown) >= limits.pictures
            and said <= (1 - limits.linked) * text
            and text > said
            and text - said <= limits.most * total
            and not any_in(facts, part, end)
            and not any(article < part < page.end[article] for article in articles)
            and count_prices(page, part, end, PRICES) < PRICES
            and len({_leads_to(page, place) for place in shown} - {""}) >= limits.pictures
        ):
            found.append((part, end, "text", "teasers after the text"))
    return found


def _leads_to(page: Page, place: int) -> str:
    """The page that the link around a node leads to; empty: none, or links stand in links."""
    number = bisect_left(page.links, place) - 1
    if number < 0 or page.end[page.links[number]] <= place:
        return ""
    address = page.sequence.value_of(page.links[number], "href") or ""
    return "" if _PICTURE.search(address) else address


def _after_the_text(page: Page, own: bytes | bytearray, most: float) -> list[int]:
    """The outermost parts with so many characters outside of links, they and what follows them, from the last on."""
    found: dict[int, list[int]] = {}  # by symbol
    node, behind = 0, 0
    while True:
        for child in reversed(page.children(node)):
            said = page.characters_in(child, page.end[child], own)
            if behind + said > most:
                if page.is_text[child]:
                    return sorted(chain.from_iterable(found.values()), reverse=True)
                found.pop(page.symbols[child], None)
                node = child
                break
            behind += said
            if page.alive[child] and not page.is_text[child]:
                found.setdefault(page.symbols[child], []).append(child)
        else:
            return sorted(chain.from_iterable(found.values()), reverse=True)
