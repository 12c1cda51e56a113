"""Links to the next and the previous page without a number next to them: they stay, regardless of the part around them.

Spiders follow them. Some pages use ``rel`` or names of pagination (:mod:`scrapy_tps.engine.cues.reading`); on others,
the text, the label or the class of the link tells. Links and buttons for a script stay if an attribute names what it
loads, because spiders read it too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.arrays import flipped
from scrapy_tps.engine.cues.words import (
    AROUND,
    MORE_WORDS,
    PAGINATION_WORDS,
    names_pagination,
    words_of,
)
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.decisions import Retained
from scrapy_tps.engine.strategies.auto.queries import within
from scrapy_tps.engine.strategies.auto.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.page import Page


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


_CORE: Final = extension("promises")

_WORDS: Final = PAGINATION_WORDS | MORE_WORDS

#: The words by which the native twin recognises ASCII texts.
_ASCII_WORDS: Final = _CORE and extension("texts").Table(
    dict.fromkeys(filter(str.isascii, _WORDS), (1, 0, 0))
)

_SIGNS: Final = bytes(chr(byte) in AROUND for byte in range(128))

_PICTURES: Final = frozenset({"img"})

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
    held = bytearray(page.alive)
    for root, *_ in page.retained:
        held[root : page.end[root]] = b"\x01" * (page.end[root] - root)
    # of equal links above and below a list, the last one is retained
    going = {
        href: link for link in _candidates(page, held, limits) if (href := _leads_to(page, link, limits))
    }
    if not going or len(going) > limits.most:
        return []
    staying = {_leads_to(page, link, limits) for link in _candidates(page, flipped(held), limits)}
    reason = "a link to the next or the previous page"
    return [
        Retained(link, reason) for link in sorted(link for href, link in going.items() if href not in staying)
    ]


def _candidates(page: Page, held: bytearray, limits: NextLinks) -> list[int]:
    """Return the short links and buttons whose byte is 0; the native core omits most that lead to no other page of the
    list."""
    if page.native_columns is not None:
        return _CORE.next_links(  # type: ignore[no-any-return]
            page.native_columns, held, _ASCII_WORDS, _WORDS, words_of, _SIGNS, limits.characters, limits.nodes
        )
    return [
        link
        for link in page.sequence.find({"a", "button"})
        if not held[link]
        and page.end[link] - link <= limits.nodes
        and page.length_of(link, page.end[link]) <= limits.characters
    ]


def _text(page: Page, link: int, most: int) -> str:
    texts = [page.sequence.text_of(place) for place in range(link, page.end[link]) if page.text_length[place]]
    text = "".join(texts)
    return text if len(text) <= most else ""


def _said(page: Page, link: int, limits: NextLinks, *, has_text: bool) -> Iterator[str]:
    """What a link says: its text and label; without a text its title, and what its pictures show."""
    value_of = page.sequence.value_of
    yield _text(page, link, limits.read)
    yield value_of(link, "aria-label") or ""
    if not has_text:
        yield value_of(link, "title") or ""
        yield from (
            value_of(picture, "alt") or "" for picture in within(page, _PICTURES, link, page.end[link])
        )


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
    said = _said(page, link, limits, has_text=size > 0)
    if any(len(saying) <= limits.read and words_of(saying) in words for saying in said):
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
