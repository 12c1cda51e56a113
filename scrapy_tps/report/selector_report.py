"""Reports on the selectors of a crawl and the fields of its items, as tables and for JSON."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.site_columns import ReportColumn, percent, rounded, spare_places, whole
from scrapy_tps.stats.fields import MOST_DISTINCT, distinct
from scrapy_tps.stats.figures import counted
from scrapy_tps.terminal import terminal_width, text_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.stats.coverage import UseFigures, UseRow
    from scrapy_tps.stats.evidence import Evidence

#: The most rows of text: JSON has all.
TEXT_ROWS: Final = 1000

_HEAD: Final = ("site", "callback", "selector")
_FIELD_HEAD: Final = ("site", "callback", "item", "field")


def values_of(figures: UseFigures) -> int | None:
    """Return the approximate number of values of a field; None if it was not counted."""
    values = distinct(figures.sketch)
    return None if values is None else min(values, figures.found)


#: The figures of a selector, after those of `_HEAD`.
_SELECTOR_COLUMNS: Final[Sequence[ReportColumn[UseFigures]]] = (
    ReportColumn("asked", lambda one: one.asked, "asked", whole, spare=True),
    ReportColumn("found", lambda one: one.found, "found", whole, spare=True),
    ReportColumn("original", lambda one: one.original, "original only", whole, spare=True),
    ReportColumn("partly", lambda one: one.partly, "partly", whole, spare=True),
    ReportColumn("nothing", lambda one: one.nothing, "nothing", whole),
    ReportColumn("pages", lambda one: one.pages, "pages", whole),
    ReportColumn("found_pages", lambda one: one.found_pages),
    ReportColumn("pages_since_found", lambda one: one.dry),
    ReportColumn("last_found", lambda one: _time(one.last_found)),
)
#: The figures of a field, after those of `_FIELD_HEAD`.
_FIELD_COLUMNS: Final[Sequence[ReportColumn[UseFigures]]] = (
    ReportColumn("items", lambda one: one.asked, "items", whole, spare=True),
    ReportColumn("filled", lambda one: one.found, "filled", whole, spare=True),
    ReportColumn(
        "share", lambda one: rounded(one.found / one.asked) if one.asked else None, "share", percent
    ),
    ReportColumn(
        "values",
        values_of,
        "values",
        lambda values: "-" if values is None else f"{values:,}{'+' * (values >= MOST_DISTINCT)}",
    ),
    ReportColumn("pages", lambda one: one.pages),
    ReportColumn("filled_pages", lambda one: one.found_pages),
    ReportColumn("pages_since_filled", lambda one: one.dry),
    ReportColumn("last_filled", lambda one: _time(one.last_found)),
)


def state(row: UseRow, evidence: Evidence) -> str:
    """Return the state of a selector or field, in words."""
    if (trouble := evidence.troubles.get(row.key)) is not None:
        return trouble.words
    if not row.figures.found_pages:
        return "always blank" if row.item else "never found anything"
    if row.item:
        return "filled"
    return "finds" if row.figures.found else "finds on the original only"


def selector_dict(row: UseRow, evidence: Evidence) -> dict[str, Any]:
    """Return all figures of a selector or field by name, ready for JSON; those of a selector with its proposal."""
    named = dict(zip(_FIELD_HEAD if row.item else _HEAD, _cells(row), strict=True))
    columns = _FIELD_COLUMNS if row.item else _SELECTOR_COLUMNS
    named |= {column.name: column.value(row.figures) for column in columns}
    named |= {"state": state(row, evidence)}
    if row.item:
        return named
    proposal = evidence.earlier.proposals.get((row.site, row.callback, row.name))
    return named | {"proposal": proposal and proposal.to_dict()}


def table(rows: Sequence[UseRow], evidence: Evidence, fit: int | None = None) -> list[str]:
    """Return the lines of a table of selectors, or of fields, with the header first."""
    fields = bool(rows[0].item)
    head = _FIELD_HEAD if fields else _HEAD
    columns = [column for column in (_FIELD_COLUMNS if fields else _SELECTOR_COLUMNS) if column.header]
    cells = (
        [
            *(cell or "(items)" for cell in _cells(row)),
            *(column.text(column.value(row.figures)) for column in columns),
            _state_text(row, evidence),
        ]
        for row in rows
    )
    header = [*head, *(column.header for column in columns), "state"]
    spare = spare_places(columns, len(head))
    return text_table(header, cells, left=len(head), fit=fit, spare=spare, prose=True)


def _cells(row: UseRow) -> tuple[str, ...]:
    """Return the cells of `_HEAD` or `_FIELD_HEAD`."""
    return row.key if row.item else (row.site, row.callback, row.name)


def _state_text(row: UseRow, evidence: Evidence) -> str:
    found, figures = state(row, evidence), row.figures
    if row.key in evidence.troubles or not figures.dry or not figures.found_pages:
        return found
    return f"{found} (nothing on the last {counted(figures.dry, 'page')})"


def selectors_text(title: str, rows: Iterable[UseRow], evidence: Evidence) -> Iterator[str]:
    """The selectors for people, with proposals below."""
    rest = iter(rows)
    first, more = [*islice(rest, TEXT_ROWS)], sum(1 for _ in rest)
    yield f"{title}\n\n"
    if not first:
        yield "None.\n"
        return
    yield "\n".join(table(first, evidence, terminal_width())) + "\n"
    if more:
        yield f"… and {more:,} more\n"
    for row in first:
        if (proposal := evidence.earlier.proposals.get((row.site, row.callback, row.name))) is not None:
            yield f"\nOn {row.site} (callback {row.callback}), {proposal.note(row.name)}\n"


def json_entries(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the entries of a JSON list, in pieces."""
    separator = "\n"
    for entry in entries:
        yield separator + json.dumps(entry, ensure_ascii=False)
        separator = ",\n"


def _time(seconds: int) -> str | None:
    if not seconds:
        return None
    return datetime.fromtimestamp(min(seconds, 253402300799), timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
