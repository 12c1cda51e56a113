"""Alignment of the cells of records into the named columns of one table.

Records are aligned one after the other to a growing list of columns, which starts as the record with the most cells, as
in the partial tree alignment of DEPTA (Zhai & Liu, WWW 2005). The cells of records are treated as strings, as in the
KDIR 2012 paper on nested lists (section 3, stage 3; there with a fixed centre star).
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.native import compiled
from scrapy_tps.records.names import (
    LEVELS,
    column_label,
    header_names,
    is_rating,
    label_within,
    name_from_classes,
    name_from_tags,
    slug,
    unique,
)
from scrapy_tps.records.regions import Column
from scrapy_tps.records.roles import give_roles, tells_records_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_tps.records.cells import Cell, CellReader, TypeRecogniser
    from scrapy_tps.records.record_page import RecordPage, Span
    from scrapy_tps.records.regions import Budget


_SAME_KEY: Final = 3.0
_SAME_ROLE: Final = 2.0
_SAME_TAGS: Final = 1.0
#: Above this product of cells and columns, cells are paired in order, key by key: the table would be too large.
_MAX_TABLE: Final = 40_000
#: Records aligned between two checks of the clock.
_BETWEEN_LOOKS: Final = 64
#: The most entries, including empty ones, in the table of a region.
MAX_CELLS: Final = 1_000_000


#: A growing column: how often each key occurs in it, that of its first cell first.
AlignedColumn: TypeAlias = "dict[int, int]"


def align(
    records: Sequence[Sequence[Cell]], budget: Budget | None = None
) -> tuple[list[AlignedColumn], list[list[Cell | None]]]:
    """Return the columns and, for each record in the order given, its cell in each column or None.

    There are at most `MAX_CELLS` entries in total: if records have little in common, cells that would need more columns
    are omitted.

    :param budget: once it is used up, the cells of the remaining records are paired with columns key by key, in order;
        none is lost.
    """
    alignment = _Alignment(most=max(1, MAX_CELLS // max(1, len(records))))
    placed: list[dict[int, Cell]] = [{} for _ in records]  # id of column to cell
    # the record with the most cells first; ties in document order
    for count, index in enumerate(sorted(range(len(records)), key=lambda i: -len(records[i]))):
        if budget is not None and count % _BETWEEN_LOOKS == 0 and not budget.left():
            alignment.key_by_key = True
        alignment.place(records[index], placed[index])
    columns = alignment.columns
    return columns, [[cells.get(id(column)) for column in columns] for cells in placed]


class _Alignment:
    """The growing list of columns.

    :ivar key_by_key: whether cells are only paired key by key from now on, which costs no more than reading them.
    :param most: the most columns; those of the first record are always included.
    """

    def __init__(self, most: int) -> None:
        self.columns: list[AlignedColumn] = []
        self.key_by_key = False
        self._most = most
        self._owners: dict[int, list[AlignedColumn]] = {}  # the columns in which a key occurs
        self._roles: dict[int, list[AlignedColumn]] = {}  # the columns that started with a role
        self._tags: dict[int, list[AlignedColumn]] = {}  # the columns that started with a tag key
        self._known: dict[tuple[int, ...], list[AlignedColumn | None]] = {}

    def place(self, cells: Sequence[Cell], placed: dict[int, Cell]) -> None:
        """Put the cells of a record into columns, with new columns at their place."""
        keys = tuple([cell.key for cell in cells])
        pairs = self._known.get(keys) or self._pair(cells)
        if len(set(keys)) == len(keys) and None not in pairs:
            self._known[keys] = pairs  # records with the same distinct keys have the same columns
        before: AlignedColumn | None = None
        new: dict[int | None, list[AlignedColumn]] = {}  # by the column before them
        room = self._most - len(self.columns) if self.columns else len(cells)
        for cell, pair in zip(cells, pairs, strict=True):
            column = pair
            if column is None:
                if room <= 0:
                    continue
                room -= 1
                column = {}
                self._tags.setdefault(cell.tag_key, []).append(column)
                self._roles.setdefault(cell.role, []).append(column)
                new.setdefault(None if before is None else id(before), []).append(column)
            else:
                before = column
            if cell.key not in column:
                self._owners.setdefault(cell.key, []).append(column)
            column[cell.key] = column.get(cell.key, 0) + 1
            placed[id(column)] = cell
        if new:
            grown = new.get(None, [])
            for column in self.columns:
                grown.append(column)
                grown.extend(new.get(id(column), ()))
            self.columns = grown

    def _pair(self, cells: Sequence[Cell]) -> list[AlignedColumn | None]:
        """Return the column of each cell: first by unique keys, the others by weighted alignment."""
        pairs: list[AlignedColumn | None] = [None] * len(cells)
        in_record = Counter([cell.key for cell in cells])
        taken: set[int] = set()
        for place, cell in enumerate(cells):
            owner = self._owners.get(cell.key, ())
            if len(owner) == 1 and in_record[cell.key] == 1 and id(owner[0]) not in taken:
                pairs[place] = owner[0]
                taken.add(id(owner[0]))
        open_cells = [place for place, column in enumerate(pairs) if column is None]
        open_columns = [column for column in self.columns if id(column) not in taken] if open_cells else []
        if open_columns:
            if self.key_by_key or len(open_cells) * len(open_columns) > _MAX_TABLE:
                _pair_in_order(cells, open_cells, open_columns, pairs)
            else:
                similarities = self._similarities([cells[place] for place in open_cells], open_columns)
                for row, column in _align(similarities):
                    pairs[open_cells[row]] = open_columns[column]
        return pairs

    def _similarities(self, cells: Sequence[Cell], columns: Sequence[AlignedColumn]) -> list[list[float]]:
        """Return a row for each cell: its similarity to each column, 0 if it can't belong to it."""
        places = {id(column): at for at, column in enumerate(columns)}
        cached: dict[tuple[int, int, int], list[float]] = {}
        rows = []
        for cell in cells:
            like = (cell.key, cell.role, cell.tag_key)
            row = cached.get(like)
            if row is None:
                row = cached[like] = [0.0] * len(columns)
                for similarity, suiting in (
                    (_SAME_TAGS, self._tags.get(cell.tag_key, ())),
                    (_SAME_ROLE, self._roles.get(cell.role, ()) if cell.role >= 0 else ()),
                    (_SAME_KEY, self._owners.get(cell.key, ())),
                ):
                    for column in suiting:
                        at = places.get(id(column))
                        if at is not None:
                            row[at] = similarity
            rows.append(row)
        return rows


