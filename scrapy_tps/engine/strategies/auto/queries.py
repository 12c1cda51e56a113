"""Sets of cues and properties of parts of a page that several rules need."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.sequence.columns import TEXT
from scrapy_tps.engine.strategies.auto.thresholds import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableSequence

    from scrapy_tps.engine.strategies.auto.page import Page

#: Cues of boilerplate at any place.
SURE: Final = (
    reading.NAVIGATION
    | reading.CONTROL
    | reading.DIALOG
    | reading.HIDDEN
    | reading.LANDMARK
    | reading.CONSENT
)
#: Cues that need more evidence: position at the page's edge, or a small share and rare markup.
SOFT: Final = (
    reading.FOOTER
    | reading.HEADER
    | reading.ASIDE
    | reading.FORM
    | reading.BUTTON
    | reading.MENU
    | reading.SIDEBAR
    | reading.FILTER
    | reading.RELATED
    | reading.SOCIAL
    | reading.PROMOTION
)
#: Cues of parts that hide or frame all their content.
COVERING: Final = reading.DIALOG | reading.CONSENT | reading.HIDDEN
#: Cues of parts that stay regardless of the part around them.
ALWAYS: Final = reading.HEADING | reading.BREADCRUMB | reading.PAGER
HEADINGS: Final = reading.HEADING | reading.SUBHEADING
#: Classes for the display of a part (Tailwind): a shown part may have one, while a hidden part has ``hidden``.
DISPLAYS: Final = frozenset(
    {"block", "flex", "grid", "inline", "inline-block", "inline-flex", "table", "contents"}
)
#: Elements within a line of text, or of one line, are not parts of a page.
WITHIN_LINES: Final = frozenset(
    (TEXT, *reading.word_table("a abbr b code em font i label pre q s small span strong sub sup u"))
)
_WORDS: Final = (
    (reading.NAVIGATION, "navigation"),
    (reading.CONTROL, "controls"),
    (reading.DIALOG, "a dialog"),
    (reading.HIDDEN, "hidden"),
    (reading.LANDMARK, "the site's banner or footer"),
    (reading.CONSENT, "a consent notice"),
    (reading.FOOTER, "a footer"),
    (reading.HEADER, "a header"),
    (reading.ASIDE, "an aside"),
    (reading.FORM, "a form"),
    (reading.BUTTON, "a button or not for reading"),
    (reading.MENU, "a menu"),
    (reading.SIDEBAR, "a sidebar"),
    (reading.FILTER, "filters"),
    (reading.RELATED, "related content"),
    (reading.SOCIAL, "social media, sign-up or sign-in"),
    (reading.PROMOTION, "a promotion or notice"),
    (reading.COMMENTS, "comments"),
)
#: Currency signs.
_SIGNS: Final = (
    "$\u00a2-\u00a5\u058f\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20c0\ufdfc\uff04\uffe0\uffe1\uffe5\uffe6"
)
#: A price: digits next to a currency sign, or a number with two decimals that is not a part of a date or an address. At
#: most six groups of digits, because rows of numbers would take quadratic time. The first characters of the three
#: alternatives come first, so that all other text is skipped at once.
PRICE: Final = re.compile(
    rf"[{_SIGNS}\d](?:(?<=[{_SIGNS}])\s?\d|(?<=\d)\s?[{_SIGNS}]"
    r"|(?<=\d)(?<![\d.,:/-].)\d{0,2}(?:[.,\s]?\d{3}){0,5}[.,]\d{2}(?![\d.,:/-]))",
    re.DOTALL,
)

#: Addresses of documents, alone or passed to a viewer.
DOCUMENT: Final = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|rtf|epub|zip|csv|ics)(?=[?#&\s]|$)", re.IGNORECASE
)
#: The beginnings of these.
DOCUMENT_KINDS: Final = ("pdf", "doc", "xls", "ppt", "odt", "ods", "rtf", "epub", "zip", "csv", "ics")
_HOST: Final = re.compile(r"(?:https?:)?//(?:www\.)?([^/?#:]+)", re.IGNORECASE)

#: Elements of a form that have their own texts.
_CONTROLS: Final = frozenset({"select", "label", "button", "textarea"})


@lru_cache(maxsize=1000)
def marked_as(cue: int, at_edge: bool = False) -> str:
    """Return the reason of a removal, in words, for a node's cues, and for its place if that counts."""
    place = " at the page's edge" if at_edge else ""
    return f"marked as {' and '.join(words for bit, words in _WORDS if cue & bit)}{place}"


def within(page: Page, tags: frozenset[str], start: int, end: int) -> MutableSequence[int]:
    """Return the elements with one of these tags among nodes [start, end)."""
    places = page.places.get(tags)
    if places is None:
        places = page.places[tags] = page.sequence.find(tags)
    return page.between(places, start, end)


def form_of(page: Page, node: int) -> int:
    """Return the form around a node, or 0."""
    while node > 0 and page.sequence.tag_of(node) != "form":
        node = page.parent[node]
    return max(node, 0)


def method_of(page: Page, node: int) -> str:
    """Return the method of the form around a node in lower case; empty if there is none."""
    form = form_of(page, node)
    return (page.sequence.value_of(form, "method") or "").strip().lower() if form else ""


_holds_records: Final = compiled(parts.holds_records)


def priced(page: Page, start: int, end: int, mask: bytearray) -> Iterator[int]:
    """Yield the texts with a price among nodes [start, end) whose byte is 1."""
    text_of = page.sequence.text_of
    for text in page.sequence.texts_with_digits(page.columns, start, end, mask, True):
        if PRICE.search(text_of(text)):
            yield text


def holds_records(page: Page, part: int, least: int, *, linked: bool = False) -> bool:
    """Whether a part holds at least so many siblings of one tag path that have some texts each.

    :param linked: count only those with a link, and ignore texts of controls: the part is a form.
    """
    stop = page.end[part]
    if page.is_text.count(1, part, stop) < least * FIELDS:
        return False
    controls = within(page, _CONTROLS, part + 1, stop) if linked else []
    return _holds_records(page.columns, part, least, FIELDS, controls, linked)


def in_boilerplate(page: Page, node: int) -> bool:
    """Whether a node or an ancestor is a menu, a dialog, hidden, or the site's banner or footer.

    Names and titles in these are about the site, not about the page.
    """
    return page.around(node, SURE) > 0


def addresses(page: Page, part: int, places: MutableSequence[int]) -> list[str]:
    """Return the addresses of these links within a part, including empty ones.

    :param places: links, ascending.
    """
    value_of = page.sequence.value_of
    return [value_of(place, "href") or "" for place in page.between(places, part, page.end[part])]


def host_of(address: str) -> str:
    """Return the host of an address without ``www``; empty if it has none."""
    found = _HOST.match(address)
    return found[1].lower() if found else ""


def characters_of(page: Page, part: int) -> float:
    """Return the visible characters of a part that have not been removed."""
    return page.text_before[page.end[part]] - page.text_before[part]


def joined(page: Page, part: int) -> str:
    """Return the visible text of a part without white space."""
    return page.sequence.joined(part, page.end[part])
