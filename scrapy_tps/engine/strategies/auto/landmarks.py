"""Landmarks of a site and counts of results, which stay regardless of the part around them.

These are first headings, breadcrumbs and pagination, and lines in bars above a list with the number of results ("1–24
of 1,250 results"). Shops, catalogues and boards write these into the bar, the header or the form that sorts and filters
the results, and spiders compute the number of pages from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues.reading import BREADCRUMB, BUTTON, FILTER, FORM, HEADER, MENU, PAGER
from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import (
    ALWAYS,
    SURE,
    addresses,
    joined,
    method_of,
    within,
)
from scrapy_tps.engine.strategies.auto.thresholds import Thresholds

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Retained
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class Landmarks(Thresholds):
    # parts with more text, or as many nodes, are not breadcrumbs or pagination, regardless of their names
    characters: int = 400
    nodes: int = 200


@dataclass(frozen=True, slots=True)
class Counts(Thresholds):
    # a count of results is a line of at most so many characters and nodes; more such lines than `most`, and bars with
    # more numbers than `numbers`, are choices
    characters: int = 60
    nodes: int = 12
    most: int = 4
    numbers: int = 100


_COPIED: Final = BREADCRUMB | PAGER

_kept_always: Final = compiled(loops.kept_always)

_LINKS: Final = frozenset({"a", "link"})


def landmarks(page: Page, limits: Landmarks) -> list[Retained]:
    """Retain first headings, breadcrumbs and pagination; of equal removed ones, retain one.

    It is one that stays anyway; otherwise the last breadcrumbs before the heading, because a version for phones comes
    first, or the last pager, below the list.
    """
    roots = _kept_always(page.columns, ALWAYS, limits.nodes, limits.characters)
    copies = _copies(page, roots) if len(roots) > 1 else ()
    return [(root, "") for root in roots if root not in copies]


def _copies(page: Page, roots: list[int]) -> set[int]:
    """Return the removed parts with the text, without white space, of one that stays or is retained.

    Pagination may consist of pictures, so its link addresses count as well. Most of the cost is reading texts, so those
    of a unique length are not read.
    """
    cues, alive = page.cues, page.alive
    alike: dict[int, list[int]] = {}
    for root in roots:
        if cues[root] & _COPIED:
            alike.setdefault(page.length_of(root, page.end[root]), []).append(root)
    said = {
        root: " ".join([joined(page, root), *(_addresses(page, root) if cues[root] & PAGER else ())])
        for parts in alike.values()
        if len(parts) > 1 and not all(map(alive.__getitem__, parts))
        for root in parts
    }
    chosen: dict[str, int] = {}
    for root, text in said.items():
        before = chosen.get(text, -1)
        later = root < page.first_heading or cues[root] & PAGER
        if before < 0 or (not alive[before] and (alive[root] or later)):
            chosen[text] = root
    return {root for root, text in said.items() if not alive[root] and chosen[text] != root}


def _addresses(page: Page, part: int) -> list[str]:
    return addresses(page, part, within(page, _LINKS, part, page.end[part]))


#: Cues of bars above a list.
_BARS: Final = MENU | FORM | HEADER

#: Numbers in controls are choices.
_CHOICES: Final = SURE | BUTTON

_CHOICE_TAGS: Final = frozenset({"label", "option", "button", "input"})

_WRITTEN_IN: Final = frozenset({"textarea"})

#: A number that is neither an identifier nor a time of day. The first digit comes first: other text is skipped at once.
_COUNT: Final = re.compile(
    r"\d(?<![A-Za-z\d].)(?<![A-Za-z]-.)(?<!\d:.)\d{0,8}(?![\d:]|\s?(?:[AP]M\b|[ap]\.m))"
)

#: The same without white space: "1-24of1,250", but not days and a year.
_RANGE: Final = re.compile(r"\d(?:[-–—]|[^\W\d_]{1,3})\d[\d.,]*[^\W\d_]{1,20}(?!(?:19|20)\d\d(?!\d))\d")

_WORD: Final = re.compile(r"[^\W\d_]")


def counts(page: Page, limits: Counts) -> list[Retained]:
    """Retain the few lines with a number in bars with cues before the page's best record group.

    In filters, a single line is a count; more are choices.
    """
    found: dict[str, list[int]] = {}
    for start, end, certain in _bars(page):
        only = page.cues[start] & FILTER
        said = _lines(page, start, end, limits, 1 if only else limits.most)
        if (
            said
            and (len(said) == 1 or not only)
            # numbers at the page's edge above its first heading belong to the site, except "1-24 of 1,250"
            and (certain or _names_range(page, start, limits))
            # forms for messages show how many characters they accept
            and all(method_of(page, field) != "post" for field in within(page, _WRITTEN_IN, start, end))
        ):
            found = said | found
            if len(found) > limits.most:  # several are choices, each followed by a number
                return []
    return [(part, "") for line in found.values() for part in line]


def _lines(page: Page, start: int, end: int, limits: Counts, most: int) -> dict[str, list[int]]:
    """Return the lines with a number in a bar, by their texts: at most one more than `most`; none if there are too many
    numbers."""
    texts = page.sequence.texts_with_digits(page.columns, start, end, page.is_text)
    numbers = [
        text for text in texts if not page.in_link[text] and _COUNT.search(page.sequence.text_of(text))
    ]
    found: dict[str, list[int]] = {}
    if len(numbers) > limits.numbers:
        return found
    for text in numbers:
        if line := _line(page, text, start, limits):
            found.setdefault("".join(joined(page, part) for part in line), line)
            if len(found) > most:
                break
    return found


def _bars(page: Page) -> list[tuple[int, int, bool]]:
    """Return (start, end, below the first heading) of the removed bars with cues before the best record group."""
    best, heading = page.best, page.first_heading
    if best is None and heading < 0:
        return []
    stop = best.start if best is not None else page.size
    marks = _BARS if best is None else _BARS | FILTER
    return [
        (start, end, rule == "marked" or 0 <= heading < start)
        for start, end, rule, _ in page.columns.removed_with(page.removed, marks)
        if start < stop and (rule == "edge" or (rule == "marked" and (start > heading or best is not None)))
    ]


def _names_range(page: Page, bar: int, limits: Counts) -> bool:
    """Whether a line of a bar has a range and a total."""
    end = page.end
    after = bar
    for text in page.sequence.texts_with_digits(page.columns, bar, end[bar], page.is_text):
        if text < after:
            continue
        line = text
        while line > bar and page.length_of(page.parent[line], end[page.parent[line]]) <= limits.characters:
            line = page.parent[line]
        if _RANGE.search(joined(page, line)):
            return True
        after = end[line]
    return False


def _line(page: Page, text: int, start: int, limits: Counts) -> list[int]:
    """Return the largest part of a bar that is one line around this text, without links and controls, and the next
    word.

    Empty if there is no word: ``<b>31</b> boats <a>on a map</a>`` is two parts, ``<b>31</b> <a>boats</a>`` none.
    """
    end, line, part = page.end, -1, text
    while (
        part >= start
        and end[part] - part <= limits.nodes
        and page.length_of(part, end[part]) <= limits.characters
        and not any(page.in_link[part : end[part]])
        and not within(page, _CHOICE_TAGS, part, end[part])
    ):
        line, part = part, page.parent[part]
    holder = part
    while part >= start:
        if page.cues[part] & _CHOICES or page.sequence.tag_of(part) in _CHOICE_TAGS:
            return []
        part = page.parent[part]
    if line < 0:
        return []
    if _WORD.search(joined(page, line)):
        return [line]
    behind = end[line]
    if (
        holder >= start
        and behind < end[holder]
        and page.is_text[behind]
        and page.text_length[behind] <= limits.characters
        and _WORD.search(page.sequence.text_of(behind))
    ):
        return [line, behind]
    return []
