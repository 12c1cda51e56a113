"""Selectors of elements, to be tried in place of lost ones: names before structure, structure before positions."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy_tps.proposals.values import ELEMENT, STRING, TEXT, plain
from scrapy_tps.records.names import is_made_up
from scrapy_tps.records.record_selectors import named_selectors, placed_selectors, xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

#: The classes and values of attributes in a selector, and the pieces of these.
_NAMES: Final = re.compile(r"""\.([\w-]+)|="([^"]+)"]""")
_PIECE: Final = re.compile(r"[^\W_]+")
#: What CSS adds to the usual test of a class.
_REDUNDANT: Final = re.compile(r"@class and contains\(@class, '[^']*'\) and ")

#: A row or page, and an element that is selected in it.
Pair = tuple[Any, Any]


class Written(NamedTuple):
    """A selector as a user writes it, in CSS or XPath."""

    text: str
    css: bool

    @property
    def kind(self) -> str:
        """``css`` or ``xpath``."""
        return "css" if self.css else "xpath"


def paths(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield selectors of elements in their rows, CSS or XPath, robust ones first."""
    looks = _classes_of_looks(pairs[0][1])
    yield from sorted((*_beside(pairs), *named_selectors(pairs)), key=lambda path: _frailty(path, looks))
    yield from placed_selectors(pairs)


def _classes_of_looks(element: Any) -> set[str]:
    """Return the classes of an element that more elements of other tags on its page have: they say how it looks."""
    names = (element.get("class") or "").split()
    tags = Counter(
        (name, one.tag)
        for one in element.getroottree().iter("*")
        if one.get("class")
        for name in one.get("class").split()
    )
    return {
        name
        for name in names
        if sum(number for (other, _), number in tags.items() if other == name) > 2 * tags[name, element.tag]
    }


def _beside(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the XPath of elements after a label, if all have the same one."""
    before = [next(element.itersiblings("*", preceding=True), None) for _, element in pairs]
    labels = {("", "") if one is None else (one.tag, plain(one.text or "")) for one in before}
    (label, text), tag = labels.pop(), pairs[0][1].tag
    if not labels and text and '"' not in text:
        yield f'.//{label}[normalize-space()="{text}"]/following-sibling::{tag}[1]'


def _frailty(path: str, looks: Set[str]) -> int:
    """Return 0 for a selector with lasting names, 1 for tags alone, 2 for names of looks, or that programs make."""
    names = ["".join(parts) for parts in _NAMES.findall(path)]
    pieces = _PIECE.findall(" ".join(names))
    is_made = any(is_made_up(piece) or not piece.isalpha() for piece in pieces)
    return 2 * (is_made or not looks.isdisjoint(names)) if pieces else 1


def written(path: str, reading: str, *, css: bool) -> Written:
    """Return the selector of what is read from elements; in XPath if CSS can't say it, or is not wanted."""
    is_css = not path.startswith(".//")
    if css and is_css and reading != STRING:
        return Written(path + {TEXT: "::text", ELEMENT: ""}.get(reading, f"::attr({reading[1:]})"), css=True)
    xpath = _as_xpath(path) if is_css else path
    if reading == STRING:
        return Written(f"normalize-space({xpath})", css=False)
    return Written(xpath + {TEXT: "/text()", ELEMENT: ""}.get(reading, f"/{reading}"), css=False)


def _as_xpath(css: str) -> str:
    """Return a selector as XPath, in short."""
    xpath = _REDUNDANT.sub("", xpath_of_css(css, "descendant-or-self::"))
    return xpath.replace("descendant-or-self::*[position() = 1]/", "./").replace(
        "descendant-or-self::", ".//"
    )
