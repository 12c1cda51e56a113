"""What is told about the queries of a crawl: one definition of each figure for tables, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.tables import align
from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scrapy_tps.stats.queries import QueryFigures, QueryRow

#: What a query comes to.
FINDS: Final = "finds"
STOPPED: Final = "finds nothing any more"
NEVER: Final = "never found anything"
ORIGINAL: Final = "finds on the original only"

#: Rows of text at most: JSON and CSV have all.
TEXT_ROWS: Final = 1000

#: The figures of a query by name, after ``site``, ``callback`` and ``query``.
QUERY_COLUMNS: Final[Mapping[str, Callable[[QueryFigures], Any]]] = {
    "asked": lambda one: one.asked,
    "found": lambda one: one.found,
    "original": lambda one: one.original,
    "partly": lambda one: one.partly,
    "nothing": lambda one: one.nothing,
    "pages": lambda one: one.pages,
    "found_pages": lambda one: one.found_pages,
    "pages_since_found": lambda one: one.dry,
    "last_found": lambda one: _time(one.last_found),
}

_HEAD: Final = ("site", "callback", "query")
_TABLE: Final = ("asked", "found", "original only", "partly", "nothing", "pages", "state")


def state(figures: QueryFigures, pages: int) -> str:
    """What a query comes to; `pages` is ``TPS_QUERY_PAGES``."""
    if figures.finds_nothing_any_more(pages):
        return STOPPED
    if not figures.found_pages:
        return NEVER
    return FINDS if figures.found else ORIGINAL


def query_dict(row: QueryRow, pages: int) -> dict[str, Any]:
    """All figures of a query by name, ready for JSON."""
    named = dict(zip(_HEAD, row, strict=False))
    named |= {name: value(row.figures) for name, value in QUERY_COLUMNS.items()}
    return named | {"state": state(row.figures, pages)}


def query_order(name: str | None) -> Callable[[QueryRow], Any] | None:
    """The key that sorts queries by a column, large figures first; None stands for the order in which they come.

    Raises ``ValueError`` on a name that is no column.
    """
    if name is None:
        return None
    if name in _HEAD:
        return lambda row: (row[_HEAD.index(name)], row[:3])
    if name not in QUERY_COLUMNS:
        raise ValueError(f"no column {name!r} of queries; there are {', '.join((*_HEAD, *QUERY_COLUMNS))}")
    if name == "last_found":
        return lambda row: (-row.figures.last_found, row[:3])
    value = QUERY_COLUMNS[name]
    return lambda row: (-value(row.figures), row[:3])


def query_table(rows: Iterable[QueryRow], pages: int) -> list[str]:
    """Lines of a table, the head first."""
    return align([*_HEAD, *_TABLE], (_cells(row, pages) for row in rows), left=3)


def queries_text(title: str, rows: Iterable[QueryRow], pages: int) -> Iterator[str]:
    """The queries for people."""
    first: list[QueryRow] = []
    more = 0
    for row in rows:
        if len(first) < TEXT_ROWS:
            first.append(row)
        else:
            more += 1
    yield f"{title}\n\n"
    if not first:
        yield "No query of a callback was counted.\n"
        return
    yield "\n".join(query_table(first, pages)) + "\n"
    if more:
        yield f"… and {more:,} more\n"


def queries_json(about: Mapping[str, Any], rows: Iterable[QueryRow], pages: int) -> Iterator[str]:
    """The queries as one JSON object with a list ``queries``, in pieces."""
    yield json.dumps(about, ensure_ascii=False)[:-1] + (", " if about else "")
    yield '"queries": ['
    yield from json_rows(rows, pages)
    yield "\n]}\n"


def json_rows(rows: Iterable[QueryRow], pages: int) -> Iterator[str]:
    """The entries of a JSON list, in pieces."""
    separator = "\n"
    for row in rows:
        yield separator + json.dumps(query_dict(row, pages), ensure_ascii=False)
        separator = ",\n"


def queries_csv(rows: Iterable[QueryRow], pages: int) -> Iterator[str]:
    """The queries as CSV with a head."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*_HEAD, *QUERY_COLUMNS, "state"])
    for row in rows:
        writer.writerow(query_dict(row, pages).values())
    yield buffer.getvalue()


def since(figures: QueryFigures) -> str:
    """For how long a query has found nothing, in words."""
    if not figures.found_pages:
        return f"nothing on any of {counted(figures.pages, 'page')}"
    return f"nothing on the last {counted(figures.dry, 'page')}"


def _cells(row: QueryRow, pages: int) -> list[str]:
    figures = row.figures
    found = state(figures, pages)
    if figures.dry and found != NEVER:
        found += f" ({since(figures)}" + (
            f", last found {_time(figures.last_found)})" if found == STOPPED else ")"
        )
    numbers = (figures.asked, figures.found, figures.original, figures.partly, figures.nothing, figures.pages)
    return [*row[:3], *(f"{number:,}" for number in numbers), found]


def _time(seconds: int) -> str | None:
    if not seconds:
        return None
    return datetime.fromtimestamp(min(seconds, 253402300799), timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
