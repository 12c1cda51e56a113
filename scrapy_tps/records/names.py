"""Names of columns: from header cells, ``itemprop``, class names, labels in the values, headings or type, in this
order."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.bounded_cache import remembered
from scrapy_tps.records.cells import LONGEST, MAJORITY, mostly

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_WORD = re.compile(r"[^\W_]+")
#: Suffixes of letters and digits that build tools append to a class name: ``__3kX9z``, ``--1aBcD``, ``-sc-1x2y3z``.
_HASH_BEHIND = re.compile(
    r"(?<=[a-z])(?:__|--|_|-(?:sc-|css-)?)(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{4,12}$"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_VAGUE_TEXT: Final = """
    a accessible active align aligncenter alignleft alignnone alignright bigger black block blue body bold bolder
    box brown btn button cell center clear clearfix col color colour cols column container content css dark darken
    data default div ellipsis even fade field first flex float font gray green grey grid group hidden highlight
    holder hover icon inline inner italic item items js label large last layout lazy lazyload lazyloaded left light
    line link list listing main media medium meta name0 new nobr nowrap odd offscreen orange outer p panel pink
    product purple record red result results right row section selected skip small smaller span sprite strong style
    tab table td text tr transparent truncate ui unit unselected value views visible white wrap wrapper yellow
"""
#: Words for the look, the behaviour or the presence of a part, not for its meaning.
_VAGUE: Final = frozenset(_VAGUE_TEXT.split())
#: First words of utility classes (Tailwind, Bootstrap), which are for the look.
_UTILITY_TEXT: Final = (
    "absolute align aspect bg block border col cursor divide fixed flex float focus font fw gap grid grow h hover "
    "inline inset items justify leading lg line max mb md min ml mr mt mx my object opacity order overflow p pb pl pr "
    "pt px py relative ring rounded row select shadow shrink sm space sr static sticky text top tracking "
    "transition truncate underline uppercase w whitespace xl xs z"
)
_UTILITIES: Final = frozenset(_UTILITY_TEXT.split())
#: Parts of a word between capitals: ``jobTitle``, ``productID``.
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_REGULAR: Final = re.compile(r"(?:[A-Z]{2,5}(?=[A-Z][a-z])|[A-Z]?[a-z]+)?(?:[A-Z][a-z]+)*(?:[A-Z]{2,5})?")
_SHORT_TEXT: Final = (
    "bg btn bx cnt cta ctr dsc dt fb ft hdr img lbl lft lnk lst mt nbr nr prd prc pt px rgt src "
    "thmb tpl ttl txt wrp wrpr"
)
#: Abbreviations that authors of markup use.
_SHORT: Final = frozenset(_SHORT_TEXT.split())
#: Consonants that begin words. Generated names begin with others: ``zvec``, ``bd``.
_ONSETS: Final = re.compile(
    r"(?:b[lr]?|c(?:h[lr]?|[lr])?|d[rw]?|f[lr]?|g[hlnr]?|h|j|k[lnr]?|l|m(?:c|n)?|n|p(?:h[lr]?|[lnrst])?|qu?|r|rh"
    r"|s(?:ch[lmnrw]?|cr?|hr?|k|l|m|n|ph?[lr]?|q|tr?|v|w)?|t(?:hr?|[rsw])?|v|w[hr]?|x|z)?(?![bcdfghjklmnpqrstvwxz])"
)
_VOWEL: Final = re.compile("[aeiouy]")
_CROWD: Final = re.compile("[bcdfghjklmnpqrstvwxz]{5}")
#: The fewest letters of a meaningful word.
_SHORTEST_WORD: Final = 3
_LONGEST_NAME: Final = 40
_MAX_WORDS: Final = 4
LEVELS: Final = 3  # levels above a cell whose classes or properties may name it
_WORDS_OF_CLASS: Final = 2  # the last ones of a class
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def slug(text: str) -> str:
    """Return a text as an identifier: lower case, words joined by ``_``, at most 40 characters; maybe empty."""
    words = _WORD.findall(_CAMEL.sub(" ", text).lower())
    name = "_".join(words[:_MAX_WORDS])[:_LONGEST_NAME].strip("_")
    return f"n{name}" if name[:1].isdigit() else name


def names_from_classes(path: Sequence[tuple[str, str]]) -> list[str]:
    """Return names made from the classes of a cell and of the elements around it, the nearest and most telling first.

    Classes with digits (sizes, identifiers), generated names (hashes), utility classes and pure layout words are
    skipped. The hash in ``Card_title__3kX9z`` is ignored.
    """
    levels = [names_of_class(classes) for _, classes in reversed(path[-LEVELS:])]
    return [*(names[0] for names in levels if names), *(name for names in levels for name in names[1:])]


@remembered
def names_of_class(classes: str) -> tuple[str, ...]:
    """Return the names in a ``class`` attribute, the longest first."""
    found = []
    for full in classes.split():
        token = _HASH_BEHIND.sub("", full)
        if any(map(str.isdigit, token)):
            continue
        pieces = [piece for piece in _WORD.findall(token) if not is_made_up(piece)]
        words = _WORD.findall(_CAMEL.sub(" ", " ".join(pieces)).lower())
        if not words or words[0] in _UTILITIES or ":" in token:
            continue
        telling = [word for word in words if word not in _VAGUE and len(word) >= _SHORTEST_WORD]
        if telling:
            found.append("_".join(telling[-_WORDS_OF_CLASS:])[:_LONGEST_NAME])
    return tuple(sorted(found, key=lambda name: -name.count("_")))


def is_made_up(piece: str) -> bool:
    """Return whether a piece of a class name looks generated (``yuRUbf``, ``bdVaJa``).

    The form decides: capitals inside a word, no vowels, consonants that begin no word. A piece in lower case may be an
    abbreviation, and counts as generated only if it is unpronounceable.

    :param piece: letters of any script, without ``-`` and ``_``.
    """
    if not piece.isascii():
        return False
    if not _REGULAR.fullmatch(piece) and not piece.isupper():
        return True
    words = _PARTS.findall(piece)
    for part in words:
        word = part.lower()
        if word in _SHORT or (part.isupper() and len(part) > 1):  # HTMLContent, productID
            continue
        if _CROWD.search(word) or (len(word) > _SHORTEST_WORD and not _VOWEL.search(word)):
            return True
        if len(words) > 1 and not _ONSETS.match(word):
            return True
    return False


def names_from_tags(path: Sequence[tuple[str, str]], kind: str, attribute: str | None) -> list[str]:
    """Return the names of a column that nothing else names: ``title`` for headings, its type, its tags."""
    if attribute is not None:
        return [kind]
    tags = [tag for tag, _ in reversed(path)]
    names = ["title"] if kind == "text" and not _HEADINGS.isdisjoint(tags) else []
    return [*names, kind, *tags]


def header_names(first_row: Any) -> list[str]:
    """Return the names in the header row of the table that a record (a ``tr``) belongs to, by column.

    The header is the table's first row if it consists of ``th`` or is in a ``thead``. Empty without a header.
    """
    table = next((element for element in first_row.iterancestors() if element.tag == "table"), None)
    if table is None:
        return []
    header = next(table.iter("tr"), None)
    if header is None or header is first_row:
        return []
    cells = spanned_cells(header)
    parent = header.getparent()
    in_head = parent is not None and parent.tag == "thead"
    if not in_head and any(cell.tag == "td" for cell in cells):
        return []
    return [slug("".join(cell.itertext())) for cell in cells]


def spanned_cells(row: Any) -> list[Any]:
    """Return the cell of each column of a table's row: several times if it spans several."""
    cells = []
    for cell in row.iterchildren("td", "th"):
        width = cell.get("colspan") or "1"
        cells += [cell] * (min(int(width), 50) if width.isdecimal() else 1)
    return cells


