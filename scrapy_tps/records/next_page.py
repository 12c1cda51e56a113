"""The link to the next page of a listing."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag, urljoin, urlsplit

from scrapy_tps.engine.cues.words import NEXT_WORDS, label_words, names_next

if TYPE_CHECKING:
    from collections.abc import Iterator


_NUMBER = re.compile(r"^\s*([1-9]\d{0,4})\s*$")
_DIGITS = re.compile(r"\d+")
_LONGEST: Final = 40  # characters of a link that may say "next"
_LONGEST_NUMBER: Final = 15  # digits in an address
_LEVELS: Final = 4  # elements above a number that may hold its row


def next_page(root: Any, url: str) -> str | None:
    """Return the absolute URL of the page after this one, None if there is no link to one.

    The search tries in this order: ``rel=next``; a link with such words in its text, ``aria-label``, ``title`` or
    class; the number after the page's own, in the row of numbers that has it or that counts from 1. If the word leads
    further along this row, the number counts: on many boards the word skips ten pages. Only ``http(s)`` pages of the
    same host count, and not this page itself.

    :param root: the ``html`` element of the page as downloaded: pruned pages may lack the links.
    :param url: the page's address.
    """
    base, here = base_url(root, url), urldefrag(url)[0]
    rows = [(row.own_number(here), row.links) for row in _rows_of_numbers(root, base)]
    numbers = [links[own + 1] for own, links in rows if own is not None and own + 1 in links]
    seconds = [links[2] for own, links in rows if own is None and 2 in links and (1 in links or 3 in links)]
    alike = {_pattern(number): number for number in reversed(numbers)}
    words = (_without_skip(href, alike, base) for href in _by_words(root))
    targets = (_target(href, base, url) for href in chain(_by_rel(root), words, numbers, seconds))
    return next(filter(None, targets), None)


def base_url(root: Any, url: str) -> str:
    """Return the address against which the links of a page are resolved."""
    hrefs = (element.get("href", "").strip() for element in root.iter("base"))
    return absolute_address(url, next(filter(None, hrefs), "")) or url


def absolute_address(base: str, href: str) -> str | None:
    """Return the absolute address of a link; None if it is invalid, such as an unclosed IPv6 address."""
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return None


def value_address(base: str, raw: str) -> str:
    """Return the address of a link or picture as the value of a record: absolute if it can be, and without spaces."""
    raw = raw.strip()
    is_whole = raw.startswith(("http://", "https://")) and "/." not in raw  # joining takes ten times as long
    address = absolute_address(base, raw) if raw and base and not is_whole else None
    return (address or raw).replace(" ", "%20")


def _target(href: str, base: str, url: str) -> str | None:
    if not href or href.strip().startswith(("#", "javascript:", "mailto:")):
        return None
    address = absolute_address(base, href)
    if address is None:
        return None
    target, here = urldefrag(address)[0], urldefrag(url)[0]
    parts, own = urlsplit(target), urlsplit(here)
    same_host = parts.netloc == own.netloc or not own.netloc
    return target if parts.scheme in ("http", "https") and same_host and target != here else None


def _by_rel(root: Any) -> Iterator[str]:
    for element in root.iter("link", "a"):
        if "next" in (element.get("rel") or "").lower().split():
            yield element.get("href", "")


def _by_words(root: Any) -> Iterator[str]:
    for link in root.iter("a"):
        texts = (_text(link), link.get("aria-label"), link.get("title"))
        if any(text is not None and label_words(text) in NEXT_WORDS for text in texts):
            yield link.get("href", "")
    for link in root.iter("a"):
        parent = link.getparent()
        names = f"{link.get('class') or ''} {parent.get('class') or '' if parent is not None else ''}"
        if names_next(names):
            yield link.get("href", "")


def _text(link: Any) -> str | None:
    """Return the text of a link; None for a long one."""
    text = "".join(islice(link.itertext(), _LONGEST))
    return text if len(text.strip()) <= _LONGEST else None


@dataclass(slots=True)
class _Row:
    """Links to numbers that are next to each other, with addresses that differ in numbers only.

    :ivar links: the address of each number.
    :ivar texts: the numbers next to them that are no links.
    """

    links: dict[int, str]
    texts: set[int]

    def own_number(self, here: str) -> int | None:
        """Return the page's own number: by its address, or as the only number that is no link."""
        for number, href in sorted(self.links.items()):
            if href == here:
                return number
            after, before = _changed(href, here) or (0, 0)
            if after == number:
                return before
            if after and before * (number - 1) % after == 0:  # offsets: 0, 20, 40
                return before * (number - 1) // after + 1
        beside = [own for own in self.texts if own + 1 in self.links or own - 1 in self.links]
        return beside[0] if len(beside) == 1 else None


def _rows_of_numbers(root: Any, base: str) -> Iterator[_Row]:
    """Yield rows in document order: numbers below one element, by the pattern of their addresses."""
    found: list[tuple[Any, int, str]] = []
    for link in root.iter("a"):
        match = _NUMBER.match(_text(link) or "")
        href = absolute_address(base, link.get("href") or "")
        if match and href:
            found.append((link, int(match[1]), urldefrag(href)[0]))
    above = [list(islice(link.iterancestors(), _LEVELS)) for link, _, _ in found]
    held = Counter(chain.from_iterable(above))
    containers: dict[Any, dict[int, str]] = {}
    for (_, number, href), ancestors in zip(found, above, strict=True):
        container = next((one for one in ancestors if held[one] > 1), ancestors[0])
        containers.setdefault(container, {}).setdefault(number, href)
    for container, numbers in containers.items():
        strings = (_NUMBER.match(string) for string in container.itertext())
        texts = {int(match[1]) for match in strings if match} - numbers.keys()
        patterns = dict.fromkeys(_pattern(href) for number, href in numbers.items() if number > 1)
        for pattern in patterns:
            alike = {own: href for own, href in numbers.items() if own == 1 or _pattern(href) == pattern}
            yield _Row(alike, texts)


def _pattern(address: str) -> str:
    return _DIGITS.sub("0", address)


def _without_skip(href: str, numbers: dict[str, str], base: str) -> str:
    """Return the link of the next number if a link leads further along the same row, else the link.

    :param numbers: the links of the next numbers, by the pattern of their addresses.
    """
    address = absolute_address(base, href) or ""
    number = numbers.get(_pattern(address), address)
    after, before = _changed(address, number) or (0, 0)
    return number if after > before else href


def _changed(href: str, here: str) -> tuple[int, int] | None:
    """Return the only numbers in which two addresses differ; None if they differ otherwise."""
    theirs, ours = _DIGITS.findall(href), _DIGITS.findall(here)
    if _pattern(href) != _pattern(here):
        return None
    changed = [pair for pair in zip(theirs, ours, strict=True) if pair[0] != pair[1]]
    if len(changed) != 1 or max(map(len, changed[0])) > _LONGEST_NUMBER:
        return None
    after, before = changed[0]
    return int(after), int(before)
