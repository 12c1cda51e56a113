"""Field coverage: the filled fields of the items of a page, and the number of their values.

Nothing imports Scrapy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from math import log
from string import digits
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from scrapy_tps.stats.coverage import use_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from scrapy_tps.stats.coverage import PageUse, UseKey

#: The most distinct fields of one class of items, including nested ones: keys of a dict may come from pages.
MOST_FIELDS: Final = 50
#: The most distinct classes of items, by callback.
MOST_CLASSES: Final = 100
#: The most levels of nested fields, and entries of a list, that are examined.
MOST_LEVELS: Final = 3
MOST_ENTRIES: Final = 20
#: The most characters of a text that is hashed as a whole: for shorter ones, this costs less than their parts.
MOST_MARKED: Final = 500
#: Bits of a sketch: as many as JSON in Lua preserves.
SKETCH_BITS: Final = 46
#: The most distinct values that a sketch can count.
MOST_DISTINCT: Final = 100

#: The replacement character, and UTF-8 that was read as Latin-1 or Windows-1252 (Ã¤, â€™).
_GARBLED: Final = re.compile("\N{REPLACEMENT CHARACTER}|[ÃÂ][\x80-\xbf]|â€")
_CONTAINERS: Final = (list, tuple, set, frozenset)
_UNREAD: Final = -1
_NEVER: Final = (0, 0, 0)


@dataclass(slots=True)
class _Class:
    """The items of one class on a page; for each field, those in which it is filled, its values, and the last one.

    :ivar fullest: fields that are filled in the fullest item.
    """

    items: int = 0
    sketch: int = 0
    fields: dict[str, list[int]] = field(default_factory=dict)
    fullest: int = 0


class PageItems:
    """The filled fields of the items of one page.

    :param url: the page's own address, which does not count as a value.
    """

    __slots__ = ("_classes", "_url", "garbled", "texts")

    def __init__(self, url: str) -> None:
        self._url = url
        self._classes: dict[str, _Class] = {}
        self.garbled: set[str] = set()
        """Fields of the first item of each class with characters that a wrong encoding gives."""
        self.texts: dict[tuple[str, str], tuple[int, int]] = {}
        """Characters and digits of the texts of these items, by class and field."""

    def __iter__(self) -> Iterator[tuple[str, _Class]]:
        return iter(self._classes.items())

    def add(self, item: Any) -> None:
        """Count an item: a dict, or a type that :class:`itemadapter.ItemAdapter` accepts. Anything else has no
        fields."""
        name = type(item).__name__
        found = self._classes.get(name)
        if found is None:
            found = self._classes[name] = _Class()
        found.items += 1
        pairs = _pairs(item)
        if pairs is None:
            return
        if found.items == 1:  # the others are of the same page
            self._examine(name, pairs)
        mark, filled = self._read_fields(found, "", pairs, 1)
        found.sketch |= 1 << mark % SKETCH_BITS
        if filled > found.fullest:
            found.fullest = filled

    def repeats(self, text: str) -> int:
        """Return the number of items that all have a text in the same field, 0 if others of their class do not."""
        bit = 1 << _mark(text) % SKETCH_BITS
        same = (
            found.items
            for found in self._classes.values()
            if any(filled == found.items and values == bit for filled, values, _ in found.fields.values())
        )
        return max(same, default=0)

    def _examine(self, name: str, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Note the misread characters, the lengths and the digits of the texts of an item."""
        for key, value in pairs:
            values = value if isinstance(value, _CONTAINERS) else (value,)
            text = " ".join(one for one in islice(values, MOST_ENTRIES) if type(one) is str)
            if _GARBLED.search(text):
                self.garbled.add(str(key))
            self.texts[name, str(key)] = len(text), sum(map(text.count, digits))

    def _read_fields(
        self, found: _Class, prefix: str, pairs: Iterable[tuple[Any, Any]], level: int
    ) -> tuple[int, int]:
        """Count the filled fields; return a hash of their values (0 if all are blank), and their number."""
        fields, item, url = found.fields, found.items, self._url
        marks = []
        for name, value in pairs:
            path = f"{prefix}{name}" if prefix else name
            if type(value) is str and value != url and len(value) <= MOST_MARKED and not value.isspace():
                # most values; three calls for each would cost 40 microseconds for a page of 120
                mark = crc32(value.encode("utf-8", "surrogatepass")) or 1 if value else 0
            else:
                mark = self._read(found, path, value, level)
            marks.append(mark)
            bit = 1 << mark % SKETCH_BITS if mark > 0 else 0
            count = fields.get(path)
            if count is None:
                if len(fields) < MOST_FIELDS:
                    fields[path] = [1, bit, item] if mark else [0, 0, 0]
            elif mark:
                count[1] |= bit
                if count[2] != item:  # a field of several entries of a list is filled once
                    count[0] += 1
                    count[2] = item
        return _told_apart(marks), len(marks) - marks.count(0)

    def _read(self, found: _Class, path: str, value: Any, level: int) -> int:
        """Return a hash of a value; 0 if it is blank; -1 if it has none, or is the page's address."""
        if value is None:
            return 0
        if isinstance(value, (str, bytes)):
            if value == self._url:
                return _UNREAD
            return 0 if not value or value.isspace() else _mark(str(value))
        if isinstance(value, (int, float)):
            return hash(value) & 0xFFFFFFFF or 1
        if isinstance(value, _CONTAINERS):
            return _told_apart([self._read(found, path, one, level) for one in islice(value, MOST_ENTRIES)])
        pairs = _pairs(value)
        if pairs is None:
            return _mark(str(value)) if isinstance(value, (date, Decimal)) else _UNREAD
        if level >= MOST_LEVELS:
            return _UNREAD if pairs else 0
        return self._read_fields(found, f"{path}.", pairs, level + 1)[0]


