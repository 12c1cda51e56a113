"""Selectors of elements, to be tried in place of lost ones: names before structure, structure before positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy_tps.proposals.values import ELEMENT, STRING, TEXT, plain
from scrapy_tps.records.record_selectors import (
    NAMING,
    named_selectors,
    path_of,
    placed_selectors,
    steps_of,
    xpath_of_css,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Names in a selector: classes, identifiers, and values of attributes; and the words in names.
_NAMES: Final = re.compile(r"""[.#]([A-Za-z][\w-]*)|["']([^"']+)["']|=([\w-]+)\]""")
_WORD: Final = re.compile(r"[A-Z]?[a-z]{3,}")
#: A name that a program made, or that says how something looks: with digits, mixed cases, or of one or two letters.
_MADE: Final = re.compile(r"\d|^.{1,2}$|(?:^|[-_])[^\W_]{0,2}[A-Z][a-z]?[A-Z]")
#: Words with the same start are alike: color, colour.
_SAME_START: Final = 4

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


def words_of(names: str) -> set[str]:
    """Return the starts of the words in names."""
    return {word[:_SAME_START].lower() for word in _WORD.findall(names)}


def names_in(selector: str) -> str:
    """Return the names in a selector: classes, identifiers, and values of attributes."""
    return " ".join("".join(parts) for parts in _NAMES.findall(selector))


def names_of(element: Any) -> str:
    """Return the names that a site gave to an element."""
    return " ".join(element.get(name, "") for name in ("id", "class", *NAMING))


def paths(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield selectors of elements in their rows, CSS or XPath, robust ones first."""
    paths = [*_beside(pairs), *named_selectors(pairs)]
    yield from sorted(paths, key=_frailty)
    top, element = pairs[0]
    for above in element.iterancestors():
        path = path_of(above, element)
        if path is None or above is top:
            break
        yield from (f"{step} > {path}" for step in steps_of([above], identifiers=True)[:-1])
    yield from placed_selectors(pairs)


def _beside(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the XPath of elements after a label, if all have the same one."""
    before = [next(element.itersiblings("*", preceding=True), None) for _, element in pairs]
    labels = {("", "") if one is None else (one.tag, plain(one.text or "")) for one in before}
    (label, text), tag = labels.pop(), pairs[0][1].tag
    if not labels and text and '"' not in text:
        yield f'.//{label}[normalize-space()="{text}"]/following-sibling::{tag}[1]'


def _frailty(path: str) -> int:
    """Return 0 for a selector with lasting names, 1 for tags alone, 2 for names that programs make."""
    names = names_in(path).split()
    return 2 * any(map(_MADE.search, names)) if names else 1


def selector_of(path: str, reading: str, *, css: bool) -> Written:
    """Return the selector of what is read from elements; in XPath if CSS can't say it, or is not wanted."""
    is_css = not path.startswith(".//")
    if css and is_css and reading != STRING:
        return Written(path + {TEXT: "::text", ELEMENT: ""}.get(reading, f"::attr({reading[1:]})"), css=True)
    xpath = as_xpath(path, css=is_css)
    if reading == STRING:
        return Written(f"normalize-space({xpath})", css=False)
    return Written(xpath + {TEXT: "/text()", ELEMENT: ""}.get(reading, f"/{reading}"), css=False)


def as_xpath(selector: str, *, css: bool) -> str:
    """Return a selector as XPath, in short."""
    if not css:
        return selector
    xpath = _REDUNDANT.sub("", xpath_of_css(selector, "descendant-or-self::"))
    return xpath.replace("descendant-or-self::*[position() = 1]/", "./").replace(
        "descendant-or-self::", ".//"
    )
