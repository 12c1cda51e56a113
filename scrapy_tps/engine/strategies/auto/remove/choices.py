"""What a search can be set to: the options of long lists (``select``) beside what a page is about.

Lists to choose from go as controls do (`sure-furniture`), but come back where they stand between records, and stay
where they hold most of the page's text.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.forms import options_sent
from scrapy_tps.engine.strategies.auto.queries import names_price

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Choices

_SELECT: Final = frozenset({"select"})
_OPTION: Final = frozenset({"option"})
#: A first option that says what to choose, and one for all, stand beside numbers in order.
_BESIDE_NUMBERS: Final = 2
#: Longer numbers are identifiers.
_DIGITS: Final = 6


def choices(page: Page, limits: Choices) -> list[Removal]:
    """Remove the options of long lists of a search but for those that are set.

    A list is of a search if several of its options may be chosen, its form sends an address (``method=get``), or its
    options are whole numbers in order, as years and pages are. Options with prices, and those that lead to pages, stay.
    """
    sequence = page.sequence
    selects = [place for place in sequence.find(_SELECT) if page.alive[place]]
    if not selects:
        return []
    options = sequence.find(_OPTION)
    removals: list[Removal] = []
    for select in selects:
        start, stop = select + 1, page.end[select]
        first = bisect_left(options, start)
        below = options[first : bisect_left(options, stop, first)]
        if len(below) >= limits.options and _is_of_search(page, select, below) and not _is_data(page, below):
            reason = f"all but what is set of the {len(below)} values to choose from"
            sent = options_sent(sequence.nodes, below)
            removals += [(*part, "choices", reason) for part in _without(page, start, stop, sent)]
    return removals


def _is_of_search(page: Page, select: int, options: list[int]) -> bool:
    value_of = page.sequence.value_of
    if value_of(select, "multiple") is not None:
        return True
    node = page.parent[select]
    while node > 0 and page.sequence.tag_of(node) != "form":
        node = page.parent[node]
    method = value_of(node, "method") if node > 0 else None
    if method is not None and method.strip().lower() == "get":
        return True
    texts = (_text(page, option) for option in options)
    numbers = [int(text) for text in texts if text.isdecimal() and len(text) <= _DIGITS]
    in_order = sum(abs(after - before) == 1 for before, after in pairwise(numbers))
    return in_order >= len(options) - 1 - _BESIDE_NUMBERS


def _is_data(page: Page, options: list[int]) -> bool:
    return any(
        "/" in (page.sequence.value_of(option, "value") or "")
        or (page.end[option] > option + 1 and names_price(page, option + 1))
        for option in options
    )


def _text(page: Page, option: int) -> str:
    return page.sequence.text_of(option + 1).strip() if page.end[option] > option + 1 else ""


def _without(page: Page, start: int, stop: int, kept: list[int]) -> Iterator[tuple[int, int]]:
    """The largest runs of siblings among nodes [start, stop) that hold none of these ascending nodes."""
    run = place = start
    while place < stop:
        number = bisect_left(kept, place)
        holds = number < len(kept) and kept[number] < page.end[place]
        if run < place and (holds or page.parent[place] != page.parent[run]):
            yield run, place
            run = place
        place = place + 1 if holds and kept[number] != place else page.end[place]
        if holds:
            run = place
    if run < stop:
        yield run, stop