class KnownFields:
    """The fields that a spider's callbacks have yielded so far, to determine the fields that an item lacks."""

    def __init__(self) -> None:
        # by callback and class; "" means the items
        self._fields: dict[tuple[str, str], dict[str, UseKey]] = {}
        self._fullest: dict[tuple[str, str], int] = {}

    def is_sparse(self, callback: str, items: PageItems, selectors: tuple[int, int]) -> bool:
        """Whether no item of a page has more than half of the filled fields of the fullest one before it, or no more
        than half of the selectors found something that did on another page. Without items a page is sparse.

        :param selectors: how many the callback asked, and how many found something.
        """
        sparse = all(self._is_less(callback, item, found.fullest) for item, found in items)
        asked, found_something = selectors
        return (self._is_less(callback, "", found_something) and asked > 1) or sparse

    def _is_less(self, callback: str, what: str, number: int) -> bool:
        if len(self._fullest) > MOST_CLASSES:
            self._fullest.clear()
        most = self._fullest[callback, what] = max(self._fullest.get((callback, what), 0), number)
        return number * 2 <= most

    def counts(self, callback: str, items: PageItems) -> list[PageUse]:
        """Return the items of a page and their fields, including missing ones."""
        counts: list[PageUse] = []
        for item, found in items:
            key = callback, item
            known = self._fields.get(key)
            if known is None:
                if len(self._fields) >= MOST_CLASSES:
                    continue
                known = self._fields[key] = {"": use_key(callback, item, "")}
            fields, number = found.fields, found.items
            for path in fields:
                if path not in known and len(known) <= MOST_FIELDS:
                    known[path] = use_key(callback, item, path)
            fields[""] = [number, found.sketch, number]
            for path, use in known.items():
                filled, sketch, _ = fields.get(path, _NEVER)
                chars, numerals = items.texts.get((item, path), (0, 0))
                counts.append((use, number, filled, 0, 0, 0, chars, numerals, sketch))
        return counts

    def missing(self, callback: str) -> list[PageUse]:
        """Return the classes of items that a callback yielded on other pages, for a page on which it yielded
        nothing."""
        return [
            (known[""], 0, 0, 0, 0, 0, 0, 0, 0)
            for (name, _), known in self._fields.items()
            if name == callback
        ]


def distinct(sketch: int) -> int | None:
    """Return the approximate number of values in a sketch, at most :data:`MOST_DISTINCT`; None without values.

    The bits of a sketch are a hash table without the entries (linear counting): exact for few values, with an error of
    a tenth near 40.
    """
    ones = sketch.bit_count()
    if not ones:
        return None
    if ones >= SKETCH_BITS:
        return MOST_DISTINCT
    return min(round(-SKETCH_BITS * log(1 - ones / SKETCH_BITS)), MOST_DISTINCT)


def _mark(text: str) -> int:
    # not Python's hash, which differs between processes; for long texts, both ends
    if len(text) > MOST_MARKED:
        text = text[:100] + text[-100:]
    return crc32(text.encode("utf-8", "surrogatepass")) or 1


def _told_apart(marks: list[int]) -> int:
    return hash(tuple(marks)) & 0xFFFFFFFF or 1 if any(marks) else 0


def _pairs(item: Any) -> Collection[tuple[Any, Any]] | None:
    """Return the fields of an item and their values; None if it is not an item."""
    if isinstance(item, dict):
        return item.items()
    kind: Any = type(item)
    names = _names(kind)
    if names is None:
        return None
    if isinstance(item, Mapping):
        return item.items()
    # several times faster than the items of an adapter, which checks each field
    return [(name, getattr(item, name, None)) for name in names]


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...] | None:
    from itemadapter import ItemAdapter  # noqa: PLC0415 (imports pydantic if that is installed: 7 MiB)

    if not ItemAdapter.is_item_class(kind):
        return None
    return tuple(ItemAdapter.get_field_names_from_class(kind) or ())
