"""Pages of one text: what stands around an article that its heading leads to and that makes up most of the page.

None of this applies to a page of records: it takes one part with most of the page's prose and worth, right below
the first heading. On the three sets of result pages that docs/auto.md is measured on it removes no record.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Final

from scrapy_tps import hints
from scrapy_tps.native import extension
from scrapy_tps.sequence import TEXT
from scrapy_tps.strategies.prices import LEAST_PRICES, count_prices
from scrapy_tps.strategies.protection import any_in
from scrapy_tps.strategies.recordlists import holds_records
from scrapy_tps.strategies.surroundings import LINKS_WORTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: The text is the smallest part with this share of the prose; it must hold this share of the worth.
TEXT_SHARE: Final = 0.7
TEXT_DOMINANCE: Final = 0.5
#: Pages with less prose, in characters, have no text that could dominate them.
LEAST_PROSE: Final = 500
#: A text with a larger share of its characters inside of links is a list.
LINKED: Final = 0.2
#: No more than this share of the worth stands between the heading and the text: a text further down is a
#: description of, or a note on, what is above it.
DISTANCE: Final = 0.05
#: Parts beside the text that hold more of the prose stay; lists of teasers may hold excerpts.
PROSE: Final = 0.1
TEASER_PROSE: Final = 0.35
#: Links of teasers have so many characters on average; references and symbols in a text have less.
TITLE: Final = 12
#: A list of so many records of some texts each is none of teasers (vacancies below a long text): of the 99 pages of
#: WCXB where a list of three or more such parts goes here, four have one of ten.
LONG_LIST: Final = 10
#: Parts of the same tag path are of the same make where they share this part of their classes, and one of them this
#: part of its tag paths with the other.
SAME_CLASSES: Final = 0.5
SAME_TAGS: Final = 0.6
#: Comments go below a text of so many characters: the openings of threads are shorter, and their replies are records.
COMMENTED: Final = 2000
_CORE: Final = extension("_parts")
#: What stands within a line of text, or is one, is no part of a page.
WITHIN_LINES: Final = frozenset(
    {
        TEXT,
        "a",
        "abbr",
        "b",
        "code",
        "em",
        "font",
        "i",
        "label",
        "pre",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
    }
)
#: Elements of tables and definition lists: specifications and the like are of the text's subject.
_FACTS: Final = frozenset({"th", "td", "dt", "dd"})
#: What no text is about that stands in such a part.
_ASTRAY: Final = (
    hints.NAVIGATION
    | hints.DIALOG
    | hints.HIDDEN
    | hints.LANDMARK
    | hints.CONSENT
    | hints.FOOTER
    | hints.MENU
    | hints.SIDEBAR
    | hints.FILTER
    | hints.RELATED
    | hints.COMMENTS
)


def remove_comments_below_text(page: Workspace, limits: Limits) -> None:
    """Remove parts named comments below the first heading and a long text, unless they are protected records."""
    heading, proses, worths = page.first_heading, page.proses, page.worths
    if heading < 0 or proses[-1] < COMMENTED:
        return
    found = False
    for index in page.all_with(hints.COMMENTS):
        if (
            index > heading
            and page.alive[index]
            and not page.protected[index]
            and proses[index] - proses[heading] >= COMMENTED
        ):
            end = page.end[index]
            if worths[end] - worths[index] <= limits.comments * worths[-1]:
                page.remove(index, end, "comments", "comments below a long text")
                found = True
    if found:
        page.measure()


def remove_around_text(page: Workspace, limits: Limits) -> None:
    """Remove small parts after the text that the page is about, and before its heading.

    Parts of the same make as the text stay, they may be its continuation or the replies to it, and so do lists with
    prices and long lists of records. Protected records stay as well, unless they are teasers: after the text, a link
    for each of them at least, little prose.
    """
    core = _dominating_text(page)
    if core <= 0:
        return
    worths, texts, proses, end, alive = page.worths, page.texts, page.proses, page.end, page.alive
    total, all_prose = worths[-1], max(proses[-1], LEAST_PROSE)
    found: list[tuple[int, int]] = []
    is_like, places = _SameMake(page), _Places(page)
    for inner, child in _beside(page, core):
        after = end[child]
        text, worth = texts[after] - texts[child], worths[after] - worths[child]
        if not alive[child] or not text or not (child > core or after <= page.first_heading):
            continue
        share = limits.beside_text if worth > LINKS_WORTH * text else limits.links_beside_text
        prose = proses[after] - proses[child]
        if (
            worth <= share * total
            and page.sequence.tag_of(child) not in WITHIN_LINES
            and not is_like(child, inner)
            and not any_in(places.facts, child, after)
            and (
                (
                    prose <= TEASER_PROSE * all_prose
                    and child > core
                    and _are_teasers(page, child, places.links)
                )
                if page.protections[after] > page.protections[child]
                else prose <= PROSE * all_prose
            )
            and not _are_priced(page, child)
            and not holds_records(page, child, LONG_LIST)
        ):
            found.append((child, after))
    for start, after in _without_headings(page, found):
        page.remove(start, after, "text", "beside the text that makes up most of the page")
    if found:
        page.measure()


class _Places:
    """The elements of facts and the links of a page, looked for when asked."""

    def __init__(self, page: Workspace) -> None:
        self._sequence = page.sequence

    @cached_property
    def facts(self) -> list[int]:
        return self._sequence.find(_FACTS)

    @cached_property
    def links(self) -> list[int]:
        return self._sequence.find({"a"})


class _SameMake:
    """Tells parts of the same make as what holds the text, as the replies to an opening post are.

    One of the two may have further classes ("first", "by the author of the thread").
    """

    def __init__(self, page: Workspace) -> None:
        self.page = page
        self._around: dict[int, tuple[frozenset[str], set[int]]] = {}

    def __call__(self, part: int, text: int) -> bool:
        page = self.page
        if page.symbols[part] == page.symbols[text]:
            return True
        if page.tags[part] != page.tags[text]:
            return False
        if text not in self._around:
            self._around[text] = self._make(text)
        (own, inside), (other, around) = self._make(part), self._around[text]
        shared = len(own & other)
        if not shared or shared < SAME_CLASSES * max(len(own), len(other)):
            return False
        return len(inside & around) >= SAME_TAGS * len(inside)

    def _make(self, part: int) -> tuple[frozenset[str], set[int]]:
        page = self.page
        return page.classes(part), set(page.tags[part : page.end[part]])


def _without_headings(page: Workspace, found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out headings of parts that stay."""
    going = {start for start, _ in found}
    for start, after in reversed(found):
        if (
            page.hints[start] & hints.SUBHEADING
            and after not in going
            and after < page.end[page.parent[start]]
        ):
            going.discard(start)
    return [part for part in found if part[0] in going]


