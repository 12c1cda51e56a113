"""The cells of a record, and the types of columns.

Cells are runs of text that belong together, links and images. Types are url, image, price, date, number and text.
There are prices only if ``price-parser`` is installed (the extra ``records``). Dates are recognised by their form:
``dateparser`` takes three seconds once for a text that is none, to load all its languages.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import TEXT
from scrapy_tps.records.next_page import value_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_tps.records.record_page import RecordPage, Span


#: The number of values of a column that are examined.
SAMPLE: Final = 8
#: Share of them that must be of a type.
MAJORITY: Final = 0.75
LONGEST: Final = 40  # characters of a price, date, number, label or rating with its surroundings

_NUMBER = re.compile(r"^[^\w]{0,3}\d[\d\s.,]*[^\w]{0,3}$")
# ISO 8601, 31.12.2020, 12/31/20, with or without a time of day
_NUMERIC_DATE = re.compile(
    r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?:[T,\s]+\d{1,2}:\d{2}\S*)?$"
)
_ENGLISH_DATE = re.compile(
    r"^\W*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)[a-z]*\.?,?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\d{2,4}\b|^\d+\s+(?:second|minute|hour|day|week|month|"
    r"year)s?\s+ago$",
    re.IGNORECASE,
)
# a word between a day and a year, or before both: a date in another language
_FOREIGN_DATE = re.compile(
    r"^\W*\d{1,2}\.?\s+(?:de\s+)?[^\W\d]{3,}\.?,?\s+(?:de\s+)?(?:19|20)\d{2}\b"
    r"|^[^\W\d]{3,}\.?\s+\d{1,2},?\s+(?:19|20)\d{2}\b"
)
#: price-parser finds no amount without one of these.
_AMOUNT = re.compile(r"\d|free", re.IGNORECASE)
_URL = re.compile(r"^(?:https?://|www\.)\S+$", re.IGNORECASE)


def mostly(values: Sequence[str], check: Callable[[str], object], longest: float) -> bool:
    """Whether `MAJORITY` of the values have at most so many characters and pass a check."""
    allowed = len(values) - MAJORITY * len(values)
    misses = 0
    for value in values:
        misses += len(value) > longest or not check(value)
        if misses > allowed:
            return False
    return bool(values)


def type_of(values: Iterable[str | None], attribute: str | None) -> str:
    """Return the type of a column.

    :param attribute: the attribute that the values come from: ``href`` is a url, ``src`` an image.
    """
    if attribute is not None:
        return "image" if attribute == "src" else "url"
    sample = list(dict.fromkeys(value for value in values if value))[:SAMPLE]
    checks: tuple[tuple[str, Callable[[str], object], float], ...] = (
        ("url", _URL.match, math.inf),
        ("price", _is_price, LONGEST),
        ("number", _NUMBER.match, LONGEST),
        ("date", _is_date, LONGEST),
    )
    return next((name for name, check, longest in checks if mostly(sample, check, longest)), "text")


def _is_price(value: str) -> bool:
    if not _AMOUNT.search(value):
        return False  # the library would take ten times as long
    try:
        from price_parser import Price  # noqa: PLC0415 (an extra)
    except ImportError:
        return False
    price = Price.fromstring(value)
    return price.amount is not None and price.currency is not None


def _is_date(value: str) -> bool:
    return any(form.match(value) for form in (_NUMERIC_DATE, _ENGLISH_DATE, _FOREIGN_DATE))


_FORMATTING_TEXT: Final = (
    "abbr acronym b bdi bdo big code dfn em font i kbd mark nobr q samp small strong sub sup tt u var wbr"
)
#: Elements that only format text: their content belongs to the text around them (HTML Standard 4.5, text-level
#: semantics, without ``a``, ``span``, ``time``, ``data``, ``cite`` and struck-out text: an old price is a separate
#: value).
FORMATTING: Final = frozenset(_FORMATTING_TEXT.split())
_INLINE: Final = FORMATTING | {"a", "cite", "data", "span", "time", "label", "img", "br"}
#: An element is prose if its own text, outside links and spans, is at least this share of its content.
_PROSE: Final = 0.5
_CLIMB: Final = 12  # levels of inline elements around a text that are examined
_STEPS: Final = 16  # distinguished steps of a path

Path = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Cell:
    """A cell of a record.

    :ivar key: the key that equal cells of different records share: the path from the record, and the attribute.
    :ivar value: text with white space collapsed, or the attribute's value.
    :ivar place: index of its element in the sequence.
    """

    key: int
    value: str
    place: int


@dataclass(slots=True, eq=False)
class ColumnDraft:
    """A column to be.

    :ivar cells: one for each record, None where it has none.
    :ivar names: the names that it may have, best first.
    :ivar role: see :class:`~scrapy_tps.records.regions.Column`.
    """

    cells: list[Cell | None]
    path: Path
    attribute: str | None
    type: str
    names: list[str] = field(default_factory=list)
    role: str | None = None

    @property
    def values(self) -> list[str]:
        """The values of the records that have it."""
        return [cell.value for cell in self.cells if cell is not None]

    @property
    def count(self) -> int:
        """The number of records that have it."""
        return len(self.cells) - self.cells.count(None)


class CellReader:
    """Reads the cells of records, and knows the meaning of their keys.

    :param base: the address against which links and pictures are resolved, empty if it is not known.
    """

    def __init__(self, page: RecordPage, base: str) -> None:
        self._page = page
        self._address = cache(partial(value_address, base))
        self._prose: dict[int, bool] = {}
        self._cached_keys: dict[tuple[int, int, str | None], int] = {}
        self._keys: dict[tuple[Path, str | None], int] = defaultdict(count().__next__)

    @property
    def keys(self) -> list[tuple[Path, str | None]]:
        """For each key the steps (tag, normalised classes that elements share) from the record, and the attribute."""
        return list(self._keys)

    def cells(self, span: Span, joined: Mapping[int, str]) -> list[Cell]:
        """Return the cells of a record in document order.

        Text is split at changes of its element and at ``br``; formatting does not split it, nor do links and spans
        inside prose. Links and images are separate cells, each value once: at the first link that holds text, because
        not every record has a linked picture.

        :param joined: nodes whose whole text is one cell, with that text (the containers of sublists).
        """
        page = self._page
        chars, end = page.chars, page.end
        start = span[0]
        top = self.top(span)
        found: list[Cell] = []
        seen: dict[tuple[str, str], int] = {}  # to the place among the found cells
        replaced: list[int] = []
        owner = -1
        run: list[int] = []  # texts that belong together

        def flush() -> None:
            if run:
                value = " ".join(map(page.string, run))
                found.append(self._cell(self._around(run, owner), top, None, value))
                run.clear()

        for place in self._places(span, joined):
            if place in joined:
                flush()
                if joined[place]:
                    found.append(self._cell(place, top, None, joined[place]))
                continue
            if chars[place]:
                above = self._owner(place, start)
                if above != owner:
                    flush()
                    owner = above
                run.append(place)
            else:
                tag = page.tag(place)
                if tag == "br":
                    flush()
                elif tag in ("a", "img"):
                    attribute, value = self._reference(place, tag)
                    before = seen.get((attribute, value), -1)
                    if before >= 0 and self._is_bare(found[before].place) and not self._is_bare(place):
                        replaced.append(before)
                        before = -1
                    if value and before < 0:
                        if owner < 0 or place >= end[owner]:
                            flush()
                        seen[attribute, value] = len(found)
                        found.append(self._cell(place, top, attribute, value))
        flush()
        for at in reversed(replaced):
            del found[at]
        return found

    def _around(self, run: Sequence[int], owner: int) -> int:
        """Return the element in an owner that holds all of some texts, such as a link in prose; formatting is none."""
        page, last = self._page, run[-1]
        above = run[0]
        while above != owner and (
            page.end[above] <= last or page.chars[above] or page.tag(above) in FORMATTING
        ):
            above = page.parent[above]
        return above

    def _places(self, span: Span, joined: Mapping[int, str]) -> list[int]:
        """Yield the nodes of a record that may be cells: containers of sublists, and nodes outside these."""
        nodes, end = self._page.cell_nodes, self._page.end
        place, stop = span
        if not joined:
            return nodes[bisect_left(nodes, place) : bisect_left(nodes, stop)]
        found = []
        while place < stop:
            found.append(place)
            place = end[place] if place in joined else place + 1
        return found

    def _reference(self, place: int, tag: str) -> tuple[str, str]:
        """Return the attribute of a link or picture, and its absolute address; empty without one."""
        value_of = self._page.sequence.value_of
        if tag == "a":
            return "href", self._address(value_of(place, "href") or "")
        return "src", self._address(value_of(place, "src") or value_of(place, "data-src") or "")

    def _is_bare(self, place: int) -> bool:
        """Whether an element holds no text."""
        return self._page.text[self._page.end[place]] == self._page.text[place]

    def key_of(self, place: int, top: int, attribute: str | None = None) -> int:
        """Return the key of a cell at an element, relative to its record's top."""
        kind, top_kind = self._page.kinds[place], self._page.kinds[top]
        key = self._cached_keys.get((kind, top_kind, attribute))
        if key is None:
            meaning = self._path(kind, top_kind), attribute
            key = self._cached_keys[kind, top_kind, attribute] = self._keys[meaning]
        return key

    def _cell(self, place: int, top: int, attribute: str | None, value: str) -> Cell:
        return Cell(self.key_of(place, top, attribute), value, place)

    def top(self, span: Span) -> int:
        """Return the element from which the paths of a record's cells start."""
        return span[0] if self._page.end[span[0]] == span[1] else self._page.parent[span[0]]

    def _path(self, kind: int, top: int) -> Path:
        page = self._page
        steps: list[tuple[str, str]] = []
        while kind != top and kind > 0 and len(steps) < _STEPS:
            signature = page.signature_of_kind[kind]
            classes = "" if kind in page.kinds_apart else page.signature_class[signature]
            steps.append((page.signature_tag[signature], classes))
            kind = page.kind_above[kind]
        steps.reverse()
        return tuple(steps)

    def _owner(self, place: int, start: int) -> int:
        """Return the element to which a text node belongs."""
        page = self._page
        parent = page.parent
        above = parent[place]
        if place == start or above < start:
            return place
        if page.tag(above) not in _INLINE:
            return above
        climbed = 0
        while above > start and page.tag(above) in FORMATTING and parent[above] >= start and climbed < _CLIMB:
            above = parent[above]
            climbed += 1
        up = above
        while up > start and page.tag(up) in _INLINE and parent[up] >= start and climbed < _CLIMB:
            up = parent[up]
            climbed += 1
            if self.is_prose(up):
                above = up
        return above

    def is_prose(self, index: int) -> bool:
        """Return whether most of an element's text is its own and not that of links, spans or blocks inside it."""
        if index not in self._prose:
            self._prose[index] = self._own_text_dominates(index)
        return self._prose[index]

    def _own_text_dominates(self, index: int) -> bool:
        page = self._page
        end, chars = page.end, page.chars
        own = 0
        for child in page.children(index):
            tag = page.tag(child)
            if tag == TEXT:
                own += chars[child]
            elif tag in FORMATTING:
                own += page.text[end[child]] - page.text[child]
            elif tag not in _INLINE:
                return False
        return own >= _PROSE * (page.text[end[index]] - page.text[index])