#: "Price:" before a value: up to four words of letters, and a colon.
_LABEL: Final = re.compile(r"([^\W\d_]+(?:[ /-][^\W\d_]+){0,3})\s*[:\uff1a](?!//)\s*")
_RATING: Final = re.compile(
    r"\W*(?:\d(?:[.,]\d+)?\s*(?:/|out of|of|von|sur|de|su)\s*(?:5|10)\b.{0,20}|[★☆⭐✩✭✮✯]{3,}.{0,12}"
    r"|\d(?:[.,]\d+)?\s*stars?\W*)",
    re.IGNORECASE,
)
#: The fewest values with a label: a single one may be prose with a colon.
_LEAST_LABELLED: Final = 2


def label_within(values: Sequence[str]) -> str:
    """Return the name in front of the values ("Price: £5", "Price: £7"), as an identifier; empty without one."""
    return _common(_label(value) for value in values)


def column_label(values: Iterable[str]) -> str:
    """Return the name in cells that hold only a label ("Price:"), as an identifier; empty for others."""
    return _common(_label(value) if _is_label(value) else "" for value in values)


def is_rating(values: Sequence[str]) -> bool:
    """Whether most of the values are ratings: "4.5 out of 5", "4/5", "★★★★☆"."""
    return mostly(values, _RATING.fullmatch, LONGEST)


def _label(text: str) -> str:
    found = _LABEL.match(text[:LONGEST])
    return slug(found[1]) if found else ""


def _is_label(text: str) -> bool:
    return len(text) <= LONGEST and _LABEL.fullmatch(text) is not None


def _common(names: Iterable[str]) -> str:
    counts = Counter(names)
    if not counts:
        return ""
    name, count = counts.most_common(1)[0]
    return name if count >= max(_LEAST_LABELLED, MAJORITY * counts.total()) else ""
