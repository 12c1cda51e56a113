"""Fields of records that always repeat an earlier field of the same record: sides of a card, hidden copies.

A result list may hold every title twice, once for each side of a card, or every address twice, for narrow and
wide screens. Where a field repeats an earlier one in *every* record that has it, while its text changes from
record to record, it is a copy that the template makes and says nothing new. One record alone can't tell: two
equal prices in it may be two facts.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.masks import masked
from scrapy_tps.engine.strategies.auto.sums import running_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RepeatedFields

#: The node of a field in each record that has it, by the record's number.
_Field = dict[int, int]


def repeated_fields(page: Page, limits: RepeatedFields) -> list[Removal]:
    """Remove every field of protected records that repeats an earlier one, in all of them."""
    nodes: list[int] = []
    texts = _Texts(page, limits)
    for start, end, _ in page.records:
        records = _items(page, start, end)
        if len(records) >= limits.records:
            nodes += texts.repeated(_fields(page, records, limits))
    reason = "says in every record what an earlier part of the same record says"
    found: list[Removal] = []
    after = 0
    for index in sorted(nodes):
        if page.alive[index] and index >= after:
            after = page.end[index]
            found.append((index, after, "repeated", reason))
    return found


def _items(page: Page, start: int, end: int) -> list[int]:
    """The nodes of a record group that are made like its first one."""
    items = []
    index = start
    while index < end:
        if page.tags[index] == page.tags[start]:
            items.append(index)
        index = page.end[index]
    return items


def _fields(page: Page, records: Sequence[int], limits: RepeatedFields) -> list[_Field]:
    """The elements that occur at most once in each record, by tag path and class, in document order."""
    sequence = page.sequence
    classes, symbols = sequence.symbol_class, sequence.symbols
    tags, is_text, end = page.tags, page.is_text, page.end
    fields: defaultdict[tuple[int, str | None], _Field] = defaultdict(dict)
    several = set()
    for number, record in enumerate(records):
        for index in range(record + 1, end[record]):
            if is_text[index]:
                continue
            key = (tags[index], classes[symbols[index]])
            if fields[key].setdefault(number, index) != index:
                several.add(key)
    text_before = page.text_before
    return [
        field
        for key, field in fields.items()
        if key not in several
        and len(field) >= limits.records
        and sum(text_before[end[index]] - text_before[index] for index in field.values())
        >= limits.characters * len(field)
    ]


class _Texts:
    def __init__(self, page: Page, limits: RepeatedFields) -> None:
        self.page, self.limits = page, limits
        self.linked_before = running_sums(page.text_length, masked(page.alive, page.in_link))
        self.budget = limits.reads_per_node * page.size

    def repeated(self, fields: Sequence[_Field]) -> list[int]:
        """The nodes of the fields that repeat an earlier one."""
        page = self.page
        end, text_before = page.end, page.text_before
        of_size: defaultdict[tuple[int, float], list[_Field]] = defaultdict(list)
        for field in fields:
            for number, index in field.items():
                same = of_size[number, text_before[end[index]] - text_before[index]]
                if len(same) < self.limits.candidates:
                    same.append(field)
        found: list[int] = []
        for field in fields:
            number, index = next(iter(field.items()))
            for earlier in of_size[number, text_before[end[index]] - text_before[index]]:
                if self.budget < 0:
                    return found
                if earlier is not field and self._repeats(field, earlier):
                    found += field.values()
                    break
        return found

    def _repeats(self, field: _Field, earlier: _Field) -> bool:
        page, linked_before = self.page, self.linked_before
        end, text_before = page.end, page.text_before
        pairs = []
        for number, index in field.items():
            first = earlier.get(number, -1)
            if (
                first < 0
                or end[first] > index
                or text_before[end[first]] - text_before[first]
                != text_before[end[index]] - text_before[index]
                or linked_before[end[first]] - linked_before[first]
                < linked_before[end[index]] - linked_before[index]
            ):
                return False
            pairs.append((first, index))
        different = set()
        for first, index in pairs:
            text = self._read(index)
            if text != self._read(first):
                return False
            different.add(text)
        return len(different) > 1

    def _read(self, index: int) -> str:
        """The text of what is alive below a node, without white space."""
        page = self.page
        self.budget -= page.end[index] - index
        texts = [
            page.sequence.text_of(place)
            for place in range(index, page.end[index])
            if page.is_text[place] and page.alive[place]
        ]
        return "".join("".join(texts).split())