def _pair_in_order(
    cells: Sequence[Cell], places: list[int], columns: list[AlignedColumn], pairs: list[AlignedColumn | None]
) -> None:
    waiting: dict[int, list[AlignedColumn]] = {}
    for column in reversed(columns):
        waiting.setdefault(next(iter(column)), []).append(column)
    for place in places:
        queue = waiting.get(cells[place].key)
        if queue:
            pairs[place] = queue.pop()


_align: Callable[[Sequence[Sequence[float]]], list[tuple[int, int]]] = compiled(groups.pair_up)


#: The number of cells from which a column gets its name.
_NAMED_BY: Final = 200


def table_of(
    page: RecordPage,
    reader: CellReader,
    types: TypeRecogniser,
    spans: Sequence[Span],
    records: Sequence[Sequence[Cell]],
    *,
    budget: Budget | None = None,
) -> tuple[list[Column], list[list[Cell | None]]]:
    """Return the columns of records, and for each record its cell in each column or None.

    The cells are aligned, the columns named and typed: texts first, then links and images. Columns that repeat an
    earlier one are omitted, and texts and signs that are the same in all records; a label among these names the column
    after it.

    :param budget: see :func:`~scrapy_tps.records.alignment.align`.
    """
    aligned, rows = align(records, budget)
    attributes = [reader.keys[next(iter(keys))][1] for keys in aligned]
    order = sorted(range(len(aligned)), key=lambda place: attributes[place] is not None)
    seen: set[tuple[str | None, ...]] = set()
    chosen = []
    for place in order:
        values = tuple([cell.value if (cell := row[place]) is not None else None for row in rows])
        if values in seen:
            continue
        seen.add(values)
        chosen.append((place, values))
    rows = [[row[place] for place, _ in chosen] for row in rows]
    naming = _Naming(page, spans, rows)
    columns = []
    for place, (which, values) in enumerate(chosen):
        keys = aligned[which]
        path, attribute = reader.keys[max(keys, key=keys.__getitem__)]
        kind = types.type_of(values, attribute)
        columns.append(Column(naming.name(place, path, kind, attribute), kind, path, attribute))
    telling = [place for place, (_, values) in enumerate(chosen) if tells_records_apart(values)] or range(
        len(chosen)
    )
    columns = [columns[place] for place in telling]
    rows = [[row[place] for place in telling] for row in rows]
    give_roles(columns, rows)
    for column in columns:
        if column.role and column.name == column.type:
            column.name = column.role
    named = [column for column in columns if column.role is None]
    taken = [column.key for column in columns if column.role]
    for column, name in zip(
        named, unique([*taken, *(column.name for column in named)])[len(taken) :], strict=True
    ):
        column.name = name
    return columns, rows


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
        """Return the name from a label, in the cells or in those before them, or from their form."""
        label = column_label(values)
        name = f"{label}_label" if label else label_within(values)
        if not name and place:
            befores = (
                before.value
                for row in self._rows
                if (before := row[place - 1]) is not None and row[place] is not None
            )
            name = column_label(islice(befores, _NAMED_BY))
        return name or ("rating" if is_rating(values) else "")

    def _from_itemprop(self, sample: list[tuple[int, Cell]]) -> str:
        """Return the ``itemprop`` of most cells, on the cell or on an element around it, within its record.

        ``url`` and ``image`` are ignored, because the type of the column has the same information.
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
        """Return the first cells of a column, each with the start of its record."""
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
    """Return the number of the row's cell that holds a node, counting ``colspan``; -1 for the row itself."""
    position = 0
    for child in page.children(row):
        if child <= place < page.end[child]:
            return position
        if page.is_element(child):
            width = page.sequence.value_of(child, "colspan") or "1"
            position += min(int(width), 50) if width.isdecimal() else 1
    return -1
