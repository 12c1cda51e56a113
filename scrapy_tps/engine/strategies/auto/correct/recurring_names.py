"""Classes that name dialogs, consent or menus on parts that recur: they say what records are, or how they look.

The titles of a gallery stand in overlays over their pictures, answers in the drawers of an accordion; a shop that
sells cookies has pages of nothing else (``product_cat-cookies``), and a theme for shops gives each product the class
``sales-flash-overlay``. Dialogs and notices of consent occur once each.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONSENT, DIALOG, HIDDEN, MENU, TOKENS_READ, WEAK, of_names
from scrapy_tps.engine.loops import siblings
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import COVERING
from scrapy_tps.engine.strategies.auto.queries import are_different

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecurringNames

#: Dialogs proper: several stand side by side at the end of a page, while others are a layer over something.
_PROPER: Final = ("modal", "popup", "dialog", "toast")
_NAMES: Final = DIALOG | CONSENT | (DIALOG | CONSENT | MENU) << WEAK
_recurring: Final = over_columns(siblings.recurring)


def recurring_names(page: Page, limits: RecurringNames) -> list[Correction]:
    """Take names of dialogs, consent and menus from parts of the same class that recur with different texts.

    Only what no hidden part, dialog or notice is around counts. Dialogs proper, and what a menu is a part of the name
    of, recur where each has a parent of its own, the record that it belongs to.
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
        if _may_recur(page, name, parts, limits.few_texts) and are_different(page, parts, limits):
            taken = of_names(name) & _NAMES
            taken |= taken >> WEAK | taken << WEAK
            corrections += [Correction(part, taken) for part in parts]
    return corrections


def _first_names(classes: str) -> list[str]:
    return classes.split(None, TOKENS_READ)[:TOKENS_READ]


def _names_in(classes: str) -> tuple[str, ...]:
    """The classes that name dialogs, consent or menus."""
    return tuple(name for name in _first_names(classes) if of_names(name) & _NAMES)


def _may_recur(page: Page, name: str, parts: list[int], few_texts: int) -> bool:
    menus = of_names(name) & MENU << WEAK
    if not menus and not any(word in name.lower() for word in _PROPER):
        return True
    if len({page.parent[part] for part in parts}) < len(parts):
        return False
    return not menus or all(page.is_text[part : page.end[part]].count(1) <= few_texts for part in parts)
