"""Links to the other pages of a list without ``rel``, role or name: they stay, regardless of the part around them.

Spiders follow them, and old pages have no others. Numbers and addresses alone identify rows of page numbers, in any
language: links that count upwards, with addresses that are the same except for numbers. Archives have similar rows of
years. Only removed parts are examined.

Without a number, the text, the label or the class of a link to the next or the previous page tells. Links and buttons
for a script stay if an attribute names what it loads, because spiders read it too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.arrays import flipped
from scrapy_tps.engine.cues.reading import PAGER
from scrapy_tps.engine.cues.words import AROUND, MORE_WORDS, PAGINATION_WORDS, label_words, names_pagination
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.queries import addresses, joined, within
from scrapy_tps.engine.strategies.auto.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.decisions import Retained
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class Pagination(Thresholds):
    # texts of so many characters may be a number, with brackets around it; so many numbers are examined
    characters: int = 6
    read: int = 500
    # a number is in at most so many elements of so many nodes, without other words, except for a common one before it
    # (<li><a><span>Page</span> <span>2</span></a> |</li>)
    levels: int = 4
    unit_nodes: int = 12
    # characters of a link to the next page, in the longest languages, and of a number with its unit
    arrow: int = 20
    # larger parts are more than a row of numbers: only the numbers in them stay, with the nodes between them
    row_nodes: int = 150
    row_characters: int = 300
    # if the row does not start with the first pages, steps of one, or of two around the page's own number, are at least
    # this share of all steps, because prices and sizes are numbers too. If there are many pages, few are linked after
    # the first (2, 3, 11, 51, 101)
    even: float = 0.5
    end: int = 40  # characters at the end of a link in which its number and the word before are searched for
    marked: bool = True  # rows with cues of pagination stay, too; otherwise only the parts with these cues


#: So many numbers from 1 on are the days of a month.
_MONTH: Final = range(28, 32)

_YEARS: Final = range(1900, 2100)

#: A number that may be one of a page.
_NUMBER: Final = re.compile(r"\W*(\d{1,5})\W*")

_PICTURES: Final = frozenset({"img"})

_DIGITS: Final = re.compile(r"\d+")

_WORD: Final = re.compile(r"\w")

_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)\W*\d")

#: The differences between addresses of a row: numbers, and ids of sessions or visits, which have letters too.
#: (The first condition follows from the rest; it is there because it fails soonest.)
_VARYING: Final = re.compile(r"(?=[0-9A-Za-z_]{16})(?=[A-Za-z_]{0,32}[0-9])[0-9A-Za-z_]{16,}|\d+")


class _Link(NamedTuple):
    number: int
    unit: int  # the outermost element around this link alone
    href: str


def pagination(page: Page, limits: Pagination) -> list[Retained]:
    """Retain the rows of page numbers in removed parts."""
    rows = _rows(page, limits)
    # of equal rows above and below a list, the last one stays
    last: dict[tuple[str, ...], tuple[int, list[_Link]]] = {}
    for row, links in rows.items():
        if not limits.marked and any(cue & PAGER for cue in page.cues[row : page.end[row]]):
            continue
        for run in (links, *_runs(links)):
            if _are_pages(page, row, run, limits):
                if not _are_days(page, row, run, limits):
                    last[tuple(link.href for link in run)] = row, run
                break
    roots = sorted(root for row, run in last.values() for root in _roots(page, row, run, limits))
    return [(root, "page numbers or years") for root in roots]


def _runs(links: list[_Link]) -> list[list[_Link]]:
    """Return the two runs of ascending numbers of a row, if there are two: sizes of a page, and page numbers."""
    starts = [place for place, (one, other) in enumerate(pairwise(links), 1) if other.number <= one.number]
    return [links[: starts[0]], links[starts[0] :]] if len(starts) == 1 else []


def _rows(page: Page, limits: Pagination) -> dict[int, list[_Link]]:
    """Return the removed links whose text is only a number, or whose only picture has one as its text, by the element
    around them."""
    sequence, lengths = page.sequence, page.text_length
    numbers: list[tuple[int, int]] = []
    for place in sequence.removed_numbers(page.columns, limits.characters):
        said = sequence.text_of(place) if lengths[place] else sequence.value_of(place, "alt") or ""
        found = _NUMBER.fullmatch(said)
        if found and (lengths[place] or ("0" <= said[0] <= "9" and _is_alone(page, limits, place))):
            numbers.append((place, int(found[1])))
    rows: dict[int, list[_Link]] = {}
    for place, number in numbers[: limits.read]:
        link = _read_link(page, limits, place, number)
        if link is not None:
            rows.setdefault(page.parent[link.unit], []).append(link)
    return rows


def _is_alone(page: Page, limits: Pagination, picture: int) -> bool:
    """Whether the link around a picture has no text, and is small."""
    link = picture
    while page.sequence.tag_of(link) != "a":
        link = page.parent[link]
    stop = page.end[link]
    return not page.alive[link] and stop - link <= limits.unit_nodes and not any(page.text_length[link:stop])


def _read_link(page: Page, limits: Pagination, text: int, number: int) -> _Link | None:
    parent = page.parent
    unit = link = parent[text]
    href = None
    for _ in range(limits.levels):
        if href is None and page.sequence.tag_of(unit) == "a":
            href, link = page.sequence.value_of(unit, "href"), unit
        above = parent[unit]
        if above <= 0 or not _holds_only(page, limits, above, text, link):
            break
        if href is not None and not page.text_length[text]:
            break  # other pictures are not words
        unit = above
    return _Link(number, unit, href) if href and not href.startswith("#") else None


def _holds_only(page: Page, limits: Pagination, node: int, text: int, link: int) -> bool:
    """Whether an element has no letters and digits except those of a text, and of a few words before it in its link."""
    stop = page.end[node]
    if stop - node > limits.unit_nodes:
        return False
    size = page.length_of(node, stop)
    if page.in_link[node]:
        link = node
        if size > limits.arrow:
            return False
    return size == page.length_of(link, text + 1) or not any(
        not link <= other <= text and _WORD.search(page.sequence.text_of(other))
        for other in page.texts_in(node, stop, size)
    )


def _are_pages(page: Page, row: int, links: list[_Link], limits: Pagination) -> bool:
    """Whether the links count upwards to similar addresses, from the first page on or with similar links next to them.

    Years may count in either direction: only these links lead to older opinions and minutes.
    """
    numbers = [link.number for link in links]
    steps = [after - before for before, after in pairwise(numbers)]
    if not steps:
        return numbers == [2] and _names_first(page, limits, row, _word_before(page, limits, links[0]))
    years = all(number in _YEARS for number in numbers)
    if not _are_years(steps) if years else min(steps) < 1:
        return False
    starts = numbers[0] <= 2 and steps[0] <= 2
    if (
        not starts
        and sum(step <= 2 for step in steps) < limits.even * len(steps)
        and not _has_own_between(page, limits, row, numbers)
    ):
        return False
    shapes = _shapes(links)
    if not _are_similar(page, limits, links, shapes):
        return False
    # the first page may not link to itself, or not show its number
    if years or numbers[0] == 1 or numbers[:2] == [2, 3] or _names_first(page, limits, row):
        return True
    if page.end[row] - row > limits.row_nodes:
        return False
    # far from the first page, links to the previous and the next page have similar addresses
    return len(_links_like(page, row, shapes)) > len(links)


def _are_years(steps: list[int]) -> bool:
    """Whether years follow each other, three at least."""
    return len(steps) > 1 and steps[0] in (-1, 1) and len(set(steps)) == 1


def _are_similar(page: Page, limits: Pagination, links: list[_Link], shapes: set[str]) -> bool:
    """Whether links lead to addresses that differ, but not in their shape, and say the same before their numbers."""
    return (
        len({link.href for link in links}) == len(links)
        and len(shapes) == 1
        and links[-1].href not in shapes
        and len({_word_before(page, limits, link) for link in links}) == 1
    )


def _has_own_between(page: Page, limits: Pagination, row: int, numbers: list[int]) -> bool:
    """Whether a row has a number without a link next to linked ones: that of the page itself (1 … 4 *5* 6 … 30)."""
    others = set(_numbers_in(page, limits, row)).difference(numbers)
    return any(not {other - 1, other + 1}.isdisjoint(numbers) for other in others)


def _shapes(links: list[_Link]) -> set[str]:
    """Return the addresses of links without their differences; that of the first page may have no number."""
    # mostly they differ only in numbers, which are found in a third of the time
    if len({_DIGITS.sub("0", link.href) for link in links[1:]}) == 1:
        return {_VARYING.sub("0", links[-1].href)}
    return {_VARYING.sub("0", link.href) for link in links[1:]}


def _links_like(page: Page, part: int, shapes: set[str]) -> list[str]:
    """Return the addresses in a part that are similar to these."""
    return [href for href in addresses(page, part, page.links) if _VARYING.sub("0", href) in shapes]


def _word_before(page: Page, limits: Pagination, link: _Link) -> str:
    """Return the word before the number of a link, if there is one."""
    stop = page.end[link.unit]
    texts = page.texts_in(link.unit, stop, page.length_of(link.unit, stop))
    if len(texts) < 2:  # only the number, or none next to a picture
        return ""
    text = " ".join(page.sequence.text_of(place) for place in texts)
    said = _WORD_BEFORE.search(" ".join(text.split())[-limits.end :])
    return said[1].lower() if said else ""


def _names_first(page: Page, limits: Pagination, row: int, word: str = "") -> bool:
    """Whether a short text has the number 1 (``Page 1 of 4``), if the links start later.

    :param word: the required word before that number, if any.
    """
    stop = page.end[row]
    return (
        stop - row <= limits.row_nodes
        and any(
            1 in map(int, _DIGITS.findall(page.sequence.text_of(text)))
            for text in page.texts_in(row, stop, limits.arrow)
        )
        and (not word or f"{word}1" in joined(page, row).lower())
    )


def _are_days(page: Page, row: int, links: list[_Link], limits: Pagination) -> bool:
    """Whether these are days of a month: as many numbers, or numbers that the rows before or after this continue."""
    numbers = _numbers_in(page, limits, row, _MONTH[0])
    if numbers and max(numbers) in _MONTH and len(set(numbers)) == max(numbers):
        return True
    if row <= 0:
        return False
    parent, tags = page.parent, page.tags
    after, before = page.end[row], row - 1
    while parent[before] > parent[row]:
        before = parent[before]
    preceding = _numbers_in(page, limits, before) if tags[before] == tags[row] else []
    following = _numbers_in(page, limits, after) if after < page.size and tags[after] == tags[row] else []
    return preceding[-1:] == [links[0].number - 1] or following[:1] == [links[-1].number + 1]


def _numbers_in(page: Page, limits: Pagination, part: int, least: int = 1) -> list[int]:
    """Return the texts of a small part that are only numbers, linked or not.

    :param least: return none if the part has fewer short texts.
    """
    stop = page.end[part]
    if stop - part > limits.row_nodes:
        return []
    texts = page.texts_in(part, stop, limits.characters)
    if len(texts) < least:
        return []
    found = (_NUMBER.fullmatch(page.sequence.text_of(text)) for text in texts)
    return [int(number[1]) for number in found if number]


def _roots(page: Page, row: int, links: list[_Link], limits: Pagination) -> list[int]:
    """Return the row, or in a larger part the children from the first number to the last."""
    end = page.end
    size = limits.row_characters + 1
    if row > 0 and end[row] - row <= limits.row_nodes:
        size = page.length_of(row, end[row])
    if size <= limits.row_characters:
        root, around = row, row
        for level in range(limits.levels):
            around = page.parent[around]
            if (
                around <= 0
                or end[around] - around > limits.row_nodes
                or page.length_of(around, end[around]) > size + 2 * limits.arrow
            ):
                break
            # include links to the previous and the next page next to the numbers, and to the last page further out
            if not level or _holds_more(page, around, root, links):
                root = around
        return [root]
    first, last = links[0].unit, links[-1].unit
    if end[last] - first > limits.row_nodes:
        return [link.unit for link in links]
    children = page.children(row)
    return children[children.index(first) : children.index(last) + 1]


def _holds_more(page: Page, around: int, row: int, links: list[_Link]) -> bool:
    """Whether a part has similar links to other pages that an inner part does not have."""
    linked, end = page.in_link, page.end
    if linked.count(1, around, end[around]) == linked.count(1, row, end[row]):
        return False
    shapes = _shapes(links)
    return not set(_links_like(page, row, shapes)).issuperset(_links_like(page, around, shapes))


@dataclass(frozen=True, slots=True)
class NextLinks(Thresholds):
    most: int = 4  # pages with more of them have them in menus or next to records
    # the most characters of such a link, in the longest languages ("Next: a title" is another article), also with the
    # white space in it, and of a label
    characters: int = 20
    read: int = 100
    # the most nodes of a link and of elements around it alone, whose class may tell: so many levels up
    nodes: int = 12
    levels: int = 2


_WORDS: Final = PAGINATION_WORDS | MORE_WORDS

_CORE: Final = extension("promises")

#: The same for the core, which leaves texts beyond ASCII to the function.
_TELLING: Final = _CORE and _CORE.Telling(
    _WORDS, label_words, bytes(byte for byte in range(128) if chr(byte).isspace() or chr(byte) in AROUND)
)

_BUTTONS: Final = frozenset({"button"})

_NO_PAGE: Final = ("#", "javascript:", "mailto:", "tel:")

#: Attributes of links and buttons for scripts; one with a number names the page.
_LOADED: Final = (
    "data-href",
    "data-url",
    "data-next",
    "data-next-url",
    "data-next-page",
    "data-page",
    "hx-get",
    "hx-vals",
)

_DIGIT: Final = re.compile(r"\d")


def next_links(page: Page, limits: NextLinks) -> list[Retained]:
    """Retain removed links to other pages of the list, except those that also stay elsewhere."""
    gone = _candidates(page, page.alive, limits)
    if not gone:
        return []
    held = bytearray(page.alive)
    for root, _ in page.retained:
        held[root : page.end[root]] = b"\x01" * (page.end[root] - root)
    # of equal links above and below a list, the last one is retained
    going = {href: link for link in gone if not held[link] and (href := _leads_to(page, link, limits))}
    if not going or len(going) > limits.most:
        return []
    staying = {_leads_to(page, link, limits) for link in _candidates(page, flipped(held), limits)}
    reason = "a link to the next or the previous page"
    return [(link, reason) for link in sorted(link for href, link in going.items() if href not in staying)]


def _candidates(page: Page, held: bytearray, limits: NextLinks) -> list[int]:
    """Return the short links and buttons whose byte is 0."""
    places = page.links, page.sequence.find(_BUTTONS)
    most = limits.characters, limits.nodes
    return sorted(page.sequence.next_links(page.columns, places, held, _TELLING, most))


def _said(page: Page, link: int, *, has_text: bool) -> Iterator[str]:
    """What a link says: its text and label; without a text its title, and what its pictures show."""
    value_of, end = page.sequence.value_of, page.end[link]
    yield "".join(page.sequence.text_of(place) for place in range(link, end) if page.text_length[place])
    yield value_of(link, "aria-label") or ""
    if not has_text:
        yield value_of(link, "title") or ""
        yield from (value_of(picture, "alt") or "" for picture in within(page, _PICTURES, link, end))


def _leads_to(page: Page, link: int, limits: NextLinks) -> str:
    """Return the address of a link to the next or the previous page; empty for others."""
    sequence, end = page.sequence, page.end
    value_of = sequence.value_of
    href = (value_of(link, "href") or "").strip()
    words = PAGINATION_WORDS
    if not href or href.lower().startswith(_NO_PAGE):
        loaded = (value_of(link, name) or "" for name in _LOADED)
        href = next(filter(_DIGIT.search, loaded), "")
        if not href:
            return ""
        words = _WORDS
    size = page.length_of(link, end[link])
    said = _said(page, link, has_text=size > 0)
    if any(len(saying) <= limits.read and label_words(saying) in words for saying in said):
        return href
    part = link
    for _ in range(limits.levels + 1):
        names = f"{sequence.class_of(part) or ''} {value_of(part, 'id') or ''}"
        if names_pagination(names):
            return href
        part = page.parent[part]
        if part <= 0 or end[part] - part > limits.nodes or page.length_of(part, end[part]) > size:
            break
    return ""
