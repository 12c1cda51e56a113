"""Rows of page numbers without ``rel``, role or name: they stay, whatever holds them.

Spiders follow them, and old pages have nothing else. They are known by numbers and addresses alone, in any language:
links that count upwards and whose addresses are the same but for numbers. Only what would have gone is looked at.
"""

from __future__ import annotations

import re
from heapq import merge
from itertools import compress, islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.hints import PAGER
from scrapy_tps.native import extension
from scrapy_tps.strategies.masks import flipped, masked
from scrapy_tps.strategies.places import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_pagenumbers")

#: Texts of so many characters may be a number, with brackets around it.
_CHARS: Final = 6
#: So many of them are looked at.
_READ: Final = 500
#: A number is in so many elements of so many nodes at most, without other words but what all of them say before it
#: (``<li><a><span>Page</span> <span>2</span></a> |</li>``).
_LEVELS: Final = 4
_UNIT_NODES: Final = 12
#: Characters of a link to the next page, in the languages that need most, and of a number with what it is of.
_ARROW: Final = 20
#: Larger parts are more than a row of numbers: of these the numbers stay, and what is between them.
_ROW_NODES: Final = 150
_ROW_CHARS: Final = 300
#: Steps of one, or of two around the page's own number, are at least this share of all where the row does not start
#: with the first pages: prices and sizes are numbers as well. Of many pages, few are linked after the first (2, 3, 11,
#: 51, 101).
_EVEN: Final = 0.5
#: As many numbers from 1 on are the days of a month.
_MONTH: Final = range(28, 32)
_YEARS: Final = range(1900, 2100)
_DIGITS_READ: Final = 5
_NUMBER: Final = re.compile(rf"\W*(\d{{1,{_DIGITS_READ}}})\W*")
#: What the native twin takes for a candidate: no ASCII letter, a digit or a character beyond ASCII.
_MAYBE_NUMBER: Final = re.compile("[^A-Za-z]*[0-9\x80-\U0010ffff][^A-Za-z]*")
_PICTURE: Final = "img"
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"\w")
#: Characters of a link in which its number and the word before are looked for, at its end.
_END: Final = 40
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)\W*\d")
#: What differs in the addresses of a row: numbers, and what tells sessions or visits apart, which has letters too.
#: (The first condition follows from what comes after it; it is the one that fails soonest.)
_VARYING: Final = re.compile(r"(?=[0-9A-Za-z_]{16})(?=[A-Za-z_]{0,32}[0-9])[0-9A-Za-z_]{16,}|\d+")


class _Link(NamedTuple):
    number: int
    unit: int  # the outermost element around this link alone
    href: str


def page_numbers(page: Workspace) -> list[int]:
    """Return the roots of what stays of the rows of page numbers in removed parts, in document order."""
    rows: dict[int, list[_Link]] = {}
    for link in _links(page):
        rows.setdefault(page.parent[link.unit], []).append(link)
    # of equal rows, above and below a list, the last one stays
    last: dict[tuple[str, ...], int] = {}
    for row, links in rows.items():
        if not page.semantics and any(hint & PAGER for hint in page.hints[row : page.end[row]]):
            continue  # what is marked in it stays
        if _are_pages(page, row, links) and not _are_days(page, row, links):
            last[tuple(link.href for link in links)] = row
    return sorted(root for row in last.values() for root in _roots(page, row, rows[row]))


def _links(page: Workspace) -> Iterator[_Link]:
    """The removed links that are nothing but a number."""
    if page.columns is None:
        found = islice(merge(_short_links(page), _pictures(page)), _READ)
        yield from filter(None, (_read_link(page, text) for text in found))
        return
    for found in _CORE.page_links(page.columns, _CHARS, _READ, _DIGITS_READ, _LEVELS, _UNIT_NODES, _ARROW):
        link = _Link(*found) if isinstance(found, tuple) else _read_link(page, found)
        if link is not None:
            yield link


