"""Selectors of elements, to be tried in place of lost ones: names before structure, structure before positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.proposals.values import ELEMENT, STRING, TEXT
from scrapy_tps.records.names import names_of_class
from scrapy_tps.records.record_selectors import named_selectors, placed_selectors, xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What a selector of CSS or XPath calls its elements, and the words of that.
_NAMES: Final = re.compile(r"""[.#]([\w-]+)|["']([^"']+)["']|=([\w-]+)]""")
_WORD: Final = re.compile(r"[a-z]{3,}")

#: A selector as a user writes it, and its kind, ``css`` or ``xpath``.
Written = tuple[str, str]


def paths(pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """Yield selectors of elements in their rows, robust ones first.

    :param pairs: the rows, each with its element.
    """
    yield from sorted(named_selectors(pairs), key=frailty)
    yield from placed_selectors(pairs)


def names_in(selector: str) -> list[str]:
    """Return the classes, identifiers and values of attributes in a selector."""
    return ["".join(parts) for parts in _NAMES.findall(selector)]


def frailty(path: str) -> int:
    """Return 0 for a selector whose names have a meaning, 1 for tags alone, 2 for names of looks, or generated ones."""
    names = names_in(path)
    return 2 * (not all(map(names_of_class, names))) if names else 1


def is_named_alike(one: str, other: str) -> bool:
    """Whether two selectors call their elements by a common word, such as ``.price_color`` and ``.price-tag``."""
    words, others = ({*_WORD.findall(" ".join(names_in(text)).lower())} for text in (one, other))
    return not words.isdisjoint(others)


def written(path: str, reading: str) -> Written:
    """Return the selector of what is read from elements; in XPath if CSS can't say it."""
    if reading == STRING:
        axis = "descendant-or-self::" if path.startswith(":scope") else ".//"
        # a class that contains a name is there
        return f"normalize-space({xpath_of_css(path, axis).replace('@class and ', '')})", "xpath"
    return path + {TEXT: "::text", ELEMENT: ""}.get(reading, f"::attr({reading[1:]})"), "css"
