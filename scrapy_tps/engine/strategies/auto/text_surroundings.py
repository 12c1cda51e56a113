"""Pages of one text: the surroundings of an article that makes up most of the page.

`article-surroundings` requires a part with most of the page's prose and weight, right below the first heading: it
removes no record on the three sets of result pages in docs/explanation/auto.md. `next-to-text` needs no heading and
also removes author and specifications; `closing-teasers` are cards of a linked picture and a linked title. Both belong
to ``aggressive``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.arrays import flipped, masked
from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import (
    PRICE,
    WITHIN_LINES,
    any_in,
    holds_records,
    texts_with_digits,
    within,
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
class ArticleSurroundings(Thresholds):
    share: float = scaled(0.15)
    links_share: float = scaled(0.3)
    links_weight: float = LINKS_WEIGHT
    text: MainText = field(default=MainText())
    # introductions of a category, a team or an author are shorter, and the page's list is below them; a twentieth of
    # the rule's other removals are next to such texts on WCXB and in the news, a sixth on recipes
    characters: int = needed(4000)
    linked: float = 0.2  # a text with a larger share of its characters inside links is a list
    # at most this share of the weight is between heading and text: a text further down is a description of, or a note
    # on, the part above
    distance: float = scaled(0.05)
    # parts next to the text that hold more of the prose stay; lists of teasers may hold excerpts
    prose: float = scaled(0.1)
    teaser_prose: float = scaled(0.35)
    # links of teasers have so many characters on average; references and symbols in a text have less
    title: int = 12
    # so many records of some texts each are not teasers (vacancies below a long text): of the 99 WCXB pages where this
    # removes a list of three or more such parts, four have one of ten
    long_list: int = scaled(10)
    # parts of the same tag path are similar if they share this part of their classes, and one of them shares this part
    # of its tag paths with the other
    same_classes: float = 0.5
    same_tags: float = 0.6
    # so many short links are topics of the text
    topics: int = 15
    topic: int = 30


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

_PICTURES: Final = frozenset({"img", "picture", "figure", "video"})

_TIMES: Final = frozenset({"time"})

_ARTICLES: Final = frozenset({"article"})

#: Cues of parts that are never about the text.
_ASTRAY: Final = (
    reading.NAVIGATION
    | reading.DIALOG
    | reading.HIDDEN
    | reading.LANDMARK
    | reading.CONSENT
    | reading.FOOTER
    | reading.MENU
    | reading.SIDEBAR
    | reading.FILTER
    | reading.RELATED
    | reading.COMMENTS
)


def article_surroundings(page: Page, limits: ArticleSurroundings) -> list[Removal]:
    """Remove small parts after the main text of the page, and parts of links before its heading.

    Breadcrumbs, bylines, dates and claims are also above a heading.

    Parts that are similar to the text stay, because they may be its continuation or replies to it. Lists with prices
    and long lists of records also stay. Protected records stay too, unless they are teasers: after the text, with at
    least a link each and little prose.
    """
    core = _dominating_text(page, limits)
    if core <= 0:
        return []
    prose_before, all_prose = page.prose_before, max(page.prose_before[-1], ENOUGH_PROSE)
    found: list[tuple[int, int]] = []
    around: dict[int, set[int]] = {}
    for inner, child in _small_siblings(page, core, limits):
        after = page.end[child]
        prose = prose_before[after] - prose_before[child]
        text = page.text_before[after] - page.text_before[child]
        if (
            (
                (
                    prose <= limits.teaser_prose * all_prose
                    and child > core
                    and _are_teasers(page, child, limits.title)
                )
                if page.protection_before[after] > page.protection_before[child]
                else prose <= limits.prose * all_prose
            )
            and page.sequence.tag_of(child) not in WITHIN_LINES
            and (child > core or 2 * page.characters_in(child, after, page.in_link) > text)
            and not within(page, _FACTS, child, after)
            and not _is_labelled(page, child, core, limits)
            and not _is_like(page, child, inner, around, limits)
            and not _are_priced(page, child)
            and not holds_records(page, child, limits.long_list)
        ):
            found.append((child, after))
    reason = "next to the text that makes up most of the page"
    return [(start, after, "text", reason) for start, after in _without_headings(page, found)]


def _small_siblings(page: Page, core: int, limits: ArticleSurroundings | NextToText) -> list[tuple[int, int]]:
    shares = limits.share, limits.links_share, limits.links_weight
    return _siblings(page.columns, core, core, page.first_heading, *shares)


def _is_like(
    page: Page, part: int, text: int, around: dict[int, set[int]], limits: ArticleSurroundings
) -> bool:
    """Whether a part is similar to the one with the text, such as a reply to an opening post.

    One of the two may have more classes ("first", "by the author of the thread").

    :param around: the tag paths in parts with the text, which this adds to.
    """
    if page.symbols[part] == page.symbols[text]:
        return True
    if page.tags[part] != page.tags[text]:
        return False
    own, other = page.classes(part), page.classes(text)
    shared = len(own & other)
    if not shared or shared < limits.same_classes * max(len(own), len(other)):
        return False
    if text not in around:
        around[text] = set(page.tags[text : page.end[text]])
    inside = set(page.tags[part : page.end[part]])
    return len(inside & around[text]) >= limits.same_tags * len(inside)


def _without_headings(page: Page, found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Remove headings of parts that stay from the list."""
    going = {start for start, _ in found}
    for start, after in reversed(found):
        if (
            page.cues[start] & reading.SUBHEADING
            and after not in going
            and after < page.end[page.parent[start]]
        ):
            going.discard(start)
    return [part for part in found if part[0] in going]