def _short_links(page: Workspace) -> Iterable[int]:
    """The short texts in removed links that may be numbers."""
    chars = page.chars
    texts = masked(masked(page.linked, page.text), flipped(page.alive))
    return (
        index
        for index in compress(range(page.size), texts)
        if chars[index] <= _CHARS and _MAYBE_NUMBER.fullmatch(_text_of(page, index))
    )


def _pictures(page: Workspace) -> Iterable[int]:
    """The pictures whose text starts with a digit, in removed links that have no other text."""
    end, chars = page.end, page.chars
    for link in page.sequence.find({"a"}):
        stop = end[link]
        if not page.alive[link] and stop - link <= _UNIT_NODES and not any(chars[link:stop]):
            yield from (place for place in range(link, stop) if "0" <= _picture_text(page, place)[:1] <= "9")


def _picture_text(page: Workspace, place: int) -> str:
    is_picture = page.sequence.symbol_tag[page.symbols[place]] == _PICTURE and not page.text[place]
    return page.sequence.nodes[place].get("alt") or "" if is_picture else ""


def _text_of(page: Workspace, text: int) -> str:
    return page.sequence.text_of(text)


def _number_of(page: Workspace, text: int) -> int | None:
    found = _NUMBER.fullmatch(_text_of(page, text) if page.chars[text] else _picture_text(page, text))
    return int(found[1]) if found else None


def _read_link(page: Workspace, text: int) -> _Link | None:
    number = _number_of(page, text)
    if number is None:
        return None
    parent, tags = page.parent, page.sequence.symbol_tag
    unit = link = parent[text]
    href = None
    for _ in range(_LEVELS):
        if href is None and tags[page.symbols[unit]] == "a":
            href, link = page.sequence.nodes[unit].get("href"), unit
        above = parent[unit]
        if above <= 0 or not _holds_only(page, above, text, link):
            break
        if href is not None and not page.chars[text]:
            break  # other pictures are no words
        unit = above
    return _Link(number, unit, href) if href and not href.startswith("#") else None


def _holds_only(page: Workspace, node: int, text: int, link: int) -> bool:
    """Whether an element has no letters and digits but those of a text, and of a few words before it in its link."""
    stop = page.end[node]
    if stop - node > _UNIT_NODES:
        return False
    if page.linked[node]:
        link = node
        if sum(page.chars[node:stop]) > _ARROW:
            return False
    return not any(
        not link <= other <= text and page.chars[other] and _WORD.search(_text_of(page, other))
        for other in range(node, stop)
    )


def _are_pages(page: Workspace, row: int, links: list[_Link]) -> bool:
    """Whether the links count upwards, from the first page on or with links like them beside, to like addresses."""
    numbers = [link.number for link in links]
    steps = [after - before for before, after in pairwise(numbers)]
    if not steps:
        return numbers == [2] and _names_first(page, row, _word_before(page, links[0]))
    if min(steps) < 1 or all(number in _YEARS for number in numbers):
        return False
    starts = numbers[0] <= 2 and steps[0] <= 2
    if not starts and sum(step <= 2 for step in steps) < _EVEN * len(steps):
        return False
    hrefs = {link.href for link in links}
    shapes = {_shape(link.href) for link in links[1:]}  # that of the first page may have no number
    if len(hrefs) < len(links) or len(shapes) > 1 or links[-1].href in shapes:
        return False
    if len({_word_before(page, link) for link in links}) > 1:
        return False
    # the first page need not link to itself, or name its number
    if numbers[0] == 1 or numbers[:2] == [2, 3] or _names_first(page, row):
        return True
    if page.end[row] - row > _ROW_NODES:
        return False
    # far from the first page, links to the pages before and after have addresses like these
    return len(_links_like(page, row, shapes)) > len(links)


def _shape(href: str) -> str:
    """An address without what may differ between the pages of a list."""
    return _VARYING.sub("0", href)


def _links_like(page: Workspace, part: int, shapes: set[str]) -> list[str]:
    """The addresses in a part that are like these."""
    found = (link.get("href") or "" for link in page.sequence.nodes[part].iter("a"))
    return [href for href in found if _shape(href) in shapes]


