"""Text of pages on terminals and in spreadsheets: what would control a terminal, reverse text or run is escaped."""

from __future__ import annotations

import csv
import io
import re
import shutil
import sys
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Literal
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Characters that move the cursor, change colours and titles, break lines or reorder text: C0 and C1 controls
#: (U+0000-1F, 7F-9F), marks, embeddings, overrides and isolates of bidirectional text, line and paragraph
#: separators, annotations and lone surrogates. Joiners (U+200C, U+200D) stay: words and emojis need them.
_STEERING: Final = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff"
_ANY: Final = re.compile(f"[{_STEERING}]")
_BUT_LINES: Final = re.compile(f"(?![\n\t])[{_STEERING}]")

#: The start of a cell that a spreadsheet takes for a formula, also in wide characters, unless it is a number.
_FORMULA: Final = re.compile(r"(?![-+]?[\d.,\s]*%?$)[-=+@\t\r\n＝＋－＠]")

#: Kinds of output of a command: text for people, or data for programs.
Form = Literal["text", "csv", "json"]


def printable(text: str) -> str:
    """Return `text` as one line that is safe on a terminal: ``\\x1b``, ``\\u202e``, ``\\n`` are escaped."""
    return _ANY.sub(_written_out, text)


def printable_lines(text: str) -> str:
    """Like :func:`printable`, but line breaks and tabs stay."""
    return _BUT_LINES.sub(_written_out, text.replace("\r\n", "\n"))


def printable_json(text: str) -> str:
    """Return equal JSON that is safe on a terminal."""
    return _BUT_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write(text: str, form: Form = "text") -> None:
    """Write to standard output: escape control characters in text and JSON always, in CSV only on a terminal.

    JSON means the same either way; a CSV file has no escapes, so it gets the data unchanged.
    """
    if form == "json":
        text = printable_json(text)
    elif form == "text" or sys.stdout.isatty():
        text = printable_lines(text)
    sys.stdout.write(text)


def csv_line(cells: Iterable[Any]) -> str:
    """Return a line of CSV, with a quote in front of texts that a spreadsheet would run as a formula."""
    line = io.StringIO()
    inert = (f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in cells)
    csv.writer(line, lineterminator="\n").writerow(inert)
    return line.getvalue()


def terminal_width() -> int | None:
    """Return the width of the terminal in columns; None if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def complain(message: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(printable(message) + "\n")


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


#: The least and the most width of a cell flush left, in columns.
_NARROWEST, _WIDEST = 12, 80


def text_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: int = 1,
    fit: int | None = None,
    spare: Iterable[int] = (),
    prose: bool = False,
) -> list[str]:
    """Return the lines of a table: the first `left` columns flush left, the others flush right.

    Control characters are escaped (:func:`printable`). Cells flush left are cut at 80 characters.

    :param fit: width to fit into; the widest cells flush left are shortened until all lines fit.
    :param spare: columns flush right or left that are omitted, in this order, as long as the table does not fit.
    :param prose: the last column is text for people: never shortened, but continued on further lines.
    """
    table = [tuple(header), *(tuple(map(printable, row)) for row in rows)]
    widths = [max(columns_of(cell) for cell in column) for column in zip(*table, strict=True)]
    widths[:left] = [min(width, _WIDEST) for width in widths[:left]]
    texts = [row[-1] if prose else "" for row in table]
    shown = list(range(len(header) - prose))
    if fit:
        _shorten(widths, shown, left, fit - prose * (2 * _NARROWEST + 2), spare)
    lines = []
    for row, text in zip(table, texts, strict=True):
        line = "  ".join(_cell(row[column], widths[column], at_left=column < left) for column in shown)
        room = max(2 * _NARROWEST, fit - columns_of(line) - 2) if fit else None
        first, *more = wrap(text, room, break_on_hyphens=False) if room and text else [text]
        lines.append(f"{line}  {first}".rstrip())
        lines += [" " * (columns_of(line) + 2) + one for one in more]
    return lines


def _shorten(widths: list[int], shown: list[int], left: int, fit: int, spare: Iterable[int]) -> None:
    """Take columns from those shown, and columns of the terminal from the widths, until all fit if possible."""
    gaps = 2 * (len(shown) - 1)
    for column in spare:
        least = sum(min(widths[one], _NARROWEST) if one < left else widths[one] for one in shown)
        if least + gaps <= fit:
            break
        shown.remove(column)
        gaps -= 2
    while sum(widths[one] for one in shown) + gaps > fit and max(widths[:left]) > _NARROWEST:
        widths[widths.index(max(widths[:left]))] -= 1


def columns_of(text: str) -> int:
    """Return the width of a text on a terminal: two for wide characters, none for combining ones."""
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
