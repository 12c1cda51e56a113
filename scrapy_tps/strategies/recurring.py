"""Classes that name dialogs, consent or menus on parts that recur: they say what records are, or how they look.

The titles of a gallery stand in overlays over their pictures, answers in the drawers of an accordion; a shop that
sells cookies has pages of nothing else (``product_cat-cookies``), and a theme for shops gives each product the class
``sales-flash-overlay``. Dialogs and notices of consent occur once each.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import CONSENT, DIALOG, HIDDEN, MENU, TOKENS_READ, WEAK, of_names
from scrapy_tps.native import extension

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

#: So many parts of one tag path recur.
LEAST: Final = 3
#: At least this share of the first of them differs in text: what says the same each time is no record's own ("Quick
#: view").
DIFFERENT: Final = 0.5
COMPARED: Final = 16
#: The largest of them holds at most this share of their text.
LARGEST: Final = 0.75
#: Nodes looked at per node of the page before the search stops: such names can be nested.
VISITS_PER_NODE: Final = 8
#: The words of the classes of so many symbols are told apart, which takes 5 to 100 µs each; more symbols have these
#: names or none.
MOST_SYMBOLS: Final = 1000
#: What hides or frames all that is in it.
COVERING: Final = DIALOG | CONSENT | HIDDEN
#: Dialogs proper: several stand side by side at the end of a page, while others are a layer over something.
_PROPER: Final = ("modal", "popup", "dialog", "toast")
#: A part of a record that is named after a menu has so many texts at most ("menu-title", on the card of a restaurant).
FEW_TEXTS: Final = 2
_NAMES: Final = DIALOG | CONSENT | (DIALOG | CONSENT | MENU) << WEAK
_CORE: Final = extension("_siblings")


def unmark_recurring(page: Workspace) -> None:
    """Take names of dialogs, consent and menus from parts of the same class that recur with different texts.

    Only what no hidden part, dialog or notice is around counts. Dialogs proper, and what a menu is a part of the name
    of, recur where each has a parent of its own, the record that it belongs to.
    """
    hints = page.hints
    found: dict[tuple[int, str], list[list[int]]] = {}
    for number, equal in enumerate(_named(page)):
        classes, tag = page.sequence.class_of(equal[0]) or "", page.tags[equal[0]]
        if number < MOST_SYMBOLS:
            names = _names_in(classes)
        else:
            names = tuple(name for name in _first_names(classes) if (tag, name) in found)
        for name in names:
            found.setdefault((tag, name), []).append(equal)
    budget = VISITS_PER_NODE * page.size
    for (_, name), some in found.items():
        parts = some[0] if len(some) == 1 else sorted(chain.from_iterable(some))
        if len(parts) < LEAST:
            continue
        budget -= sum([page.end[part] - part for part in parts])
        if budget < 0:
            break
        if _may_recur(page, name, parts) and are_different(page, parts):
            taken = of_names(name) & _NAMES
            taken |= taken >> WEAK | taken << WEAK
            for part in parts:
                hints[part] &= ~taken  # type: ignore[index]


def _first_names(classes: str) -> list[str]:
    return classes.split(None, TOKENS_READ)[:TOKENS_READ]


def _names_in(classes: str) -> tuple[str, ...]:
    """The classes that name dialogs, consent or menus."""
    return tuple(name for name in _first_names(classes) if of_names(name) & _NAMES)


def are_different(page: Workspace, parts: list[int]) -> bool:
    """Whether enough of the first of these parts differ in text, and none of all holds most of it."""
    end, text, text_of = page.end, page.text, page.sequence.text_of
    sizes = [page.texts[end[part]] - page.texts[part] for part in parts]
    if max(sizes) > LARGEST * sum(sizes):
        return False
    first = parts[:COMPARED]
    texts = {
        tuple(text_of(place).strip() for place in compress(range(part, end[part]), text[part : end[part]]))
        for part in first
    }
    return len(texts) >= DIFFERENT * len(first)


def _named(page: Workspace) -> list[list[int]]:
    """The parts with such names and some text, as far as enough of them have the same tag path; by symbol."""
    if page.columns is not None:
        return _CORE.recurring(page.columns, _NAMES, HIDDEN, COVERING, LEAST)  # type: ignore[no-any-return]
    hints, end, texts, tags = page.hints, page.end, page.texts, page.tags
    found: list[int] = []
    covered = 0
    for index in page.all_with(_NAMES | COVERING):
        if index < covered:
            continue
        hint, stop = hints[index], end[index]
        if hint & COVERING:
            covered = stop
        if hint & _NAMES and not hint & HIDDEN and texts[stop] > texts[index]:
            found.append(index)
    times = Counter([tags[index] for index in found])
    equal: dict[int, list[int]] = {}
    for index in found:
        if times[tags[index]] >= LEAST:
            equal.setdefault(page.symbols[index], []).append(index)
    return list(equal.values())


def _may_recur(page: Workspace, name: str, parts: list[int]) -> bool:
    menus = of_names(name) & MENU << WEAK
    if not menus and not any(word in name.lower() for word in _PROPER):
        return True
    if len({page.parent[part] for part in parts}) < len(parts):
        return False
    return not menus or all(page.text[part : page.end[part]].count(1) <= FEW_TEXTS for part in parts)
