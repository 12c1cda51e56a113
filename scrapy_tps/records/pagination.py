"""The link to the next page of a listing, and rows of such links, which are no records."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag, urljoin, urlsplit

from scrapy_tps.engine.hints.pagination_words import NEXT_WORDS, PAGINATION_WORDS, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.records.across import Span
    from scrapy_tps.records.groups import Group
    from scrapy_tps.records.page import RecordPage

_NEXT_CLASS = re.compile(r"(?:^|[-_\s])next(?:$|[-_\s])", re.IGNORECASE)
_NOT_NEXT_CLASS = re.compile(r"slick|slide|swiper|carousel|gallery|month", re.IGNORECASE)
_NUMBER = re.compile(r"^\s*(\d{1,5})\s*$")
#: Of how many pages this is which: "Page 1 of 20", "Seite 1 von 20".
_COUNT = re.compile(r"[^\W\d]{1,12}\W? (\d{1,5}) ?(?:[^\W\d]{1,8}|/) ?(\d{1,5})")
_DIGITS = re.compile(r"\d+")
_LONGEST_ROW: Final = 200  # characters of a row of page numbers
_LONGEST_NUMBER: Final = 5  # digits
_LONGEST: Final = 40  # characters of a link that may say "next"


def next_page(root: Any, url: str) -> str | None:
    """Return the absolute URL of the page after this one, None if there is no link to one.

    Looked for in this order: ``rel=next``; a link that says so in its text, ``aria-label``, ``title`` or class; the
    number that follows the page's own in a row of page numbers. Only ``http(s)`` pages of the same host count, and not
    this page itself.

    :param root: the ``html`` element of the page, as downloaded: pruned pages may lack the links.
    :param url: the page's address.
    """
    base = _base(root, url)
    for candidates in (_by_rel(root), _by_words(root), _by_number(root, base, url)):
        for href in candidates:
            target = _target(href, base, url)
            if target is not None:
                return target
    return None


def without_pagination(page: RecordPage, group: Group) -> Group:
    """Return a list without the row of links to its other pages above it, and the one below it.

    Where other rows say the like, such rows are the records: scores with an arrow to more, chapters of a book.
    """
    spans = group.spans
    first = int(is_pagination(page, spans[0]))
    last = len(spans) - int(is_pagination(page, spans[-1]))
    inner = spans[first:last]
    if len(inner) == len(spans) or len(inner) < 2 or any(is_pagination(page, span) for span in inner):
        return group
    return replace(group, spans=inner)


def is_pagination(page: RecordPage, span: Span) -> bool:
    """Whether a part says "next" or the like, which page this is, page numbers, and nothing else.

    Of page numbers one follows another. Numbers and arrows alone are such a row if there are several numbers.
    """
    start, end = span
    if not 0 < page.text[end] - page.text[start] <= _LONGEST_ROW:
        return False
    words = list(map(words_of, page.strings(start, end)))
    if PAGINATION_WORDS.isdisjoint(words):
        return False
    others = [said for said in words if said and said not in PAGINATION_WORDS]
    numbers = [int(said) for said in others if said.isdecimal() and len(said) <= _LONGEST_NUMBER]
    counted = [said for said in others if _COUNT.fullmatch(said)]
    follow = any(number + 1 in numbers for number in numbers)
    told = follow if numbers else any(map(str.isalpha, "".join(words)))
    return told and len(numbers) + len(counted) == len(others)


def _base(root: Any, url: str) -> str:
    for element in root.iter("base"):
        href = (element.get("href") or "").strip()
        if href:
            return _join(url, href) or url
    return url


def _join(base: str, href: str) -> str | None:
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return None


def _target(href: str | None, base: str, url: str) -> str | None:
    if not href or href.strip().startswith(("#", "javascript:", "mailto:")):
        return None
    joined = _join(base, href)
    if joined is None:
        return None
    target, here = urldefrag(joined)[0], urldefrag(url)[0]
    try:
        parts, own = urlsplit(target), urlsplit(here)
    except ValueError:
        return None
    same_host = parts.netloc == own.netloc or not own.netloc
    return target if parts.scheme in ("http", "https") and same_host and target != here else None


def _by_rel(root: Any) -> Iterator[str | None]:
    for element in root.iter("link", "a"):
        if "next" in (element.get("rel") or "").lower().split():
            yield element.get("href")


def _by_words(root: Any) -> Iterator[str | None]:
    for link in root.iter("a"):
        texts = (_text(link), link.get("aria-label"), link.get("title"))
        if any(text is not None and words_of(text) in NEXT_WORDS for text in texts):
            yield link.get("href")
    for link in root.iter("a"):
        parent = link.getparent()
        names = f"{link.get('class') or ''} {parent.get('class') or '' if parent is not None else ''}"
        if _NEXT_CLASS.search(names) and not _NOT_NEXT_CLASS.search(names):
            yield link.get("href")


def _text(link: Any) -> str | None:
    pieces = []
    length = 0
    for piece in link.itertext():
        pieces.append(piece)
        length += len(piece.strip())
        if length > _LONGEST:
            return None
    return "".join(pieces)


def _by_number(root: Any, base: str, url: str) -> Iterator[str | None]:
    """The link with the next number, whose address differs from this page's in one number only.

    A page without a number of its own (the first) is followed by the link that says 2.
    """
    here = urldefrag(url)[0]
    numbers: dict[int, str] = {}
    for link in root.iter("a"):
        match = _NUMBER.match(_text(link) or "")
        href = _join(base, link.get("href") or "")
        if match and href:
            numbers.setdefault(int(match[1]), urldefrag(href)[0])
    if len(numbers) < 1 or not _looks_like_pages(numbers):
        return
    own = next((number for number, href in numbers.items() if href == here), None)
    if own is None:
        own = next((number - 1 for number in sorted(numbers) if _follows(numbers[number], here, number)), 1)
    yield numbers.get(own + 1)


def _looks_like_pages(numbers: dict[int, str]) -> bool:
    """Whether the addresses of all numbers are the same but for numbers in them."""
    shapes = {_DIGITS.sub("0", href) for number, href in numbers.items() if number > 1}
    return len(shapes) == 1


def _follows(href: str, here: str, number: int) -> bool:
    """Whether `href` is `here` with one number raised by one, or by a step that fits offsets."""
    theirs, ours = _DIGITS.findall(href), _DIGITS.findall(here)
    if _DIGITS.sub("0", href) != _DIGITS.sub("0", here) or len(theirs) != len(ours):
        return False
    changed = [(int(a), int(b)) for a, b in zip(theirs, ours, strict=True) if a != b]
    if len(changed) != 1:
        return False
    after, before = changed[0]
    return after == before + 1 == number or (
        number > 1 and after * (number - 2) == before * (number - 1) and before < after
    )
