"""Fields of records that always repeat an earlier field of the same record: sides of a card, hidden copies.

A result list may hold every title twice, once for each side of a card, or every address twice, for narrow and
wide screens. Where a field repeats an earlier one in *every* record that has it, while its text changes from
record to record, it is a copy that the template makes and says nothing new. One record alone can't tell: two
equal prices in it may be two facts.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from scrapy_tps.strategies.masks import masked
from scrapy_tps.strategies.workspace import running_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.strategies.workspace import Workspace

#: Records that must have a field for it to be compared.
LEAST_RECORDS: Final = 3
#: Mean characters of a field: numbers, dates and labels are equal by chance.
LEAST_CHARS: Final = 12
#: Earlier fields of the same size that a field is compared with.
_CANDIDATES: Final = 8
#: Text nodes read per node of the page before the search stops.
READS_PER_NODE: Final = 8

#: The node of a field in each record that has it, by the record's number.
_Field = dict[int, int]


def remove_repeated_fields(page: Workspace) -> None:
    """Remove every field of protected records that repeats an earlier one, in all of them."""
    found: list[int] = []
    texts = _Texts(page)
    for start, end, _ in page.records:
        records = _items(page, start, end)
        if len(records) >= LEAST_RECORDS:
            found += texts.repeated(_fields(page, records))
    reason = "says in every record what an earlier part of the same record says"
    for index in sorted(found):
        if page.alive[index]:
            page.remove(index, page.end[index], "repeated", reason)
    if found:
        page.measure()


def _items(page: Workspace, start: int, end: int) -> list[int]:
    """The nodes of a record group that are made like its first one."""
    items = []
    index = start
    while index < end:
        if page.tags[index] == page.tags[start]:
            items.append(index)
        index = page.end[index]
    return items


def _fields(page: Workspace, records: Sequence[int]) -> list[_Field]:
    """The elements that occur at most once in each record, by tag path and class, in document order."""
    sequence = page.sequence
    classes, symbols, tags, text, end = (
        sequence.symbol_class,
        sequence.symbols,
        page.tags,
        page.text,
        page.end,
    )
    fields: defaultdict[tuple[int, str | None], _Field] = defaultdict(dict)
    several = set()
    for number, record in enumerate(records):
        for index in range(record + 1, end[record]):
            if text[index]:
                continue
            key = (tags[index], classes[symbols[index]])
            if fields[key].setdefault(number, index) != index:
                several.add(key)
    chars = page.texts
    return [
        field
        for key, field in fields.items()
        if key not in several
        and len(field) >= LEAST_RECORDS
        and sum(chars[end[index]] - chars[index] for index in field.values()) >= LEAST_CHARS * len(field)
    ]


class _Texts:
    def __init__(self, page: Workspace) -> None:
        self.page = page
        self.linked = running_sums(page.sizes, masked(page.alive, page.linked))
        self.budget = READS_PER_NODE * page.size

    def repeated(self, fields: Sequence[_Field]) -> list[int]:
        """The nodes of the fields that repeat an earlier one."""
        page = self.page
        end, chars = page.end, page.texts
        of_size: defaultdict[tuple[int, float], list[_Field]] = defaultdict(list)
        for field in fields:
            for number, index in field.items():
                same = of_size[number, chars[end[index]] - chars[index]]
                if len(same) < _CANDIDATES:
                    same.append(field)
        found: list[int] = []
        for field in fields:
            number, index = next(iter(field.items()))
            for earlier in of_size[number, chars[end[index]] - chars[index]]:
                if self.budget < 0:
                    return found
                if earlier is not field and self._repeats(field, earlier):
                    found += field.values()
                    break
        return found

    def _repeats(self, field: _Field, earlier: _Field) -> bool:
        page, linked = self.page, self.linked
        end, chars = page.end, page.texts
        pairs = []
        for number, index in field.items():
            first = earlier.get(number, -1)
            if (
                first < 0
                or end[first] > index
                or chars[end[first]] - chars[first] != chars[end[index]] - chars[index]
                or linked[end[first]] - linked[first] < linked[end[index]] - linked[index]
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
            if page.text[place] and page.alive[place]
        ]
        return "".join("".join(texts).split())
