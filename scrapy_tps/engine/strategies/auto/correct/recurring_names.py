"""Classes that name dialogs, consent or menus on parts that recur: they say what records are, or how they look.

The titles of a gallery stand in overlays over their pictures, answers in the drawers of an accordion; a shop that
sells cookies has pages of nothing else (``product_cat-cookies``), and a theme for shops gives each product the class
``sales-flash-overlay``. Dialogs and notices of consent occur once each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONSENT, DIALOG, HIDDEN, MENU, TOKENS_READ, WEAK, of_names
from scrapy_tps.engine.loops import siblings
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import COVERING
from scrapy_tps.engine.strategies.auto.queries import are_different

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecurringNames

#: Dialogs proper: several stand side by side at the end of a page, while others are a layer over something.
_PROPER: Final = ("modal", "popup", "dialog", "toast")
_DIALOG: Final = DIALOG | DIALOG << WEAK
_NAMES: Final = DIALOG | CONSENT | (DIALOG | CONSENT | MENU) << WEAK
_recurring: Final = over_columns(siblings.recurring)


def recurring_names(page: Page, limits: RecurringNames) -> list[Correction]:
    """Take names of dialogs, consent and menus from parts of the same class that recur with different texts.

    Only what no hidden part, dialog or notice is around counts. Dialogs proper recur where each has a parent of its
    own, the record that it belongs to, or where they are of the same make: records, or the details that a click on a
    record shows. What a menu is a part of the name of recurs where each has a parent of its own.
    """
    corrections: list[Correction] = []
    found: dict[tuple[int, str], list[list[int]]] = {}
    named = _recurring(page.measured, _NAMES, HIDDEN, COVERING, limits.least)
    for number, equal in enumerate(named):
        classes, tag = page.sequence.class_of(equal[0]) or "", page.tags[equal[0]]
        if number < limits.most_symbols:
            names = _names_in(classes)
        else:
            names = tuple(name for name in _first_names(classes) if (tag, name) in found)
        for name in names:
            found.setdefault((tag, name), []).append(equal)
    budget = limits.visits_per_node * page.size
    for (_, name), some in found.items():
        parts = some[0] if len(some) == 1 else sorted(chain.from_iterable(some))
        if len(parts) < limits.least:
            continue
        budget -= sum([page.end[part] - part for part in parts])
        if budget < 0:
            break
        if _may_recur(page, name, parts, limits) and are_different(page, parts, limits):
            taken = of_names(name) & _NAMES
            taken |= taken >> WEAK | taken << WEAK
            corrections += [Correction(part, taken) for part in parts]
            if taken & DIALOG:  # the box of a dialog is one as well
                corrections += [Correction(inner, _DIALOG) for inner in _dialogs_in(page, parts)]
    return corrections


def _dialogs_in(page: Page, parts: list[int]) -> Iterator[int]:
    """The dialogs inside of parts that follow each other."""
    dialogs = page.all_with(_DIALOG)
    for part in parts:
        yield from dialogs[bisect_right(dialogs, part) : bisect_left(dialogs, page.end[part])]


def _first_names(classes: str) -> list[str]:
    return classes.split(None, TOKENS_READ)[:TOKENS_READ]


def _names_in(classes: str) -> tuple[str, ...]:
    """The classes that name dialogs, consent or menus."""
    return tuple(name for name in _first_names(classes) if of_names(name) & _NAMES)


def _may_recur(page: Page, name: str, parts: list[int], limits: RecurringNames) -> bool:
    menus = of_names(name) & MENU << WEAK
    if not menus and not any(word in name.lower() for word in _PROPER):
        return True
    if len({page.parent[part] for part in parts}) < len(parts):
        return not menus and _are_like(page, parts, limits)
    return not menus or all(
        page.is_text[part : page.end[part]].count(1) <= limits.few_texts for part in parts
    )


def _are_like(page: Page, parts: list[int], limits: RecurringNames) -> bool:
    """Whether parts are more than a site has dialogs, of the same classes, and the first of them of the same markup."""
    return (
        len(parts) >= limits.dialogs
        and len({page.symbols[part] for part in parts}) == 1
        and all(
            page.are_alike(one, other, limits.most_nodes, limits.least_tags, limits.alike)
            for one, other in pairwise(parts[: limits.compared])
        )
    )
