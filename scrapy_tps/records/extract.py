"""From a page to its data regions: the way through the modules of this package."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.document import decode, parse
from scrapy_tps.records import ranking
from scrapy_tps.records.alignment import align
from scrapy_tps.records.budget import Budget
from scrapy_tps.records.cells import CellReader
from scrapy_tps.records.groups import candidate_groups
from scrapy_tps.records.model import Column, DataRecord, DataRegion, DataRegions
from scrapy_tps.records.page import RecordPage
from scrapy_tps.records.sublists import find_sublists
from scrapy_tps.records.variants import variants_of
from scrapy_tps.sequence import TagPathSequence, walk, xpath

if TYPE_CHECKING:
    from scrapy_tps.records.groups import Group

#: Candidate lists that are looked at closely, the most promising first.
MAX_CANDIDATES: Final = 40
MAX_REGIONS: Final = 12


def extract_records(
    body: bytes | str,
    *,
    url: str | None = None,
    encoding: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> DataRegions:
    document = parse(decode(body, encoding), url)
    if document.body is None:
        return DataRegions()
    return records_of(walk(document.body), timeout=5.0)


def records_of(sequence: TagPathSequence, *, timeout: float | None = None, min_confidence: float = 0.0) -> DataRegions:
    budget = Budget(timeout)
    page = RecordPage(sequence)
    regions = DataRegions()
    reader = CellReader(page)
    for group, confidence in _ranked(page, budget):
        regions.append(_region(page, reader, group, confidence))
        if not budget.left() or len(regions) == MAX_REGIONS:
            break
    regions.complete = not budget.exceeded
    return regions


def _ranked(page: RecordPage, budget: Budget) -> list[tuple[Group, float]]:
    promising = sorted(candidate_groups(page), key=lambda group: -ranking.promise(page, group))
    scored = []
    for group in promising[:MAX_CANDIDATES]:
        for variant in variants_of(page, group):
            scored.append((ranking.score(page, variant), variant.group))
        if not budget.left():
            break
    scored.sort(key=lambda entry: -entry[0])
    chosen: list[tuple[Group, float]] = []
    taken = bytearray(len(page))
    for score, group in scored:
        if any(1 in taken[start:end] for start, end in group.spans):
            continue
        for start, end in group.spans:
            taken[start:end] = b"\x01" * (end - start)
        chosen.append((group, ranking.confidence(score)))
    return chosen


def _region(page: RecordPage, reader: CellReader, group: Group, confidence: float) -> DataRegion:
    sublists = find_sublists(page, reader, group.spans)
    joined: dict[int, str] = {}
    for sublist in sublists:
        for items in sublist.items:
            if items:
                joined[items[0][0]] = ", ".join(" ".join(page.strings(*item)) for item in items)
                joined.update((start, "") for start, _ in items[1:])
    cells = [reader.cells(span, joined) for span in group.spans]
    columns, rows = align(cells)
    order = sorted(range(len(columns)), key=lambda place: reader.keys[columns[place].key][1] is not None)
    columns = [columns[place] for place in order]
    rows = [[row[place] for place in order] for row in rows]
    records = []
    for (start, end), row in zip(group.spans, rows):
        nodes = []
        place = start
        while place < end:
            if page.is_element(place):
                nodes.append(page.sequence.nodes[place])
            place = page.end[place]
        records.append(DataRecord(" ".join(page.strings(start, end)), [c.value if c else None for c in row], nodes))
    above, last = page.parent[group.spans[0][0]], group.spans[-1][1]
    while page.end[above] < last:
        above = page.parent[above]
    return DataRegion(records, [Column(str(i), "text") for i, c in enumerate(columns)], confidence, xpath(page.sequence, above))
