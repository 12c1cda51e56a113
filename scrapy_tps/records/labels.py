"""Names of columns from what stands in them: labels, ratings, the text that heads a record."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from scrapy_tps.records.names import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: "Price:" before a value: up to four words of letters, and a colon.
_LABEL: Final = re.compile(r"([^\W\d_]+(?:[ /-][^\W\d_]+){0,3})\s*[:\uff1a](?!//)\s*")
_RATING: Final = re.compile(
    r"\W*(?:\d(?:[.,]\d+)?\s*(?:/|out of|of|von|sur|de|su)\s*(?:5|10)\b.{0,20}|[★☆⭐✩✭✮✯]{3,}.{0,12}"
    r"|\d(?:[.,]\d+)?\s*stars?\W*)",
    re.IGNORECASE,
)
_LONGEST: Final = 40  # characters of a label or rating
#: Share of the values that must have the label.
_MOST: Final = 0.75
#: Values that a label is taken from: one alone may be prose with a colon.
_LEAST: Final = 2


def label_within(values: Sequence[str]) -> str:
    """Return the name in front of the values ("Price: £5", "Price: £7"), as an identifier; empty without one."""
    return _common(_label(value) for value in values)


def label_before(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the name that cells have in a cell of their own in front of them; empty without one.

    :param pairs: text of the cell before and of the cell, by record.
    """
    return _common(_label(before) if _is_label(before) else "" for before, _ in pairs)


def name_of_label(values: Sequence[str]) -> str:
    """Return the name of a column that holds nothing but one label: ``price_label``; empty for others."""
    name = _common(_label(value) if _is_label(value) else "" for value in values)
    return f"{name}_label" if name else ""


def is_rating(values: Sequence[str]) -> bool:
    """Whether most of the values are ratings: "4.5 out of 5", "4/5", "★★★★☆"."""
    misses_allowed = len(values) - _MOST * len(values)
    misses = 0
    for value in values:
        if len(value) > _LONGEST or _RATING.fullmatch(value) is None:
            misses += 1
            if misses > misses_allowed:
                return False
    return bool(values)


def _label(text: str) -> str:
    found = _LABEL.match(text[:_LONGEST]) if _has_colon(text) else None
    return slug(found[1]) if found else ""


def _is_label(text: str) -> bool:
    return len(text) <= _LONGEST and _has_colon(text) and _LABEL.fullmatch(text) is not None


def _has_colon(text: str) -> bool:
    return ":" in text or "\uff1a" in text


def _common(names: Iterable[str]) -> str:
    counts = Counter(names)
    if not counts:
        return ""
    name, count = counts.most_common(1)[0]
    return name if count >= max(_LEAST, _MOST * counts.total()) else ""
