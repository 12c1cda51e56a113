"""Cues that siblings contradict: names of a record's subject, and hidden parts that are content.

Posts have the names of their categories as classes (``category-fixed``, ``tag-newsletter``), pinned topics of a board
are announcements, and list items to be shown later are hidden by their ``style``. Answers are hidden below their
questions, and tabs hold lists. Names of tabs and accordions also tell (:mod:`scrapy_tps.engine.cues.reading`); here the
place of a part tells. A part is not hidden at all if it is shown on wide screens, or similar to a shown sibling: the
rest of a list behind "show all".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues.reading import BUTTON, CONTROL, HEADING, HIDDEN, WEAK
from scrapy_tps.engine.loops import siblings
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import (
    COVERING,
    DISPLAYS,
    SOFT,
    WITHIN_LINES,
    characters_of,
    holds_records,
)

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Correction
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import LikeSiblings, Revealed


_like_siblings: Final = compiled(siblings.like_siblings)

_MARKS: Final = SOFT | SOFT << WEAK


def like_siblings(page: Page, limits: LikeSiblings) -> list[Correction]:
    """Remove cues of parts that are like siblings without them, if half of the siblings have none; or HIDDEN."""
    return [
        (index, going, 0)
        for index, going, count, *others in _like_siblings(page.columns, _MARKS, HIDDEN, limits)
        if count >= limits.siblings
        and any(other >= 0 and _same_classes(page, index, other, limits) for other in others)
    ]


def _same_classes(page: Page, one: int, other: int, limits: LikeSiblings) -> bool:
    of_other = page.classes(other) - DISPLAYS
    return len(of_other & page.classes(one)) >= limits.same_classes * len(of_other)


#: A kind of hidden parts.
_FIELD: Final = 2

_hidden_parts: Final = compiled(siblings.hidden_parts)

_small_texts: Final = compiled(siblings.small_texts)

_PICTURES: Final = frozenset({"img", "picture", "svg"})

#: The class that style sheets (Tailwind and many others) use for invisible parts.
HIDING_CLASS: Final = "hidden"

#: A class that shows a part on some screens: ``md:flex``.
_SHOWING: Final = re.compile(rf":(?:{'|'.join(sorted(DISPLAYS))})(?!\S)")


def revealed(page: Page, limits: Revealed) -> list[Correction]:
    """Remove HIDDEN from parts that a click shows, and from parts shown on wide screens or next to a shown twin."""
    if page.first_with(HIDDEN) < 0:
        return []
    shown: dict[int, list[int]] = {}
    found = [*_by_place(page, shown, limits), *_shown_parts(page, limits), *_twins(page, shown, limits)]
    return [(index, HIDDEN, 0) for index in found]


def _shown_near(page: Page, node: int, known: dict[int, list[int]], limits: Revealed) -> list[int]:
    """Return the nearest shown siblings of a node; all, if there are not many.

    :param known: the shown children of parts.
    """
    above = page.parent[node]
    if above not in known:
        known[above] = [child for child in page.children(above) if not page.cues[child] & HIDDEN]
    place = bisect_left(known[above], node)
    return known[above][max(0, place - limits.near) : place + limits.near]


def _by_place(page: Page, shown: dict[int, list[int]], limits: Revealed) -> list[int]:
    """Answers, and fields of records.

    Answers recur with different texts, each the last of its parent's texts and not the first, which is the question.
    They have prose; or they have links, are below the page's first heading, and the question is not a link (minutes
    below "2026"; menus open below links). Fields have few texts without links and recur likewise, each next to other
    text in a separate parent. A closed list is next to a similar open one.
    """
    recurring: dict[int, list[int]] = {}
    fields: set[int] = set()  # paths of tags that they have
    found: list[int] = []
    heading = page.first_with(HEADING)
    heading = heading if heading >= 0 else page.size
    for index, kind in _hidden_parts(page.columns, HIDDEN, COVERING, heading, limits):
        if kind:
            recurring.setdefault(page.tags[index], []).append(index)
        if kind == _FIELD:
            fields.add(page.tags[index])
        elif page.end[index] - index >= limits.least_nodes and _is_other_list(
            page, index, _shown_near(page, index, shown, limits), limits
        ):
            found.append(index)
    for path, parts in recurring.items():
        if (
            len(parts) >= limits.least
            and (path not in fields or len({page.parent[part] for part in parts}) == len(parts))
            and _are_different(page, parts, limits)
        ):
            found += parts
    return found


def _is_other_list(page: Page, index: int, near: list[int], limits: Revealed) -> bool:
    """Whether a part holds records, and so does a shown sibling near it with half of its classes, or without classes,
    tag paths."""
    own = page.classes(index)
    shown = [
        other
        for other in near
        if page.tags[other] == page.tags[index]
        and not page.cues[other] & COVERING
        and (
            2 * len(own & classes) >= min(len(own), len(classes))
            if own and (classes := page.classes(other))
            else page.are_similar(index, other, limits.most_nodes, 1, limits.similar)
        )
    ]
    return (
        bool(shown)
        and holds_records(page, index, limits.least)
        and any(holds_records(page, other, limits.least) for other in shown)
    )


def _shown_parts(page: Page, limits: Revealed) -> list[int]:
    """Return hidden parts that are shown on wide screens, or similar to a shown sibling.

    Only parts hidden by a class are checked, because the style sheet is not available; the attribute ``hidden`` and
    ``style`` are unambiguous. On the WCXB set, two collections lose the categories behind "show all" without this
    check.
    """
    class_of = page.sequence.class_of
    shown: dict[int, dict[int, int]] = {}  # by parent and tag path
    found: list[int] = []
    for index in page.all_with(HIDDEN):
        names = class_of(index) or ""
        if HIDING_CLASS not in names or HIDING_CLASS not in (classes := page.classes(index)):
            continue
        if _SHOWING.search(names):
            found.append(index)
        elif len(classes) > 1:
            above = page.parent[index]
            if above not in shown:
                # the first of each path; of all in one pass, because each child may have a tag of its own
                shown[above] = {
                    page.tags[child]: child
                    for child in reversed(page.children(above))
                    if not page.cues[child] & HIDDEN and characters_of(page, child)
                }
            sibling = shown[above].get(page.tags[index])
            shared = frozenset() if sibling is None else classes & page.classes(sibling)
            if len(shared) - (HIDING_CLASS in shared) >= limits.shown_classes * (len(classes) - 1):
                found.append(index)
    return found


def _twins(page: Page, shown: dict[int, list[int]], limits: Revealed) -> list[int]:
    """Return hidden texts next to what stands for them: a picture or another element that is not read aloud, or a shown
    element of its classes, as names in other languages are; within a line, of half of its classes. And prose in custom
    elements."""
    found: list[int] = []
    tag_of, texts = page.sequence.tag_of, page.text_before
    for index in _small_texts(page.columns, HIDDEN, CONTROL | BUTTON, limits.most_twin):
        tag, classes = tag_of(index), page.classes(index)
        near = _shown_near(page, index, shown, limits)
        in_line = tag in WITHIN_LINES or "-" in tag  # MathJax writes elements of its own
        if (
            in_line and any(page.cues[child] & BUTTON or tag_of(child) in _PICTURES for child in near)
        ) or any(
            page.tags[index] == page.tags[child]
            and texts[page.end[child]] > texts[child]
            and (names := page.classes(child))
            and (
                classes == names
                or (in_line and not page.in_link[index] and 2 * len(classes & names) >= len(names))
            )
            for child in (near if classes else ())
        ):
            found.append(index)
    return found


def _are_different(page: Page, parts: list[int], limits: Revealed) -> bool:
    """Whether enough of the first of these parts differ in text."""
    end, is_text, text_of = page.end, page.is_text, page.sequence.text_of
    first = parts[: limits.compared]
    texts = {
        tuple(text_of(place).strip() for place in compress(range(part, end[part]), is_text[part : end[part]]))
        for part in first
    }
    return len(texts) >= limits.different * len(first)
