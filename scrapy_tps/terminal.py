"""Text of pages on terminals: characters that control a terminal or reverse text are escaped."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Final, Literal
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Characters that move the cursor, change colours and titles, break lines or reorder text: C0 and C1 controls
#: (U+0000-1F, 7F-9F), marks, embeddings, overrides and isolates of bidirectional text, line and paragraph
#: separators, annotations and lone surrogates. Joiners (U+200C, U+200D) stay: words and emojis need them.
_STEERING: Final = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff"
_ANY: Final = re.compile(f"[{_STEERING}]")
_BUT_LINES: Final = re.compile(f"(?![\n\t])[{_STEERING}]")

#: Kinds of output of a command: text for people, or data for programs.
Form = Literal["text", "csv", "json"]

Colour = Literal["green", "red"]
_COLOURS: Final = {"green": 32, "red": 31}


def printable(text: str) -> str:
    """Return `text` as one line that is safe on a terminal: ``\\x1b``, ``\\u202e``, ``\\n`` are escaped."""
    return _ANY.sub(_written_out, text)


def printable_lines(text: str) -> str:
    """Like :func:`printable`, but line breaks and tabs stay."""
    return _BUT_LINES.sub(_written_out, text.replace("\r\n", "\n"))


def printable_json(text: str) -> str:
    """Return equal JSON that is safe on a terminal."""
    return _BUT_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write(text: str, form: Form = "text", *, colour: Colour | None = None) -> None:
    """Write to standard output: escape control characters in text and JSON always, in CSV only on a terminal.

    JSON means the same either way; a CSV file has no escapes, so it gets the data unchanged.

    :param colour: that of the first line, on a terminal without the environment variable ``NO_COLOR``.
    """
    if form == "json":
        text = printable_json(text)
    elif form == "text" or sys.stdout.isatty():
        text = printable_lines(text)
    if colour is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        first, end, rest = text.partition("\n")
        text = f"\x1b[1;{_COLOURS[colour]}m{first}\x1b[0m{end}{rest}"
    sys.stdout.write(text)


def terminal_width() -> int | None:
    """Return the width of the terminal in columns; None if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def complain(message: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(printable(message) + "\n")


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


#: The least width of a cell, in columns.
_NARROWEST = 12


def align(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, fit: int | None = None
) -> list[str]:
    """Return the lines of a table: the first `left` columns flush left, the others flush right.

    Control characters are escaped: see :func:`printable`.

    :param fit: width to fit into; the widest cells flush left are shortened until all lines fit.
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