def _dominating_text(page: Page, limits: ArticleSurroundings) -> int:
    """Return the text that makes up most of the page, right below the first heading; 0 if there is none."""
    weight_before, text_before, heading = page.weight_before, page.text_before, page.first_heading
    core, text = 0, limits.text
    if heading >= 0:
        core = _text_core(page.columns, text.share, text.dominance, ENOUGH_PROSE)
    stop = page.end[core]
    if (
        core <= 0
        or heading >= stop
        or text_before[stop] - text_before[core] < limits.characters
        or weight_before[core] - weight_before[heading] > limits.distance * weight_before[-1]
        or page.characters_in(core, stop, page.in_link)
        > limits.linked * (text_before[stop] - text_before[core])
    ):
        return 0
    above = core
    while above > 0 and not above <= heading < page.end[above]:  # the part that holds both is the page
        if page.cues[above] & _ASTRAY:
            return 0
        above = page.parent[above]
    return core


def _are_teasers(page: Page, part: int, title: int) -> bool:
    """Whether a part holds at least as many links as records, and the links have the length of titles."""
    end, links = page.end[part], page.links
    items = sum(count for start, stop, count in page.records if part <= start and stop <= end)
    living: int = sum(page.alive[link] for link in links[bisect_left(links, part) : bisect_left(links, end)])
    return 0 < items <= living and page.characters_in(part, end, page.in_link) >= title * living


def _is_labelled(page: Page, part: int, core: int, limits: ArticleSurroundings) -> bool:
    """Whether markup says that a part is about the text: its own picture, a time, a list of topics, an author.

    That is also the case if an article element holds both, unless the part consists of links.
    """
    end = page.end[part]
    linked = page.characters_in(part, end, page.in_link)
    text = page.text_before[end] - page.text_before[part]
    if 2 * linked <= text:
        articles = within(page, _ARTICLES, 0, min(part, core))
        if any(max(part, core) < page.end[article] for article in articles):
            return True
    links = bisect_left(page.links, end) - bisect_left(page.links, part)
    if links > limits.topics:
        return False
    if within(page, _TIMES, part, end):
        return True
    if not all(
        page.in_link[place] for place in within(page, _PICTURES, part, end)
    ):  # those of teasers are links
        return True
    if not page.is_text[part] and (page.cues[part] & reading.WRITER or page.sequence.names_data(part)):
        return True
    return 2 * linked > text and linked < limits.topic * links


def _are_priced(page: Page, part: int) -> bool:
    """Whether a part names prices for at least half of its records: products below a text about their category."""
    items = sum(count for start, stop, count in page.records if part <= start and stop <= page.end[part])
    return 2 * _count_prices(page, part, page.end[part]) >= max(items, 2 * PRICES)


def _count_prices(page: Page, start: int, stop: int, most: int | None = None) -> int:
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
        shown = pictures[bisect_left(pictures, part) : bisect_left(pictures, end)]
        if (
            part > heading
            and len(shown) >= limits.pictures
            and said <= (1 - limits.linked) * text
            and text > said
            and text - said <= limits.most * total
            and not any_in(facts, part, end)
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
