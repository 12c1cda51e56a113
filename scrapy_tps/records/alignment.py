"""Alignment of the cells of records into columns.

Records are aligned one after the other to a growing list of columns, which starts as the record with the most cells, as
in the partial tree alignment of DEPTA (Zhai & Liu, WWW 2005). The cells of records are treated as strings, as in the
KDIR 2012 paper on nested lists (section 3, stage 3; there with a fixed centre star).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.records.cells import Cell


#: The most entries, including empty ones, in the table of a region.
MAX_CELLS: Final = 1_000_000
_START: Final = -1  # stands before the first column


def align(records: Sequence[Sequence[Cell]]) -> list[list[Cell | None]]:
    """Return the columns of records, each with a cell for every record or None.

    Cells are in one column if they have the same key, and as many cells with it before them in their records. A cell
    without such a column gets the one behind that of the cell before, if that has its tags and the record no cell for
    it, otherwise a new one there.

    There are at most `MAX_CELLS` entries in total: if records have little in common, cells that would need more columns
    are omitted; those of the record with the most cells always have one.
    """
    columns: list[list[Cell | None]] = []
    tags: list[int] = []  # of the first cell of each column
    column_of: dict[tuple[int, int], int] = {}
    behind = {_START: _START}  # the next column of each
    most = MAX_CELLS // max(1, len(records))
    # the record with the most cells first; ties in document order
    for record in sorted(range(len(records)), key=lambda place: -len(records[place])):
        numbered = _numbered([cell.key for cell in records[record]])
        own = {column_of.get(key, _START) for key in numbered}
        room = most if columns else len(numbered)
        taken = {_START}
        before = _START
        for cell, key in zip(records[record], numbered, strict=True):
            column = column_of.get(key, _START)
            if column in taken:
                column = behind[before]
                if column in taken or column in own or tags[column] != cell.tag_key:
                    if len(columns) >= room:
                        continue
                    column = len(columns)
                    columns.append([None] * len(records))
                    tags.append(cell.tag_key)
                    behind[before], behind[column] = column, behind[before]
                column_of.setdefault(key, column)
            taken.add(column)
            columns[column][record] = cell
            before = column
    found = []
    column = behind[_START]
    while column != _START:
        found.append(columns[column])
        column = behind[column]
    return found


def _numbered(keys: Sequence[int]) -> list[tuple[int, int]]:
    """Return each key with the number of equal ones before it."""
    seen: Counter[int] = Counter()
    numbered = []
    for key in keys:
        numbered.append((key, seen[key]))
        seen[key] += 1
    return numbered