def remove_beside_text(page: Workspace, limits: Limits) -> None:
    """Remove small parts after a text that makes up most of the page, and before its heading, for ``aggressive``.

    ``auto`` does without this: it takes author, specifications and the like along, and needs no heading.
    """
    core = _text_core(page)
    worths, texts, proses, end = page.worths, page.texts, page.proses, page.end
    total = worths[-1]
    if core <= 0 or worths[end[core]] - worths[core] < TEXT_DOMINANCE * total:
        return
    most_prose = limits.text_prose * max(proses[-1], LEAST_PROSE)
    for _, child in _beside(page, core):
        after = end[child]
        worth, text = worths[after] - worths[child], texts[after] - texts[child]
        share = limits.surrounding if worth > LINKS_WORTH * text else limits.link_surrounding
        if (
            page.alive[child]
            and text
            and (child >= end[core] or after <= page.first_heading)
            and worth <= share * total
            and proses[after] - proses[child] <= most_prose
        ):
            page.remove(child, after, "surroundings", "beside the text that makes up most of the page")
    page.measure()


def _beside(page: Workspace, core: int) -> Iterator[tuple[int, int]]:
    """Yield (ancestor of the text or itself, sibling of it), from the inside out."""
    parent, end = page.parent, page.end
    inner, above = core, parent[core]
    while above >= 0:
        child, stop = above + 1, end[above]
        while child < stop:
            if child != inner:
                yield inner, child
            child = end[child]
        inner, above = above, parent[above]


def _dominating_text(page: Workspace) -> int:
    """The text that most of the page is, right below the first heading; 0 where there is none."""
    worths, texts, end, heading = page.worths, page.texts, page.end, page.first_heading
    total = worths[-1]
    core = _text_core(page)
    if core <= 0 or heading < 0:
        return 0
    stop = end[core]
    linked = page.chars_in(core, stop, page.linked)
    if (
        heading >= stop
        or worths[stop] - worths[core] < TEXT_DOMINANCE * total
        or worths[core] - worths[heading] > DISTANCE * total
        or linked > LINKED * (texts[stop] - texts[core])
    ):
        return 0
    above = core
    while above > 0:
        if page.hints[above] & _ASTRAY:
            return 0
        above = page.parent[above]
    return core


def _text_core(page: Workspace) -> int:
    """The smallest part with most of the prose of a page that has some, or 0."""
    if page.columns is not None:
        return _CORE.text_core(page.columns, TEXT_SHARE, LEAST_PROSE)  # type: ignore[no-any-return]
    proses, end = page.proses, page.end
    needed = TEXT_SHARE * proses[-1]
    core = 0
    if proses[-1] < LEAST_PROSE:
        return core
    child = 1
    while child < end[core]:
        if not page.text[child] and proses[end[child]] - proses[child] >= needed:
            core = child
            child += 1
        else:
            child = end[child]
    return core


def _are_teasers(page: Workspace, part: int, links: list[int]) -> bool:
    """Whether a part holds at least as many links as records, and these have the length of titles.

    `links` are those of the page.
    """
    end = page.end[part]
    items = sum(count for start, stop, count in page.records if part <= start and stop <= end)
    living: int = sum(page.alive[link] for link in links[bisect_left(links, part) : bisect_left(links, end)])
    return 0 < items <= living and page.chars_in(part, end, page.linked) >= TITLE * living


def _are_priced(page: Workspace, part: int) -> bool:
    """Whether a part names prices, for half of its records at least: products below a text about their category."""
    items = sum(count for start, stop, count in page.records if part <= start and stop <= page.end[part])
    return 2 * count_prices(page, part, page.end[part]) >= max(items, 2 * LEAST_PRICES)
