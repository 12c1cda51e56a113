"""Candidate lists of records: spans of the sequence that may be the records of one data region."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.records.page import RecordPage

Span = tuple[int, int]

#: A list that holds less of the page's weighted text than this is not looked at.
MIN_SHARE: Final = 0.03

SIBLINGS: Final = "siblings"
DIVISION: Final = "division"
NESTED: Final = "nested"
PARALLEL: Final = "parallel"

#: Elements whose end tag authors leave out, or that old parsers let nest.
_OPEN_TAGS: Final = frozenset({"a", "b", "blockquote", "center", "dd", "dt", "font", "li", "ol", "p", "ul"})


@dataclass(slots=True)
class Group:
    """A candidate list of records.

    :ivar spans: start and end of each record in the sequence, in document order, not overlapping.
    :ivar origin: how it was found: ``SIBLINGS``, ``DIVISION``, ``NESTED`` or ``PARALLEL``.
    :ivar found: number of spans before dissimilar ones were left out.
    """

    spans: list[Span]
    origin: str
    found: int

    def weight(self, page: RecordPage) -> float:
        weight = page.weight
        return sum(weight[end] - weight[start] for start, end in self.spans)


def candidate_groups(page: RecordPage) -> Iterator[Group]:
    """Yield the candidate lists of a page, each set of spans once.

    Only below nodes that hold `MIN_SHARE` of the page: their number is bounded by depth / `MIN_SHARE`.
    """
    weight, end = page.weight, page.end
    least = MIN_SHARE * weight[-1]
    seen: set[tuple[int, int, int, int]] = set()
    for parent in range(len(page)):
        stop = end[parent]
        if stop - parent < 3 or weight[stop] - weight[parent] < least:
            continue
        children = page.children(parent)
        if len(children) < 2:
            continue
        for group in (*_siblings(page, children), *_divisions(page, children)):
            # the spans of one parent follow from these four
            key = (group.spans[0][0], group.spans[0][1], group.spans[-1][1], len(group.spans))
            if key not in seen and group.weight(page) >= least:
                seen.add(key)
                yield group
    for group in _nested(page):
        if group.weight(page) >= least:
            yield group


def _group(page: RecordPage, spans: list[Span], origin: str) -> Iterator[Group]:
    text = page.text
    spans = [(start, end) for start, end in spans if text[end] > text[start]]
    if len(spans) >= 2:
        yield Group(spans, origin, len(spans))


def _siblings(page: RecordPage, children: list[int]) -> Iterator[Group]:
    """Children of one tag, of one tag and class, and all children."""
    end = page.end
    by_path: dict[int, list[int]] = defaultdict(list)
    by_kind: dict[int, list[int]] = defaultdict(list)
    elements = [child for child in children if page.is_element(child)]
    for child in elements:
        by_path[page.paths[child]].append(child)
        by_kind[page.kinds[child]].append(child)
    for same in (*by_path.values(), *by_kind.values()):
        if len(same) > 1:
            yield from _group(page, [(child, end[child]) for child in same], SIBLINGS)
    if len(by_path) > 1:
        yield from _group(page, [(child, end[child]) for child in elements], SIBLINGS)


def _divisions(page: RecordPage, children: list[int]) -> Iterator[Group]:
    """Records that span several children: one candidate per kind of child that may start or end each.

    The 2k divisions of the KDIR 2012 paper on nested lists (its section 3): every record starts, or every
    record ends, with a child of the same cluster. Clusters are the equal tag paths, with and without
    classes. What follows the last start (goes before the first end) is cut to the usual length, so that
    what stands below (above) the list is not taken in.
    """
    end, last = page.end, len(children)
    for column in (page.paths, page.kinds):
        places: dict[int, list[int]] = defaultdict(list)
        for place, child in enumerate(children):
            places[column[child]].append(place)
        if len(places) < 2:
            continue
        for at in places.values():
            if len(at) < 2:
                continue
            usual = Counter(b - a for a, b in zip(at, at[1:])).most_common(1)[0][0]
            if usual < 2:
                continue
            stops = [*at[1:], min(last, at[-1] + usual)]
            yield from _group(
                page, [(children[a], end[children[b - 1]]) for a, b in zip(at, stops)], DIVISION
            )
            starts = [max(0, at[0] - usual + 1), *(a + 1 for a in at[:-1])]
            yield from _group(page, [(children[a], end[children[b]]) for a, b in zip(starts, at)], DIVISION)


def _nested(page: RecordPage) -> Iterator[Group]:
    """Records that the parser nested in each other, because their tags are not closed.

    Elements of one tag most of which lie inside another of it: each record goes up to the start of the next.
    """
    starts_of: dict[str, list[int]] = defaultdict(list)
    stops_of: dict[str, list[int]] = defaultdict(list)
    outermost: dict[str, int] = {}
    nested: Counter[str] = Counter()
    for index in range(len(page)):
        if not page.is_element(index):
            continue
        tag = page.tag(index)
        if tag not in _OPEN_TAGS:
            continue
        if index < outermost.get(tag, 0):
            nested[tag] += 1
        else:
            outermost[tag] = page.end[index]
        starts_of[tag].append(index)
        stops_of[tag].append(outermost[tag])
    for tag, starts in starts_of.items():
        if len(starts) >= 3 and 3 * nested[tag] >= 2 * len(starts):
            stops = map(min, [*starts[1:], len(page)], stops_of[tag])
            yield from _group(page, list(zip(starts, stops)), NESTED)
