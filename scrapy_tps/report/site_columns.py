"""The columns of a report on sites: one definition of each figure for tables, JSON and CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scrapy_tps.report.findings import site_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_tps.stats.figures import SiteFigures

Value = Any
"""A number, a string, a dict of numbers, a list of strings, or None if there is no value."""


F = TypeVar("F")


@dataclass(frozen=True)
class ReportColumn(Generic[F]):
    """One figure of a site, a selector or a field; docs/reference/stats.md explains each.

    :param name: key in JSON, column in CSV.
    :param value: the figure.
    :param header: its header in a table; empty if tables omit it.
    :param text: formats the figure for a table.
    :param spare: whether a narrow terminal does without it.
    """

    name: str
    value: Callable[[F], Value]
    header: str = ""
    text: Callable[[Any], str] = str
    spare: bool = False


def rounded(value: float | None) -> float | None:
    """Return a number for JSON."""
    return None if value is None else round(value, 6)


def percent(share: float | None) -> str:
    """Return a share for a table."""
    return "-" if share is None else f"{share:.1%}"


def whole(number: float) -> str:
    """Return a count for a table."""
    return f"{number:,}"


def tally(counts: Mapping[str, int]) -> str:
    """Return counts by name for a table, the largest first."""
    return ", ".join(
        f"{name} {number:,}" for name, number in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    )


def _count(name: str) -> Callable[[SiteFigures], int]:
    return lambda one: one[name]


def _group(name: str) -> Callable[[SiteFigures], dict[str, int]]:
    return lambda one: one.group(name)


_ALL: Sequence[ReportColumn[SiteFigures]] = (
    ReportColumn("pages", _count("pages"), "pages", whole),
    ReportColumn("pruned", lambda one: one.pruned, "pruned", whole, spare=True),
    ReportColumn("measured", lambda one: one.measured),
    ReportColumn("reduction", lambda one: rounded(one.mean_reduction), "reduction", percent),
    ReportColumn("nodes_before", _count("nodes/before")),
    ReportColumn("nodes_after", _count("nodes/after")),
    ReportColumn("chars_before", _count("chars/before")),
    ReportColumn("chars_after", _count("chars/after")),
    ReportColumn("text_reduction", lambda one: rounded(one.text_reduction), "text", percent, spare=True),
    ReportColumn("items", _count("items"), "items", whole),
    ReportColumn("pages_without_items", _count("pages_without_items")),
    ReportColumn("pages_without_output", _count("pages_without_output"), "no output", whole),
    ReportColumn("callback_errors", _count("callback_errors")),
    ReportColumn(
        "ms_per_page",
        lambda one: round(one.seconds * 1000 / one["pages"], 4) if one["pages"] else None,
        "ms/page",
        lambda ms: "-" if ms is None else f"{ms:.1f}",
        spare=True,
    ),
    ReportColumn("not_pruned", lambda one: one.not_pruned, "not pruned", tally),
    ReportColumn("outcomes", _group("outcome")),
    ReportColumn("strategies", _group("strategy")),
    ReportColumn("alarms", _group("alarms")),
    ReportColumn("fallback", _group("fallback")),
    *(
        ReportColumn(name, _group(name))
        for name in ("errors", "refused", "sparse", "redirected", "whole_page", "garbled")
    ),
    ReportColumn("looks_wrong", lambda one: [warning.text for warning in site_warnings(one)]),
    ReportColumn("findings", lambda one: list(dict.fromkeys(warning.kind for warning in site_warnings(one)))),
)
COLUMNS: Mapping[str, ReportColumn[SiteFigures]] = {column.name: column for column in _ALL}
TABLE_COLUMNS = tuple(column for column in COLUMNS.values() if column.header)


def spare_places(columns: Sequence[ReportColumn[Any]], first: int) -> list[int]:
    """Return the places of columns that a narrow terminal does without, the last one first.

    :param first: the place of the first column in its table.
    """
    return [place for place, column in enumerate(columns, first) if column.spare][::-1]


def row(site: str, figures: SiteFigures) -> dict[str, Value]:
    """Return all figures of a site by name, ``site`` first, ready for JSON."""
    return {"site": site} | {name: column.value(figures) for name, column in COLUMNS.items()}