def _word_before(page: Workspace, link: _Link) -> str:
    """The word before the number of a link, if there is one."""
    places = range(link.unit, page.end[link.unit])
    text = " ".join(_text_of(page, place) for place in places if page.chars[place])
    said = _WORD_BEFORE.search(" ".join(text.split())[-_END:])
    return said[1].lower() if said else ""


def _names_first(page: Workspace, row: int, word: str = "") -> bool:
    """Whether a short text has the number 1 (``Page 1 of 4``); the links with an address start later.

    :param word: what stands before that number, if anything has to.
    """
    stop = page.end[row]
    return (
        stop - row <= _ROW_NODES
        and any(
            0 < page.chars[text] <= _ARROW and 1 in map(int, _DIGITS.findall(_text_of(page, text)))
            for text in range(row, stop)
        )
        and (not word or f"{word}1" in joined(page, row).lower())
    )


def _are_days(page: Workspace, row: int, links: list[_Link]) -> bool:
    """Whether these are days of a month: as many numbers, or numbers that the rows before or after this continue."""
    numbers = _numbers_in(page, row)
    if numbers and max(numbers) in _MONTH and len(set(numbers)) == max(numbers):
        return True
    if row <= 0:
        return False
    parent, tags = page.parent, page.tags
    after, before = page.end[row], row - 1
    while parent[before] > parent[row]:
        before = parent[before]
    preceding = _numbers_in(page, before) if tags[before] == tags[row] else []
    following = _numbers_in(page, after) if after < page.size and tags[after] == tags[row] else []
    return preceding[-1:] == [links[0].number - 1] or following[:1] == [links[-1].number + 1]


def _numbers_in(page: Workspace, part: int) -> list[int]:
    """The numbers that stand alone in the texts of a part that is small, linked or not."""
    stop = page.end[part]
    if stop - part > _ROW_NODES:
        return []
    found = (_number_of(page, text) for text in range(part, stop) if 0 < page.chars[text] <= _CHARS)
    return [number for number in found if number is not None]


def _roots(page: Workspace, row: int, links: list[_Link]) -> list[int]:
    """The row, or of a larger part the children from the first number to the last and one more at either side."""
    end = page.end
    size = sum(page.chars[row : end[row]]) if row > 0 and end[row] - row <= _ROW_NODES else _ROW_CHARS + 1
    if size <= _ROW_CHARS:
        root, around = row, row
        for level in range(_LEVELS):
            around = page.parent[around]
            if (
                around <= 0
                or end[around] - around > _ROW_NODES
                or sum(page.chars[around : end[around]]) > size + 2 * _ARROW
            ):
                break
            # with the links to the pages before and after, beside a list of the numbers, and to the last, further out
            if not level or _holds_more(page, around, root, links):
                root = around
        return [root]
    first, last = links[0].unit, links[-1].unit
    if end[last] - first > _ROW_NODES:
        return [link.unit for link in links]
    children = []
    child, stop = row + 1, end[row]
    while child < stop:
        children.append(child)
        child = end[child]
    low, high = children.index(first), children.index(last)
    low -= low > 0 and _is_arrow(page, children[low - 1])
    high += high + 1 < len(children) and _is_arrow(page, children[high + 1])
    return children[low : high + 1]


def _holds_more(page: Workspace, around: int, row: int, links: list[_Link]) -> bool:
    """Whether a part has links to other pages like these that a part in it has not."""
    linked, end = page.linked, page.end
    if linked.count(1, around, end[around]) == linked.count(1, row, end[row]):
        return False
    shapes = {_shape(link.href) for link in links[1:]}
    return not set(_links_like(page, row, shapes)).issuperset(_links_like(page, around, shapes))


def _is_arrow(page: Workspace, child: int) -> bool:
    """Whether this is a link of a word or two, to the page before or after."""
    sequence = page.sequence
    linked = sequence.symbol_tag[page.symbols[child]] == "a"
    return (
        linked
        and page.end[child] - child <= _UNIT_NODES
        and sum(page.chars[child : page.end[child]]) <= _ARROW
    )
