"""How many there are: what a bar above a list says in numbers stays, whatever becomes of its controls.

Shops, catalogues and boards write the number of results into the bar, the header or the form that sorts and filters
them ("1–24 of 1,250 results"), and spiders work out from it how many pages there are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import BUTTON, FILTER, FORM, HEADER, MENU
from scrapy_tps.engine.strategies.auto.decisions import Retained
from scrapy_tps.engine.strategies.auto.marks import SURE
from scrapy_tps.engine.strategies.auto.masks import flipped
from scrapy_tps.engine.strategies.auto.queries import any_in, joined, texts_with_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.retain_thresholds import Counts

#: What bars above a list are marked as.
_BARS: Final = MENU | FORM | HEADER
#: What controls say in numbers is to be chosen from.
_CHOICES: Final = SURE | BUTTON
_CHOICE_TAGS: Final = frozenset({"label", "option", "button", "input"})
#: Forms for messages say how many characters they take.
_WRITTEN_IN: Final = frozenset({"textarea"})
#: So many forms are looked at.
_FORMS: Final = 20
#: A number that is no identifier and no time of the day.
_COUNT: Final = re.compile(r"(?<![A-Za-z\d])(?<![A-Za-z]-)(?<!\d:)\d{1,9}(?![\d:]|\s?(?:[AP]M\b|[ap]\.m))")
#: The same without white space: "1-24of1,250"; no days and a year.
_RANGE: Final = re.compile(r"\d(?:[-–—]|[^\W\d_]{1,3})\d[\d.,]*[^\W\d_]{1,20}(?!(?:19|20)\d\d(?!\d))\d")
_WORD: Final = re.compile(r"[^\W\d_]")


def counts(page: Page, limits: Counts) -> list[Retained]:
    """Retain the few lines with a number in marked bars before the page's best record group.

    In filters one line says it, more are choices.
    """
    best = page.best
    if best is None and page.first_heading < 0:
        return []
    stop = best.start if best is not None else page.size
    heading, marks = page.first_heading, _BARS if best is None else _BARS | FILTER
    bars = [
        (start, end)
        for start, end, rule, _ in page.removed
        if start < stop
        and page.hints[start] & marks
        and (
            (rule == "marked" and (start > heading or best is not None))
            # what stands at the page's edge above its first heading is the site's, but for "1-24 of 1,250"
            or (rule == "edge" and (0 <= heading < start or _names_range(page, start, limits)))
        )
    ]
    if bars and (posted := _posted(page)):
        bars = [(start, end) for start, end in bars if not any_in(posted, start, end)]
    if not bars:
        return []
    unlinked = flipped(page.in_link)
    choices = page.sequence.find(_CHOICE_TAGS)
    found: dict[str, list[int]] = {}
    for start, end in bars:
        numbers = [
            text
            for text in texts_with_digits(page, start, end, unlinked)
            if _COUNT.search(page.sequence.text_of(text))
        ]
        if len(numbers) > limits.numbers:
            continue
        lines = [line for text in numbers if (line := _line(page, text, start, choices, limits))]
        said = {"".join(joined(page, part) for part in line): line for line in reversed(lines)}
        if len(said) == 1 or not page.hints[start] & FILTER:
            found = said | found
    # more of them are choices, with the number behind each
    return [Retained(part) for line in found.values() for part in line] if len(found) <= limits.most else []


def _names_range(page: Page, bar: int, limits: Counts) -> bool:
    """Whether a line of a bar says which of how many there are."""
    end = page.end
    after = bar
    for text in texts_with_digits(page, bar, end[bar], page.is_text):
        if text < after:
            continue
        line = text
        while line > bar and page.length_of(page.parent[line], end[page.parent[line]]) <= limits.characters:
            line = page.parent[line]
        if _RANGE.search(joined(page, line)):
            return True
        after = end[line]
    return False


def _posted(page: Page) -> list[int]:
    """Fields for messages: those of forms that are posted."""
    areas = page.sequence.find(_WRITTEN_IN)
    if not areas:
        return []
    forms = [
        form
        for form in page.sequence.find({"form"})
        if (page.sequence.value_of(form, "method") or "").strip().lower() == "post"
    ]
    return sorted({area for form in forms[:_FORMS] for area in areas if form < area < page.end[form]})


def _line(page: Page, text: int, start: int, choices: Sequence[int], limits: Counts) -> list[int]:
    """The largest part of a bar that is one line around this text, without links and controls, and the word behind it.

    Empty where there is no word: ``<b>31</b> boats <a>on a map</a>`` is two parts, ``<b>31</b> <a>boats</a>`` none.
    """
    end, line, part = page.end, -1, text
    while (
        part >= start
        and end[part] - part <= limits.nodes
        and page.length_of(part, end[part]) <= limits.characters
        and not any(page.in_link[part : end[part]])
        and not any_in(choices, part, end[part])
    ):
        line, part = part, page.parent[part]
    holder = part
    while part >= start:
        if page.hints[part] & _CHOICES or page.sequence.tag_of(part) in _CHOICE_TAGS:
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
