"""Controls of a search: the options of long lists (``select``) beside what a page is about.

Lists to choose from go as controls do (`sure-boilerplate`), but come back where they stand between records or hold
values (:mod:`~scrapy_tps.engine.strategies.auto.option_lists`), and stay where they hold most of the page's text.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.forms import options_sent
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies.auto.option_lists import counts, form_of, is_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Choices

_SELECT: Final = frozenset({"select"})
_OPTIONS: Final = frozenset({"option", "optgroup"})


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
        if len(options) < limits.options or is_data(page, select, options):
            continue
        kept, what = options_sent(sequence, options), "what is set"
        if counts(page, options):
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
    form = form_of(page, select)
    method = value_of(form, "method") if form else None
    return method is not None and method.strip().lower() == "get"


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
