"""From aligned cells to the columns of a region: order, types and names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from scrapy_tps.records.alignment import align
from scrapy_tps.records.labels import is_rating, label_before, label_within, name_of_label
from scrapy_tps.records.model import Column
from scrapy_tps.records.names import LEVELS, header_names, name_from_classes, name_from_tags, slug, unique

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.records.across import Span
    from scrapy_tps.records.budget import Budget
    from scrapy_tps.records.cells import Cell, CellReader
    from scrapy_tps.records.page import RecordPage
    from scrapy_tps.records.types import TypeRecogniser

#: What names of columns that head a record have in them, and the elements that such texts stand in.
_TITLES: Final = ("title", "name", "head", "subject")
_STRESSED: Final = frozenset({"a", "b", "strong"})
#: Cells of a column that its name is taken from.
_NAMED_BY: Final = 200


@dataclass(slots=True)
class Table:
    """The columns of a region and, for each record, its cell in each column or None."""

    columns: list[Column]
    rows: list[list[Cell | None]]


def table_of(
    page: RecordPage,
    reader: CellReader,
    types: TypeRecogniser,
    spans: Sequence[Span],
    records: Sequence[Sequence[Cell]],
    *,
    budget: Budget | None = None,
) -> Table:
    """Align the cells of records and name and type the columns: texts first, then links and images.

    Columns of links and images that repeat an earlier column are left out.

    :param budget: see :func:`~scrapy_tps.records.alignment.align`.
    """
    aligned, rows = align(records, budget)
    attributes = [reader.keys[column.key][1] for column in aligned]
    order = sorted(range(len(aligned)), key=lambda place: attributes[place] is not None)
    seen: set[tuple[str | None, ...]] = set()
    chosen = []
    for place in order:
        values = tuple([cell.value if (cell := row[place]) is not None else None for row in rows])
        if attributes[place] is not None:
            if values in seen:
                continue
            seen.add(values)
        chosen.append((place, values))
    rows = [[row[place] for place, _ in chosen] for row in rows]
    naming = _Naming(page, spans, rows)
    columns = []
    for place, (which, values) in enumerate(chosen):
        keys = aligned[which].keys
        path, attribute = reader.keys[max(keys, key=keys.__getitem__)]
        kind = types.type_of(values, attribute)
        columns.append(Column(naming.name(place, path, kind, attribute), kind, path, attribute))
    _name_heading(columns, rows)
    for column, name in zip(columns, unique(column.name for column in columns), strict=True):
        column.name = name
    return Table(columns, rows)


def _name_heading(columns: list[Column], rows: list[list[Cell | None]]) -> None:
    """Call the first text that is a link or stressed and differs from record to record a title, where nothing is."""
    if any(word in column.name for column in columns for word in _TITLES):
        return
    for place, column in enumerate(columns):
        if (column.name, column.type) != ("text", "text") or not any(
            tag in _STRESSED for tag, _ in column.path
        ):
            continue
        values = [cell.value for row in rows if (cell := row[place]) is not None]
        if 2 * len(values) >= len(rows) and 2 * len(set(values)) > len(values):
            column.name = "title"
            return


class _Naming:
    """Names the columns of one region."""

    def __init__(self, page: RecordPage, spans: Sequence[Span], rows: list[list[Cell | None]]) -> None:
        self._page = page
        self._spans = spans
        self._rows = rows
        first = spans[0][0] if spans else 0
        self._is_row = bool(spans) and page.tag(first) == "tr" and page.end[first] == spans[0][1]
        self._header = header_names(page.nodes[first]) if self._is_row else []

    def name(self, place: int, path: tuple[tuple[str, str], ...], kind: str, attribute: str | None) -> str:
        sample = self._sample(place)
        suffix = "" if attribute is None else f"_{kind}"
        name = self._from_header(sample) or self._from_itemprop(sample) or name_from_classes(path)
        if name:
            return name if name.endswith(kind) else f"{name}{suffix}"
        if attribute is None:
            name = self._from_text(place, [cell.value for _, cell in sample])
        return name or name_from_tags(path, kind, attribute)

    def _from_text(self, place: int, values: list[str]) -> str:
        """The name that a label gives, in the cells or in those before them, or their form."""
        name = name_of_label(values) or label_within(values)
        if not name and place:
            pairs = (
                (before.value, cell.value)
                for row in self._rows
                if (before := row[place - 1]) is not None and (cell := row[place]) is not None
            )
            name = label_before(list(islice(pairs, _NAMED_BY)))
        return name or ("rating" if is_rating(values) else "")

    def _from_itemprop(self, sample: list[tuple[int, Cell]]) -> str:
        """The ``itemprop`` that most of the cells have, on the cell or on an element around it, not above its record.

        ``url`` and ``image`` are ignored: they only say what the type of the column says already.
        """
        itemprops, parent = self._page.itemprops, self._page.parent
        if not itemprops:
            return ""
        found: Counter[str] = Counter()
        for start, cell in sample:
            place = cell.place
            for _ in range(LEVELS):
                prop = itemprops.get(place)
                if prop:
                    found[prop] += 1
                if prop or place in (start, 0):
                    break
                place = parent[place]
        if not found:
            return ""
        prop, count = found.most_common(1)[0]
        return slug(prop) if 2 * count > len(sample) else ""

    def _sample(self, place: int) -> list[tuple[int, Cell]]:
        """The first cells of a column, each with the start of its record."""
        cells = [
            (start, cell)
            for (start, _), row in zip(self._spans, self._rows, strict=True)
            if (cell := row[place]) is not None
        ]
        return cells[:_NAMED_BY]

    def _from_header(self, sample: list[tuple[int, Cell]]) -> str:
        if not self._header:
            return ""
        positions = Counter(_position(self._page, start, cell.place) for start, cell in sample)
        position = positions.most_common(1)[0][0] if positions else -1
        return self._header[position] if 0 <= position < len(self._header) else ""


def _position(page: RecordPage, row: int, place: int) -> int:
    """Number of the row's cell that holds a node, ``colspan`` counted; -1 for the row itself."""
    child, stop, position = row + 1, page.end[row], 0
    while child < stop:
        if child <= place < page.end[child]:
            return position
        if page.is_element(child):
            width = page.sequence.value_of(child, "colspan") or "1"
            position += min(int(width), 50) if width.isdecimal() else 1
        child = page.end[child]
    return -1
