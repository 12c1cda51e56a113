"""What a search can be set to: the options of long lists (``select``) beside what a page is about.

Lists to choose from go as controls do (`sure-furniture`), but come back where they stand between records, and stay
where they hold most of the page's text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.forms import options_sent
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies.auto.queries import names_price

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Choices

_SELECT: Final = frozenset({"select"})
_OPTIONS: Final = frozenset({"option", "optgroup"})
#: A first option that says what to choose, and one for all, stand beside numbers in order.
_BESIDE_NUMBERS: Final = 2
#: Longer numbers are identifiers.
_DIGITS: Final = 6
#: Values that lead to pages: paths, queries, fragments, files.
_LEADS: Final = re.compile(r"[/?=#]|\.[A-Za-z]{2,5}$")
#: What a script does that goes where the chosen option leads.
_GOES: Final = re.compile("location|href|window.open")


def choices(page: Page, limits: Choices) -> list[Removal]:
    """Remove the options of long lists but for those that are set, and both ends of a row of numbers.

    A list is to choose from if several of its options may be chosen, its form sends an address (``method=get``), or its
    options are whole numbers in order, as years and pages are. Options with prices or data of their own and those that
    lead to pages stay; so does a list that holds anything but options (the parser leaves those open that nobody
    closes), and all of them on a page that says little besides.
    """
    sequence = page.sequence
    selects = [place for place in sequence.find(_SELECT) if page.alive[place]]
    texts, end = page.text_before, page.end
    if not selects or texts[-1] - sum(texts[end[one]] - texts[one] for one in selects) < limits.said:
        return []
    held = sequence.find(_OPTIONS)
    removals: list[Removal] = []
    for select in selects:
        start, stop = select + 1, end[select]
        first = bisect_left(held, start)
        below = held[first : bisect_left(held, stop, first)]
        if len(below) < limits.options or len(below) != sequence.kinds[start:stop].count(ELEMENT):
            continue
        options = [place for place in below if sequence.tag_of(place) == "option"]
        if len(options) < limits.options or _is_data(page, select, options):
            continue
        kept, what = options_sent(sequence.nodes, options), "what is set"
        if _counts(page, options):
            kept, what = sorted({*kept, options[0], options[-1]}), "what is set and both ends"
        elif not _is_of_search(page, select):
            continue
        reason = f"all but {what} of the {len(options)} values to choose from"
        removals += [(*part, "choices", reason) for part in _without(page, start, stop, kept)]
    return removals


def _is_of_search(page: Page, select: int) -> bool:
    """Whether several options may be chosen, or the form sends an address."""
    value_of = page.sequence.value_of
    if value_of(select, "multiple") is not None:
        return True
    node = page.parent[select]
    while node > 0 and page.sequence.tag_of(node) != "form":
        node = page.parent[node]
    method = value_of(node, "method") if node > 0 else None
    return method is not None and method.strip().lower() == "get"


def _counts(page: Page, options: list[int]) -> bool:
    """Whether nearly all options are numbers in order, which they send as well: sizes of a product send others."""
    numbers = []
    for option in options:
        text = _text(page, option)
        if text.isdecimal() and len(text) <= _DIGITS:
            value = page.sequence.value_of(option, "value")
            if value is not None and value.strip() != text:
                return False
            numbers.append(int(text))
    in_order = sum(abs(after - before) == 1 for before, after in pairwise(numbers))
    return in_order >= len(options) - 1 - _BESIDE_NUMBERS


def _is_data(page: Page, select: int, options: list[int]) -> bool:
    sequence = page.sequence
    if _GOES.search(sequence.value_of(select, "onchange") or ""):
        return True
    for option in options:
        attributes = sequence.nodes[option].attrib
        if _LEADS.search(attributes.get("value", "")) or any(name.startswith("data-") for name in attributes):
            return True
        if any(names_price(page, text) for text in range(option + 1, page.end[option])):
            return True
    return False


def _text(page: Page, option: int) -> str:
    return "".join(map(page.sequence.text_of, range(option + 1, page.end[option]))).strip()


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
