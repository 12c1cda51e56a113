"""Columns of text, aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: Columns that a cell is not made narrower than.
_NARROWEST = 12


def align(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, fit: int | None = None
) -> list[str]:
    """Lines of a table: the first `left` columns flush left, the others flush right.

    What would steer a terminal is written out: see :func:`~scrapy_tps.terminal.printable`.

    :param fit: columns that there are; the widest cells flush left are shortened until lines are no longer.
    """
    table = [tuple(header), *(tuple(map(printable, row)) for row in rows)]
    widths = [max(columns_of(row[column]) for row in table) for column in range(len(header))]
    while fit and sum(widths) + 2 * (len(widths) - 1) > fit and max(widths[:left]) > _NARROWEST:
        widths[widths.index(max(widths[:left]))] -= 1
    return [
        "  ".join(
            _cell(cell, width, at_left=column < left)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def columns_of(text: str) -> int:
    """The columns of a terminal that a text takes: two for wide characters, none for those on top of others."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _cell(text: str, width: int, *, at_left: bool) -> str:
    if columns_of(text) > width:
        while columns_of(text) > width - 1:
            text = text[:-1]
        text += "…"
    space = " " * (width - columns_of(text))
    return text + space if at_left else space + text
