"""Links to the next page and to the one before, where no number is beside them: they stay, whatever holds them.

Spiders follow them. ``rel`` and the names of pagination say it on some pages (:mod:`scrapy_tps.hints`); on the others
the link's own words do, its label, or its class. Links and buttons that a script reads stay where an attribute has
what it loads: spiders read it as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import READ
from scrapy_tps.native import extension
from scrapy_tps.strategies.masks import flipped
from scrapy_tps.turning import AROUND, MORE_WORDS, TURNING_WORDS, names_turning, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_pagenumbers")

#: Pages with more of them have them in their menus or beside their records.
_MOST: Final = 4
#: Characters of a link that says it, in the languages that need most: "Next: a title" is another article …
_SHORT: Final = 20
#: … and with the white space in it, and of a label.
_READ: Final = 100
#: Nodes of a link, and of what is around it alone, whose class may say it: so many levels up.
_NODES: Final = 12
_LEVELS: Final = 2
_WORDS: Final = TURNING_WORDS | MORE_WORDS
#: What the native twin gets to tell ASCII texts by.
_ASCII_WORDS: Final = _CORE and extension("_tables").Table(
    dict.fromkeys(filter(str.isascii, _WORDS), (1, 0, 0))
)
_SIGNS: Final = bytes(chr(byte) in AROUND for byte in range(128))
_NO_PAGE: Final = ("#", "javascript:", "mailto:", "tel:")
#: What scripts read off links and buttons; with a number in it, it says which page.
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


def next_links(page: Workspace, kept: Iterable[int]) -> list[int]:
    """Return the links to other pages of the list that would have gone, but for those that stay somewhere else.

    :param kept: roots of what stays of what would have gone.
    """
    held = bytearray(page.alive)
    for root in kept:
        held[root : page.end[root]] = b"\x01" * (page.end[root] - root)
    # of equal links, above and below a list, the last one
    going = {href: link for link in _candidates(page, held) if (href := _turns(page, link))}
    if not going or len(going) > _MOST:
        return []
    staying = {_turns(page, link) for link in _candidates(page, flipped(held))}
    return sorted(link for href, link in going.items() if href not in staying)


def _candidates(page: Workspace, held: bytearray) -> list[int]:
    """The links and buttons whose byte is 0 and which may turn the page."""
    if page.columns is not None:
        return _CORE.turning_links(  # type: ignore[no-any-return]
            page.columns, held, _ASCII_WORDS, _WORDS, words_of, _SIGNS, _SHORT, _NODES
        )
    sequence, parent, end, chars = page.sequence, page.parent, page.end, page.chars
    marked = sequence.spread_bytes(
        bytes(names is not None and names_turning(names) for names in sequence.symbol_class)
    )
    labelled = set()
    for index, read in sequence.attributes(READ):
        if "aria-label" in read and words_of(read["aria-label"]) in _WORDS:
            labelled.add(index)
        if "id" in read and names_turning(read["id"]):
            marked[index] = 1
    found = []
    for link in sequence.find({"a", "button"}):
        if held[link] or end[link] - link > _NODES:
            continue
        size = sum(chars[link : end[link]])
        if size > _SHORT:
            continue
        above = parent[link]
        if (
            not size
            or marked[link]
            or marked[above]
            or marked[max(parent[above], 0)]
            or link in labelled
            or words_of(_text(page, link)) in _WORDS
        ):
            found.append(link)
    return found


def _text(page: Workspace, link: int) -> str:
    texts = [page.sequence.text_of(place) for place in range(link, page.end[link]) if page.chars[place]]
    text = "".join(texts)
    return text if len(text) <= _READ else ""


def _turns(page: Workspace, link: int) -> str:
    """The address of a link to the next page or to the one before; empty for others."""
    sequence, end = page.sequence, page.end
    node = sequence.nodes[link]
    href: str = (node.get("href") or "").strip()
    words = TURNING_WORDS
    if not href or href.lower().startswith(_NO_PAGE):
        loaded = (node.get(name) or "" for name in _LOADED)
        href = next(filter(_DIGIT.search, loaded), "")
        if not href:
            return ""
        words = _WORDS
    size = sum(page.chars[link : end[link]])
    said = [_text(page, link), node.get("aria-label") or ""]
    if not size:
        said.append(node.get("title") or "")  # of a picture
        tags, symbols = sequence.symbol_tag, page.symbols
        pictures = (place for place in range(link, end[link]) if tags[symbols[place]] == "img")
        said += (sequence.nodes[picture].get("alt") or "" for picture in pictures)
    if any(len(saying) <= _READ and words_of(saying) in words for saying in said):
        return href
    part = link
    for _ in range(_LEVELS + 1):
        names = f"{sequence.class_of(part) or ''} {sequence.nodes[part].get('id') or ''}"
        if names_turning(names):
            return href
        part = page.parent[part]
        if part <= 0 or end[part] - part > _NODES or sum(page.chars[part : end[part]]) > size:
            break
    return ""
