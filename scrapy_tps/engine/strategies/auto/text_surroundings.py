"""Pages of one text, in ``aggressive``: small parts next to a text that makes up most of the page.

`next-to-text` needs no heading and also removes author and specifications; `closing-teasers` are cards of a linked
picture and a linked title.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.arrays import flipped, masked
from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import (
    PRICE,
    texts_with_digits,
)
from scrapy_tps.engine.strategies.auto.thresholds import (
    ENOUGH_PROSE,
    LINKS_WEIGHT,
    PRICES,
    Thresholds,
    needed,
    scaled,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class MainText(Thresholds):
    # the text is the smallest part with this share of the prose; it must hold this share of the weight
    share: float = 0.7
    dominance: float = needed(0.5)


@dataclass(frozen=True, slots=True)
class NextToText(Thresholds):
    share: float = scaled(0.06)
    links_share: float = scaled(0.15)
    links_weight: float = LINKS_WEIGHT
    text: MainText = field(default=MainText())
    prose: float = scaled(0.05)  # parts that hold more of the prose stay


@dataclass(frozen=True, slots=True)
class ClosingTeasers(Thresholds):
    # the largest share of the characters outside links in teasers and after them
    behind: float = scaled(0.15)
    pictures: int = 3  # so many linked pictures
    linked: float = 0.6  # this part of their characters is in links
    most: float = 0.5  # the largest share of the characters outside links below the heading


_text_core: Final = compiled(parts.text_core)

_siblings: Final = compiled(parts.small_siblings)

#: Elements of tables and definition lists: specifications belong to the text's subject.
_FACTS: Final = frozenset({"th", "td", "dt", "dd"})


def _small_siblings(page: Page, core: int, limits: NextToText) -> list[tuple[int, int]]:
    shares = limits.share, limits.links_share, limits.links_weight
    return _siblings(page.columns, core, core, page.first_heading, *shares)


def are_priced(page: Page, part: int) -> bool:
    """Whether a part names prices for at least half of its records: products below a text about their category."""
    items = sum(count for start, stop, count in page.records if part <= start and stop <= page.end[part])
    least = max((items + 1) // 2, PRICES)
    return _count_prices(page, part, page.end[part], least) >= least


def _count_prices(page: Page, start: int, stop: int, most: int) -> int:
    """Return how many living texts among nodes [start, stop) name a price; at most `most` are counted."""
    text_of = page.sequence.text_of
    texts = texts_with_digits(page, start, stop, page.alive)
    named = (text for text in texts if PRICE.search(text_of(text)))
    return len(list(islice(named, most)))


def next_to_text(page: Page, limits: NextToText) -> list[Removal]:
    """Remove small parts after a text that makes up most of the page, and before its heading."""
    core = _text_core(page.columns, limits.text.share, limits.text.dominance, ENOUGH_PROSE)
    if core <= 0:
        return []
    most_prose = limits.prose * max(page.prose_before[-1], ENOUGH_PROSE)
    return [
        (child, page.end[child], "surroundings", "next to the text that makes up most of the page")
        for _, child in _small_siblings(page, core, limits)
        if page.prose_before[page.end[child]] - page.prose_before[child] <= most_prose
    ]


#: A link to a picture shows it larger, so it is not another page.
_PICTURE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)", re.IGNORECASE)


def closing_teasers(page: Page, limits: ClosingTeasers) -> list[Removal]:
    """Remove parts of linked pictures and linked texts that follow nearly all text outside links.

    On most pages of records that text is in the records themselves, or there is little of it. The rule also removes
    cards without prices below a long introduction, so `auto` does not have it.
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
    # only articles with most of the text
    articles = [place for place in articles if 2 * page.characters_in(place, page.end[place], own) > total]
    found: list[Removal] = []
    for part in _after_the_text(page, own, limits.behind * total):
        end = page.end[part]
        text = page.text_before[end] - page.text_before[part]
        said = page.characters_in(part, end, own)
        shown = page.between(pictures, part, end)
        if (
            part > heading
            and len(shown) >= limits.pictures
            and said <= (1 - limits.linked) * text
            and text > said
            and text - said <= limits.most * total
            and not page.any_in(facts, part, end)
            and not _is_in_one(page, articles, part)
            and _lead_to_several(page, shown, limits.pictures)
            and _count_prices(page, part, end, PRICES) < PRICES
        ):
            found.append((part, end, "text", "teasers after the text"))
    return found


def _is_in_one(page: Page, parts: list[int], node: int) -> bool:
    return any(part < node < page.end[part] for part in parts)


def _lead_to_several(page: Page, places: list[int], least: int) -> bool:
    """Whether the links around nodes lead to so many pages."""
    return len({_leads_to(page, place) for place in places} - {""}) >= least


def _leads_to(page: Page, place: int) -> str:
    """Return the address of the link around a node; empty if there is none, or links are nested."""
    number = bisect_left(page.links, place) - 1
    if number < 0 or page.end[page.links[number]] <= place:
        return ""
    address = page.sequence.value_of(page.links[number], "href") or ""
    return "" if _PICTURE.search(address) else address


def _after_the_text(page: Page, own: bytes | bytearray, most: float) -> list[int]:
    """Return the outermost parts with so many characters outside links in and after them, from the last on."""
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
