"""Sections of a text that are named after their headings: an ``id`` is an address there, no name of a box.

Documentation has sections about cookies, menus, widgets and forms, and generators of documentation (Docutils and
Sphinx among them) make the ``id`` of a section of the words of its heading.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import COMMENTS, CONSENT, DIALOG, WEAK, of_names
from scrapy_tps.engine.loops import furniture
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import HEADINGS, SOFT

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import HeadedSections

_headed_parts: Final = over_columns(furniture.headed_parts)
_NAMED: Final = SOFT | DIALOG | CONSENT | COMMENTS
_MARKS: Final = _NAMED | _NAMED << WEAK
_NOT_LETTERS: Final = re.compile(r"[\W_]+")


def headed_sections(page: Page, limits: HeadedSections) -> list[Correction]:
    """Take the hints of an ``id`` from sections named after their headings that stand among others like them."""
    parent = page.parent
    sections: dict[int, dict[int, int]] = {}
    found: list[Correction] = []
    for index in _headed_parts(page.measured, HEADINGS, _MARKS):
        if marks := _marks_of_id(page, index):
            above = parent[index]
            if above not in sections:
                sections[above] = _sections(page, above)
            if sections[above].get(page.tags[index], 0) >= limits.siblings and _is_named_after_heading(
                page, index
            ):
                found.append(Correction(index, marks))
    return found


def _marks_of_id(page: Page, index: int) -> int:
    identifier = page.sequence.value_of(index, "id")
    of_id = of_names(identifier) & _MARKS if identifier else 0
    return of_id & ~of_names(page.sequence.class_of(index) or "") if of_id else 0


def _sections(page: Page, above: int) -> dict[int, int]:
    """How many children without marks are named after their headings, by path of tags."""
    found: dict[int, int] = {}
    child = above + 1
    while child < page.end[above]:
        if not page.hints[child] & _MARKS and _is_named_after_heading(page, child):
            tag = page.tags[child]
            found[tag] = found.get(tag, 0) + 1
        child = page.end[child]
    return found


def _is_named_after_heading(page: Page, index: int) -> bool:
    """Whether the ``id`` ends in the words of the heading that the element starts with."""
    first = index + 1
    if first < page.end[index] and page.end[first] == first + 1 and not page.is_text[first]:
        first += 1
    if first >= page.end[index] or not page.hints[first] & HEADINGS:
        return False
    identifier = page.sequence.value_of(index, "id")
    if not identifier:
        return False
    words = _NOT_LETTERS.sub("", "".join(page.sequence.nodes[first].itertext())).lower()
    return bool(words) and _NOT_LETTERS.sub("", identifier).lower().endswith(words)
