"""Candidate lists of records: spans of the sequence that may be the records of one data region.

Records of several siblings may be spread over several containers (columns, row groups, a ``dl`` per letter): the
periodicity of the tag path sequence continues across the borders of the containers. Every container starts like a
record, and has more than one such start. Rows of links to other pages of the list are not records.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues.words import PAGINATION_WORDS, label_words
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.records.divisions import STARTS, divisions_of, marks_records, usual_distance
from scrapy_tps.records.record_group import (
    DIVISION,
    LEAST_REPEATED,
    NESTED,
    PARALLEL,
    SIBLINGS,
    Group,
    with_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.records.record_page import RecordPage, Span
    from scrapy_tps.records.regions import Budget


#: Lists with less of the page's weighted text are not examined.
MIN_SHARE: Final = 0.03

_MOST: Final = 0.8
_PARTS: Final = 2
#: The least mean number of records in a container: a container of one is itself a record.
_IN_EACH: Final = 1.5
#: Layout columns are about as similar as their content, records are more similar than their parts.
_SIMILAR: Final = 0.7
_HARDLY_LESS: Final = 0.9

#: The number of this page and of all pages: "Page 1 of 20", "Seite 1 von 20".
_COUNT: Final = re.compile(r"[^\W\d]{1,12}\W? (\d{1,5}) ?(?:[^\W\d]{1,8}|/) ?(\d{1,5})")
_LONGEST_ROW: Final = 200  # characters of a row of page numbers
_LONGEST_NUMBER: Final = 5  # digits


def candidate_groups(page: RecordPage, budget: Budget | None = None) -> Iterator[Group]:
    """Yield the candidate lists of a page, each set of spans once.

    Once the budget is used up, only lists of single children and of elements nested in each other are looked for.

    Only nodes that hold `MIN_SHARE` of the page are searched: their number is bounded by depth / `MIN_SHARE`.
    """
    weight, end = page.weight, page.end
    least = MIN_SHARE * weight[-1]
    seen: set[tuple[int, int, int, int]] = set()
    tried: set[int] = set()  # tag paths of containers
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
        hurried = budget is not None and not budget.left()
        for group in _siblings(page, children) if hurried else _groups_among(page, tried, parent, children):
            # the spans of one parent follow from these four
            key = (group.spans[0][0], group.spans[0][1], group.spans[-1][1], len(group.spans))
            if key not in seen and group.totals.weight >= least:
                seen.add(key)
                yield group
    for group in _nested(page):
        if group.totals.weight >= least:
            yield group


def _groups_among(page: RecordPage, tried: set[int], parent: int, children: list[int]) -> Iterator[Group]:
    """The lists that the children of a node make up, those that go on in containers like it, then single children."""
    siblings = list(_siblings(page, children))
    for division in divisions_of(page, children, siblings):
        yield division
        if division.origin == DIVISION:
            siblings = [group for group in siblings if not _is_part(group, division)]
    for path in _containers_like(page, parent, children):
        if path in tried:
            continue
        tried.add(path)
        containers = page.places_of_path[path]
        if spans := _spans_across(page, containers):
            yield Group(page, spans, PARALLEL)
            layout = set(containers)
            siblings = [group for group in siblings if any(start not in layout for start, _ in group.spans)]
    yield from siblings


def without_wrappers(groups: list[Group]) -> list[Group]:
    """Return candidate lists without those whose records are hardly more than several records of one list across
    containers."""
    across = [group for group in groups if group.origin == PARALLEL]
    return [
        group
        for group in groups
        if group.origin != SIBLINGS or not any(_wraps(group, other) for other in across)
    ]


def _wraps(group: Group, across: Group) -> bool:
    """Whether each record of a list holds several records of another one, and little else."""
    starts = [start for start, _ in across.spans]
    several = all(bisect_left(starts, end) - bisect_left(starts, start) > 1 for start, end in group.spans)
    return several and across.totals.weight >= _MOST * group.totals.weight


def _group(page: RecordPage, spans: Iterable[Span], origin: str) -> Iterator[Group]:
    found = with_text(page, spans)
    if len(found) >= 2:
        yield Group(page, found, origin)


def _siblings(page: RecordPage, children: list[int]) -> Iterator[Group]:
    """Yield children of one tag, of one tag and class, and all children."""
    end, node_kinds = page.end, page.node_kinds
    elements = [child for child in children if node_kinds[child] == ELEMENT]
    if len(elements) < 2:
        return
    spans = [(child, end[child]) for child in elements]
    by_path: dict[int, list[Span]] = {}
    if len({page.kinds[child] for child in elements}) > 1:
        by_path = _by_number(spans, page.paths)
        of_kind: list[list[Span]] = []
        for same in by_path.values():
            if len(same) > 2 and not _share_class(page, same):
                of_kind += _by_number(same, page.kinds).values()
        for same in (*by_path.values(), *sorted(of_kind)):
            if len(same) > 1:
                yield from _group(page, same, SIBLINGS)
    if len(by_path) != 1:
        yield from _group(page, spans, SIBLINGS)


def _by_number(spans: list[Span], numbers: Sequence[int]) -> dict[int, list[Span]]:
    """Return the spans by the number of their first node."""
    found: dict[int, list[Span]] = defaultdict(list)
    for span in spans:
        found[numbers[span[0]]].append(span)
    return found


def _share_class(page: RecordPage, spans: list[Span]) -> bool:
    """Whether all have a class in common: their other classes are variations."""
    different = {page.signatures[start] for start, _ in spans}
    return bool(frozenset.intersection(*[page.class_names[signature] for signature in different]))


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
    for index in page.sequence.find(page.nested_tags):
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


def _containers_like(page: RecordPage, parent: int, children: Sequence[int]) -> list[int]:
    """Return the tag paths of a node and its children whose elements may be such containers, by counts alone.

    There are several such containers on the page, and clearly more elements like their first child. That child has a
    class, or a tag that starts a part.
    """
    places, paths, end = page.places_of_path, page.paths, page.end
    example = dict(zip(map(paths.__getitem__, children), children, strict=True))
    example[paths[parent]] = parent
    return [
        path
        for path, place in example.items()
        if end[place] - place > 2
        and (containers := len(places[path])) > 1
        and len(places[paths[place + 1]]) >= _IN_EACH * containers
        and page.is_element(place + 1)
        and (page.tag(place + 1) in STARTS or page.signature_class[page.signatures[place + 1]])
    ]


def _spans_across(page: RecordPage, containers: Sequence[int]) -> list[Span]:
    """Return the records that consist of siblings in several containers; none if there are no such records."""
    lists = [children for container in containers if (children := page.children(container))]
    if len(lists) < 2 or not page.is_element(lists[0][0]) or sum(map(len, lists)) < 2 * LEAST_REPEATED:
        return []
    spans = with_text(page, _marked_spans(page, lists))
    if len(spans) < LEAST_REPEATED:
        return []
    density = page.regularity(spans).density
    of_containers = page.regularity([(place, page.end[place]) for place in containers]).density
    return spans if density >= _SIMILAR and density >= _HARDLY_LESS * of_containers else []


def _marked_spans(page: RecordPage, lists: list[list[int]]) -> list[Span]:
    """Return the spans from each child that starts like the first children; none unless markup shows that they do."""
    firsts = [one[0] for one in lists]
    if len({page.paths[first] for first in firsts}) > 1:
        return []
    clusters = page.kinds if len({page.kinds[first] for first in firsts}) == 1 else page.paths
    wanted = clusters[firsts[0]]
    starts = [[place for place, child in enumerate(one) if clusters[child] == wanted] for one in lists]
    if sum(map(len, starts)) < max(LEAST_REPEATED, _IN_EACH * len(lists)):
        return []
    usual = usual_distance(starts)
    children = list(chain.from_iterable(lists))
    marks = [place for place, child in enumerate(children) if clusters[child] == wanted]
    if usual < 2 or not marks_records(page, children, marks):
        return []
    spans: list[Span] = []
    for one, at in zip(lists, starts, strict=True):
        stops = [*at[1:], min(len(one), at[-1] + usual)]
        spans += [(one[a], page.end[one[b - 1]]) for a, b in zip(at, stops, strict=True)]
    return spans


def without_pagination(group: Group) -> Group:
    """Return a list without the rows of links to its other pages above and below it.

    If other rows are similar, these rows are the records: scores with an arrow to more, chapters of a book.
    """
    page, spans = group.page, group.spans
    first = int(is_pagination(page, spans[0]))
    last = len(spans) - int(is_pagination(page, spans[-1]))
    inner = spans[first:last]
    if len(inner) == len(spans) or len(inner) < 2 or any(is_pagination(page, span) for span in inner):
        return group
    return replace(group, spans=inner)


def is_pagination(page: RecordPage, span: Span) -> bool:
    """Whether a part has only words such as "next", the number of this page, or page numbers.

    Page numbers are consecutive. Numbers and arrows alone are such a row if there are several numbers.
    """
    start, end = span
    if not 0 < page.text[end] - page.text[start] <= _LONGEST_ROW:
        return False
    words = list(map(label_words, page.strings(start, end)))
    if PAGINATION_WORDS.isdisjoint(words):
        return False
    others = [said for said in words if said and said not in PAGINATION_WORDS]
    numbers = [int(said) for said in others if said.isdecimal() and len(said) <= _LONGEST_NUMBER]
    counted = [said for said in others if _COUNT.fullmatch(said)]
    follow = any(number + 1 in numbers for number in numbers)
    told = follow if numbers else any(map(str.isalpha, "".join(words)))
    return told and len(numbers) + len(counted) == len(others)
