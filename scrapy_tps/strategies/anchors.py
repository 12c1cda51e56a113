"""Sections of a text that are named after their headings: an ``id`` is an address there, no name of a box.

Documentation has sections about cookies, menus, widgets and forms, and generators of documentation (Docutils and
Sphinx among them) make the ``id`` of a section of the words of its heading.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from scrapy_tps.hints import COMMENTS, CONSENT, DIALOG, HEADING, SUBHEADING, WEAK, of_names
from scrapy_tps.native import extension
from scrapy_tps.strategies.protection import SOFT

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_furniture")
_NAMED: Final = SOFT | DIALOG | CONSENT | COMMENTS
_MARKS: Final = _NAMED | _NAMED << WEAK
_HEADING: Final = HEADING | SUBHEADING
#: So many siblings of the same tag, themselves without marks, are named after their headings as well. One box may
#: be (``<div id="comments"><h3>Comments</h3>``), and a second by chance.
SIBLINGS: Final = 1
_NOT_LETTERS: Final = re.compile(r"[\W_]+")


def unmark_sections(page: Workspace) -> None:
    """Take the hints of an ``id`` from sections named after their headings that stand among others like them."""
    hints, parent = cast("MutableSequence[int]", page.hints), page.parent
    sections: dict[int, dict[int, int]] = {}
    for index in _headed_parts(page):
        if marks := _marks_of_id(page, index):
            above = parent[index]
            if above not in sections:
                sections[above] = _sections(page, above)
            if sections[above].get(page.tags[index], 0) >= SIBLINGS and _is_named_after_heading(page, index):
                hints[index] &= ~marks


def _headed_parts(page: Workspace) -> list[int]:
    """The marked parts that start with a heading; an empty element that is the target of links may stand before it.

    Natively only those that have an ``id``: of the others nothing is asked.
    """
    if page.columns is not None:
        return _CORE.headed_parts(page.columns, _HEADING, _MARKS)  # type: ignore[no-any-return]
    hints, parent, end = page.hints, page.parent, page.end
    return [
        index
        for heading in page.all_with(_HEADING)
        if hints[(index := parent[heading])] & _MARKS
        and (heading == index + 1 or heading == end[index + 1] == index + 2)
    ]


def _marks_of_id(page: Workspace, index: int) -> int:
    of_id = of_names(page.sequence.nodes[index].get("id") or "")
    return of_id & _MARKS & ~of_names(page.sequence.class_of(index) or "")


def _sections(page: Workspace, above: int) -> dict[int, int]:
    """How many children without marks are named after their headings, by path of tags."""
    found: dict[int, int] = {}
    child = above + 1
    while child < page.end[above]:
        if not page.hints[child] & _MARKS and _is_named_after_heading(page, child):
            tag = page.tags[child]
            found[tag] = found.get(tag, 0) + 1
        child = page.end[child]
    return found


def _is_named_after_heading(page: Workspace, index: int) -> bool:
    """Whether the ``id`` ends in the words of the heading that the element starts with."""
    first = index + 1
    if first < page.end[index] and page.end[first] == first + 1 and not page.text[first]:
        first += 1
    if first >= page.end[index] or not page.hints[first] & _HEADING:
        return False
    nodes = page.sequence.nodes
    identifier = nodes[index].get("id")
    if not identifier:
        return False
    words = _NOT_LETTERS.sub("", "".join(nodes[first].itertext())).lower()
    return bool(words) and _NOT_LETTERS.sub("", identifier).lower().endswith(words)
