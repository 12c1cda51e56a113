"""Columns of text, aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.report.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def align(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> list[str]:
    """Lines of a table: the first `left` columns flush left, the others flush right.

    What would steer a terminal is written out: see :func:`~scrapy_tps.report.terminal.printable`.
    """
    table = [tuple(header), *(tuple(map(printable, row)) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
