"""Values of elements: how they are read and compared, and what tells of an element which value it holds."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The most characters of a value that are kept and compared; the most texts that are joined.
LONGEST_VALUE: Final = 200
_MOST_TEXTS: Final = 50
#: What is read from an element, beside an attribute (``@href``): its first text, all of its text, or itself.
TEXT, STRING, ELEMENT = "text", "string", "element"

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+(?:[.,\s]?\d+)*")
_BEFORE_PATH: Final = re.compile(r"https?://[^/?#]*")
#: The least share of letters in a text; what has fewer is a number, an amount, a date or the like.
_MOST_LETTERS: Final = 0.6
#: The most words after a number that are its unit.
_UNIT_WORDS: Final = 3
#: Attributes that say how an element looks, or which one it is, and no value.
_NO_VALUES: Final = frozenset(("class", "id", "style", "rel"))


def plain(text: str) -> str:
    """Return a text as it is kept: white space collapsed, cut."""
    return " ".join(text[: 4 * LONGEST_VALUE].split())[:LONGEST_VALUE]


def shape(value: str) -> str:
    """Return the shape of a value: ``url``, ``text``, or its signs with 9 for each number and ``a`` for each word, such
    as ``£9`` and ``9 a 9``."""
    if value.startswith(("/", "http://", "https://")):
        return "url"
    words = _LETTERS.findall(value)
    is_amount = value[:1].isdigit() and len(words) <= _UNIT_WORDS
    if is_amount or sum(map(len, words)) < _MOST_LETTERS * len(value):
        return _NUMBER.sub("9", _LETTERS.sub("a", value))
    return "text"


def key(value: str) -> str:
    """Return what equal values share: the path of an address, the digits of the only number of an amount, else the
    text."""
    kind = shape(value)
    if kind == "url":
        return _BEFORE_PATH.sub("", value).partition("?")[0].partition("#")[0]
    numbers = _NUMBER.findall(value)
    if len(numbers) == 1 and kind != "text":
        return re.sub(r"\D", "", numbers[0])
    return "".join(value.split()).casefold()


def read(element: Any, reading: str) -> str:
    """Return the first text of an element, or all of it; empty if it has none."""
    if reading == TEXT:
        texts = (element.text, *(child.tail for child in element))
        return plain(next((text for text in texts if text and not text.isspace()), ""))
    return plain("".join(islice(element.itertext(), _MOST_TEXTS)))


def is_element(result: Any) -> bool:
    """Whether a result of a selector is an element: no comment, text or number."""
    return isinstance(getattr(result, "tag", None), str)


def value_of(result: Any) -> str:
    """Return a result of a selector as it is kept: of an element its text, or its first attribute with a value."""
    if not is_element(result):
        return plain(str(result))
    return read(result, STRING) or next((one.value for one in holders(result)), "")


class Holder(NamedTuple):
    """An element that holds a value, and how that is read."""

    element: Any
    reading: str
    value: str


def holders(element: Any) -> Iterator[Holder]:
    """Yield what holds a value of an element: its texts and attributes."""
    if text := read(element, TEXT):
        yield Holder(element, TEXT, text)
    if len(element) and (text := read(element, STRING)):
        yield Holder(element, STRING, text)
    for name, value in element.items():
        if name not in _NO_VALUES and value and not value.isspace():
            yield Holder(element, f"@{name}", plain(value))


def tags_between(top: Any, element: Any) -> str:
    """Return the tags of the elements from below one down to another; empty if it is the same."""
    below = takewhile(lambda one: one is not top, (element, *element.iterancestors()))
    return "/".join([one.tag for one in below][::-1])
