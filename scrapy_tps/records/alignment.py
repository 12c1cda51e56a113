"""Alignment of the cells of records into columns.

Records are aligned one after the other to a growing list of columns, which starts as the record with the most cells, as
in the partial tree alignment of DEPTA (Zhai & Liu, WWW 2005). The cells of records are treated as strings, as in the
KDIR 2012 paper on nested lists (section 3, stage 3; there with a fixed centre star).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.native import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_tps.records.cells import Cell
    from scrapy_tps.records.regions import Budget


_SAME_KEY: Final = 2.0
_SAME_TAGS: Final = 1.0
#: Above this product of cells and columns, cells are paired in order, key by key: the table would be too large.
_MAX_TABLE: Final = 40_000
#: Records aligned between two checks of the clock.
_BETWEEN_LOOKS: Final = 64
#: The most entries, including empty ones, in the table of a region.
MAX_CELLS: Final = 1_000_000


@dataclass(slots=True, eq=False)
class AlignedColumn:
    """A growing column.

    :ivar cells: one for each record in the order given, None where it has none.
    :ivar keys: how often each key occurs in it, that of its first cell first.
    """

    cells: list[Cell | None]
    keys: dict[int, int] = field(default_factory=dict)


def align(records: Sequence[Sequence[Cell]], budget: Budget | None = None) -> list[AlignedColumn]:
    """Return the columns of records.

    There are at most `MAX_CELLS` entries in total: if records have little in common, cells that would need more columns
    are omitted.

    :param budget: once it is used up, the cells of the remaining records are paired with columns key by key, in order;
        none is lost.
    """
    alignment = _Alignment(len(records))
    # the record with the most cells first; ties in document order
    for count, index in enumerate(sorted(range(len(records)), key=lambda i: -len(records[i]))):
        if budget is not None and count % _BETWEEN_LOOKS == 0 and not budget.left():
            alignment.key_by_key = True
        alignment.place(records[index], index)
    return alignment.columns


class _Alignment:
    """The growing list of columns.

    :ivar key_by_key: whether cells are only paired key by key from now on, which costs no more than reading them.
    :param records: their number. The columns of the first one are always included.
    """

    def __init__(self, records: int) -> None:
        self.columns: list[AlignedColumn] = []
        self.key_by_key = False
        self._records = records
        self._most = max(1, MAX_CELLS // max(1, records))
        self._owners: dict[int, list[AlignedColumn]] = {}  # the columns in which a key occurs
        self._tags: dict[int, list[AlignedColumn]] = {}  # the columns that started with a tag key
        self._known: dict[tuple[int, ...], list[AlignedColumn | None]] = {}

    def place(self, cells: Sequence[Cell], record: int) -> None:
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
                column = AlignedColumn([None] * self._records)
                self._tags.setdefault(cell.tag_key, []).append(column)
                new.setdefault(None if before is None else id(before), []).append(column)
            else:
                before = column
            if cell.key not in column.keys:
                self._owners.setdefault(cell.key, []).append(column)
            column.keys[cell.key] = column.keys.get(cell.key, 0) + 1
            column.cells[record] = cell
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
        cached: dict[tuple[int, int], list[float]] = {}
        rows = []
        for cell in cells:
            like = (cell.key, cell.tag_key)
            row = cached.get(like)
            if row is None:
                row = cached[like] = [0.0] * len(columns)
                for similarity, suiting in (
                    (_SAME_TAGS, self._tags.get(cell.tag_key, ())),
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
        waiting.setdefault(next(iter(column.keys)), []).append(column)
    for place in places:
        queue = waiting.get(cells[place].key)
        if queue:
            pairs[place] = queue.pop()


_align: Callable[[Sequence[Sequence[float]]], list[tuple[int, int]]] = compiled(groups.pair_up)
