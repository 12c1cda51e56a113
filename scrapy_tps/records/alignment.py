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


def align(records: Sequence[Sequence[Cell]]) -> list[list[Cell | None]]:
    """Return the columns of records, each with a cell for every record or None.

    Cells are in one column if they have the same key, and as many cells with it before them in their records. A new
    column stands behind that of the cell before.

    There are at most `MAX_CELLS` entries in total: if records have little in common, cells that would need more columns
    are omitted; those of the record with the most cells always have one.
    """
    columns: dict[tuple[int, int], list[Cell | None]] = {}
    behind: dict[tuple[int, int] | None, tuple[int, int] | None] = {None: None}
    most = MAX_CELLS // max(1, len(records))
    # the record with the most cells first; ties in document order
    for record in sorted(range(len(records)), key=lambda place: -len(records[place])):
        cells = records[record]
        room = most if columns else len(cells)
        before = None
        seen: Counter[int] = Counter()
        for cell in cells:
            key = cell.key, seen[cell.key]
            seen[cell.key] += 1
            if key not in columns:
                if len(columns) >= room:
                    continue
                columns[key] = [None] * len(records)
                behind[before], behind[key] = key, behind[before]
            columns[key][record] = cell
            before = key
    found = []
    following = behind[None]
    while following is not None:
        found.append(columns[following])
        following = behind[following]
    return found
