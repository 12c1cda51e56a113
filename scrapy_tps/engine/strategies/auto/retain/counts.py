"""How many there are: what a bar above a list says in numbers stays, whatever becomes of its controls.

Shops, catalogues and boards write the number of results into the bar, the header or the form that sorts and filters
them ("1–24 of 1,250 results"), and spiders work out from it how many pages there are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import BUTTON, FORM, HEADER, MENU
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
#: A number that is no identifier.
_COUNT: Final = re.compile(r"(?<![A-Za-z\d])(?<!\d:)\d{1,9}(?![\d:])")
_WORD: Final = re.compile(r"[^\W\d_]")


def counts(page: Page, limits: Counts) -> list[Retained]:
    """Retain the few lines with a number in marked bars between the first heading and the page's best record group."""
    best = page.best
    if best is None:
        return []
    # what heads a page without a first heading is the site's
    marked = {"marked"} if page.first_heading < 0 else {"marked", "edge"}
    bars = [
        (start, end)
        for start, end, rule, _ in page.removed
        if rule in marked and page.first_heading < start < best.start and page.hints[start] & _BARS
    ]
    if not bars:
        return []
    unlinked = flipped(page.in_link)
    choices = page.sequence.find(_CHOICE_TAGS)
    found: dict[str, int] = {}
    for start, end in bars:
        numbers = [
            text
            for text in texts_with_digits(page, start, end, unlinked)
            if _COUNT.search(page.sequence.text_of(text))
        ]
        if len(numbers) > limits.numbers:
            continue
        for text in numbers:
            line = _line(page, text, start, choices, limits)
            if line >= 0:
                found.setdefault(joined(page, line), line)
    # more of them are choices, with the number behind each
    return list(map(Retained, found.values())) if len(found) <= limits.most else []


def _line(page: Page, text: int, start: int, choices: Sequence[int], limits: Counts) -> int:
    """The largest part of a bar that is one line around this text, without links and controls; -1: none with a word."""
    end, line, part = page.end, -1, text
    while (
        part >= start
        and end[part] - part <= limits.nodes
        and sum(page.text_length[part : end[part]]) <= limits.characters
        and not any(page.in_link[part : end[part]])
        and not any_in(choices, part, end[part])
    ):
        line, part = part, page.parent[part]
    while part >= start:
        if page.hints[part] & _CHOICES or page.sequence.tag_of(part) in _CHOICE_TAGS:
            return -1
        part = page.parent[part]
    return line if line >= 0 and _WORD.search(joined(page, line)) else -1
