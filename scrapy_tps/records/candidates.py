"""Candidate lists of records: spans of the sequence that may be the records of one data region."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.records.divisions import divisions_of
from scrapy_tps.records.record_group import DIVISION, NESTED, SIBLINGS, Group, with_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.records.record_page import RecordPage, Span
    from scrapy_tps.records.regions import Budget


#: Lists with less of the page's weighted text are not examined.
MIN_SHARE: Final = 0.03

_MOST: Final = 0.8
_PARTS: Final = 2
#: Elements whose end tag authors omit, or that old parsers allowed to nest.
_OPEN_TAGS: Final = ("a", "b", "blockquote", "center", "dd", "dt", "font", "li", "ol", "p", "tr", "ul")


def candidate_groups(page: RecordPage, budget: Budget) -> Iterator[Group]:
    """Yield the candidate lists of a page.

    Once the budget is used up, only lists of single children and of elements nested in each other are looked for.

    Only nodes that hold `MIN_SHARE` of the page are searched: their number is bounded by depth / `MIN_SHARE`.
    """
    weight, end = page.weight, page.end
    least = MIN_SHARE * weight[-1]
    following, size = 0, len(page)
    while following < size:
        parent, stop = following, end[following]
        if stop - parent < 3 or weight[stop] - weight[parent] < least:
            following = stop  # nothing inside has more
            continue
        following += 1
        children = page.children(parent)
        if len(children) < 2:
            continue
        found = _groups_among(page, children) if budget.left() else _siblings(page, children)
        for group in found:
            if group.weight >= least:
                yield group
    for group in _nested(page):
        if group.weight >= least:
            yield group


def _groups_among(page: RecordPage, children: list[int]) -> Iterator[Group]:
    """The lists that the children of a node make up: of several siblings, then of single ones."""
    siblings = list(_siblings(page, children))
    for division in divisions_of(page, children, siblings):
        yield division
        if division.origin == DIVISION:
            siblings = [group for group in siblings if not _is_part(group, division)]
    yield from siblings


def _group(page: RecordPage, spans: Iterable[Span], origin: str) -> Iterator[Group]:
    found = with_text(page, spans)
    if len(found) >= 2:
        yield Group(page, found, origin)


def _siblings(page: RecordPage, children: list[int]) -> Iterator[Group]:
    """Yield children of one tag, of one tag and class, and all children."""
    end, node_kinds = page.end, page.node_kinds
    spans = [(child, end[child]) for child in children if node_kinds[child] == ELEMENT]
    sets = [*_by_number(spans, page.paths).values(), *_by_number(spans, page.kinds).values(), spans]
    for same in dict.fromkeys(map(tuple, sets)):
        yield from _group(page, same, SIBLINGS)


def _by_number(spans: list[Span], numbers: Sequence[int]) -> dict[int, list[Span]]:
    """Return the spans by the number of their first node."""
    found: dict[int, list[Span]] = defaultdict(list)
    for span in spans:
        found[numbers[span[0]]].append(span)
    return found


def _is_part(group: Group, division: Group) -> bool:
    """Whether most of a list's records are parts of a division's records, with hardly more than one in each."""
    if len(group.spans) > _PARTS * len(division.spans):
        return False
    starts = [start for start, _ in division.spans]
    inside = 0
    for start, _ in group.spans:
        place = bisect_right(starts, start) - 1
        inside += place >= 0 and start < division.spans[place][1]
    return inside >= _MOST * len(group.spans)


def _nested(page: RecordPage) -> Iterator[Group]:
    """Yield records that the parser nested in each other, because their tags are not closed.

    These are elements of one tag, most of which are inside another one: each record ends at the start of the next.
    """
    starts_of: dict[str, list[int]] = defaultdict(list)
    stops_of: dict[str, list[int]] = defaultdict(list)
    outermost: dict[str, int] = {}
    nested: Counter[str] = Counter()
    for index in page.sequence.find(_OPEN_TAGS):
        tag = page.tag(index)
        if index < outermost.get(tag, 0):
            nested[tag] += 1
        else:
            outermost[tag] = page.end[index]
        starts_of[tag].append(index)
        stops_of[tag].append(outermost[tag])
    for tag, starts in starts_of.items():
        if len(starts) >= 3 and 3 * nested[tag] >= 2 * len(starts):
            stops = map(min, [*starts[1:], len(page)], stops_of[tag])
            yield from _group(page, list(zip(starts, stops, strict=True)), NESTED)
