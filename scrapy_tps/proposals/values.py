"""Values of selectors: how they are compared, their shape, and the words and labels of their elements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The most characters of a value that are kept and compared, and of a label.
LONGEST_VALUE: Final = 200
LONGEST_LABEL: Final = 40

#: Attributes with names or words that sites keep longer than the looks of a page.
NAMING: Final = ("itemprop", "data-testid", "data-test", "data-qa", "property", "rel", "name", "id", "class")

#: What can be read from an element: its first text, all of its text, itself, or an attribute (``@href``).
TEXT, STRING, ELEMENT = "text", "string", "element"

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+(?:[.,\s\u202f]?\d+)*")
_DIGITS: Final = re.compile(r"\d{1,3}(?:[.,\s\u202f]\d{3})+(?!\d)|\d+")
#: A sign of a currency, a date or the like, or several numbers.
_SIGNS: Final = re.compile(r"[^\w\s.,]|9[^.,]+9")
_WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
#: Names in a selector: classes, identifiers, and values of attributes.
_NAMES: Final = re.compile(r"""[.#]([A-Za-z][\w-]*)|["']([^"']+)["']|=([\w-]+)\]""")
_MANY_WORDS: Final = 12
_MOST_LETTERS: Final = 0.6
_SAME_START: Final = 4


def plain(text: str) -> str:
    """Return a text as it is kept: white space collapsed, cut."""
    return " ".join(text[: 4 * LONGEST_VALUE].split())[:LONGEST_VALUE]


def shape(value: str) -> str:
    """Return the shape of a value: ``word``, ``phrase``, ``prose``, ``url``, or its characters with 9 for each number
    and ``a`` for each word, such as ``£9.9`` and ``a, 9 a 9``."""
    if value.startswith(("/", "http://", "https://")):
        return "url"
    words = _LETTERS.findall(value)
    if sum(map(len, words)) >= _MOST_LETTERS * len(value):
        return "word" if len(words) == 1 else "phrase" if len(words) <= _MANY_WORDS else "prose"
    return _DIGITS.sub("9", _LETTERS.sub("a", value))


def is_telling(kind: str) -> bool:
    """Whether few values of a page have a shape: amounts of money, dates and addresses, neither words nor a number."""
    return kind == "url" or ("9" in kind and bool(_SIGNS.search(kind)))


def keys(value: str) -> list[str]:
    """Return what two values must share to be equal: the text without white space, its only number, or the path of
    its URL."""
    found = ["".join(value.split()).casefold()]
    kind = shape(value)
    numbers = _NUMBER.findall(value)
    if kind == "url":
        found.append(urlsplit(value).path)
    elif len(numbers) == 1 and kind not in {"word", "phrase", "prose"} and len(numbers[0]) > 1:
        found.append(f"#{_amount(numbers[0])}")
    return found


def _amount(number: str) -> str:
    """Return a number without the marks between its digits: 1,234.50 and 1.234,5 are the same."""
    whole, mark, rest = re.sub(r"\s", "", number).replace(",", ".").rpartition(".")
    if not mark or len(rest) == 3:
        whole, rest = whole + rest, ""
    return f"{whole.replace('.', '')}.{rest}".rstrip("0" if rest else "").rstrip(".")


def read(element: Any, reading: str) -> str:
    """Return a value of an element, empty if it has none."""
    if reading == TEXT:
        texts = (element.text, *(child.tail for child in element))
        return plain(next((text for text in texts if text and not text.isspace()), ""))
    if reading.startswith("@"):
        return plain(element.get(reading[1:], ""))
    found, size = [], 0
    for text in element.itertext():
        found.append(text)
        size += len(text)
        if size > 4 * LONGEST_VALUE:
            break
    return plain("".join(found))


def words(element: Any) -> set[str]:
    """Return the words in the names that a site gave to an element, in lower case."""
    names = " ".join(element.get(name, "") for name in NAMING)
    return {word.lower() for word in _WORD.findall(names)}


def words_of(selector: str, element: Any) -> set[str]:
    """Return the words in the names that a selector uses; if it uses none, the longer ones in those of its element."""
    names = " ".join("".join(parts) for parts in _NAMES.findall(selector))
    if found := {word.lower() for word in _WORD.findall(names)}:
        return found
    return {word for word in words(element) if len(word) > _SAME_START}


def share_word(some: set[str], others: set[str]) -> bool:
    """Whether two elements have a word in common, or words with the same start (color, colour)."""
    return any(one[:_SAME_START] == other[:_SAME_START] for one in some for other in others)


def label_of(element: Any, row: Any) -> str:
    """Return the short text before an element in its row, in lower case: a label, or another value."""
    for above in (element, *element.iterancestors()):
        if above is row:
            break
        before = above.getprevious()
        parent = above.getparent()
        near = [before.tail or "", read(before, STRING)] if before is not None else [parent.text or ""]
        text = next((plain(text) for text in near if text and not text.isspace()), "")
        if text:
            bare = text.rstrip(" :").casefold()
            return bare if len(bare) <= LONGEST_LABEL and _LETTERS.search(bare) else ""
    return ""


def readings(top: Any, most: int) -> Iterator[tuple[Any, str, str]]:
    """Yield the elements below and including one, each with what can be read from it, and the value."""
    for number, element in enumerate(top.iter("*")):
        if number >= most:
            return
        if element.tag in {"script", "style"}:
            continue
        if text := read(element, TEXT):
            yield element, TEXT, text
        if len(element) and (text := read(element, STRING)):
            yield element, STRING, text
        for name, value in element.items():
            if name not in {"class", "style", "id"} and value and not value.isspace():
                yield element, f"@{name}", plain(value)
