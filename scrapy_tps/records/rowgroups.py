"""Records whose parts lie under different parents: a row of pictures, below it a row of titles, then one of prices.

MDR (Liu, Grossman & Zhai, KDD 2003, section 3.3) calls them non-contiguous data records. Here a list of cells is found
first, like any list; if its rows recur at equal distances, the rows between them hold the other parts of the records.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.records.across import Span
    from scrapy_tps.records.page import RecordPage

#: Rows that hold records, from which a rhythm can be told.
_LEAST_ROWS: Final = 2
#: Rows of one record at most: more are a table with headings between.
_MOST_ROWS: Final = 8


def parts_of(page: RecordPage, spans: Sequence[Span]) -> list[list[Span]] | None:
    """Return for each record its parts in document order, None if each record is in one piece.

    Every row with records must hold two or more records and nothing else; rows with as many cells must follow each
    other in the same rhythm, over all rows with records.
    """
    of_row: dict[int, list[int]] = {}  # row to its records, by their numbers
    for number, (start, end) in enumerate(spans):
        if page.end[start] != end:
            return None
        of_row.setdefault(page.parent[start], []).append(number)
    if len(of_row) < _LEAST_ROWS or len(of_row) == len(spans):
        return None
    above = {page.parent[row] for row in of_row}
    if len(above) > 1 or -1 in above:
        return None
    rows = [row for row in page.children(above.pop()) if page.is_element(row)]
    cells = {row: [cell for cell in page.children(row) if page.is_element(cell)] for row in rows}
    places = [place for place, row in enumerate(rows) if row in of_row]
    period = _period(places, len(rows))
    if period is None:
        return None
    before = min(places[0], period - 1)
    parts: list[list[Span]] = [[] for _ in spans]
    for place in places:
        numbers = of_row[rows[place]]
        own = cells[rows[place]]
        if [spans[number][0] for number in numbers] != own[: len(numbers)]:
            return None
        for row in rows[place - before : place - before + period]:
            if len(cells[row]) != len(own):
                return None
            for number, cell in zip(numbers, cells[row], strict=False):
                parts[number].append((cell, page.end[cell]))
    return parts


def _period(places: list[int], rows: int) -> int | None:
    """The distance between the rows with records, where it is one and there are rows enough for all of them."""
    period = places[1] - places[0]
    if not 2 <= period <= _MOST_ROWS:
        return None
    if any(after - place != period for place, after in pairwise(places)):
        return None
    before = min(places[0], period - 1)
    return period if places[-1] - before + period <= rows else None
