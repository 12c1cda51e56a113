"""The report on a crawl as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from scrapy_tps.report.columns import COLUMNS, TABLE_COLUMNS, percent, row, tally, trend_dicts
from scrapy_tps.report.html import report_html
from scrapy_tps.report.queries import by_key, field_table, fields_of, json_rows
from scrapy_tps.report.tables import align
from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scrapy_tps.report.model import Report
    from scrapy_tps.report.verdict import Verdict
    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.queries import QueryRow
    from scrapy_tps.stats.store import Crawl


def crawl_title(crawl: Crawl) -> str:
    """One line on a crawl."""
    start = f"crawl {crawl.id} of {crawl.spider}, started {crawl.started:%Y-%m-%d %H:%M:%S} UTC"
    if crawl.finished is None:
        return f"{start}, running or killed (last written {crawl.written:%Y-%m-%d %H:%M:%S})"
    return f"{start}, {crawl.reason} after {(crawl.finished - crawl.started).total_seconds():,.0f} s"


def about_crawl(crawl: Crawl) -> dict[str, Any]:
    """A crawl for JSON."""
    return {
        "crawl": crawl.id,
        "job": crawl.job,
        "spider": crawl.spider,
        "started": crawl.started.isoformat(),
        "written": crawl.written.isoformat(),
        "finished": crawl.finished.isoformat() if crawl.finished else None,
        "reason": crawl.reason,
    }


def summary(total: SiteFigures) -> str:
    """The whole crawl in a line."""
    pages = total["pages"]
    parts = [counted(pages, "page"), f"{total.pruned:,} pruned"]
    if total.measured:
        parts.append(f"mean DOM reduction {percent(total.mean_reduction)}")
    if total.text_reduction is not None:
        parts.append(f"text removed {percent(total.text_reduction)}")
    parts.append(counted(total["items"], "item"))
    if pages:
        parts.append(f"{total.seconds * 1000 / pages:.1f} ms a page")
    if whole := total.not_pruned:
        parts.append(f"not pruned: {tally(whole)}")
    return "; ".join(parts)


def site_table(
    sites: Iterable[tuple[str, SiteFigures]], site_count: int = 0, fit: int | None = None
) -> list[str]:
    """Lines of the table of sites, and how many of `site_count` are not in it."""
    rows = [
        [site, *(column.text(column.value(figures)) for column in TABLE_COLUMNS)] for site, figures in sites
    ]
    lines = align(["site", *(column.header for column in TABLE_COLUMNS)], rows, fit=fit)
    return lines + _and_more(site_count - len(rows))


def wrong_sites(verdict: Verdict) -> list[str]:
    """A line for each site that the verdict lists as one that looks wrong, under a heading; none when none does."""
    if not verdict.wrong:
        return []
    rows = ((site, "; ".join(reasons)) for site, reasons in verdict.wrong)
    return [
        "Sites that look wrong:",
        *align(["site", "why"], rows, left=2)[1:],
        *_and_more(verdict.wrong_sites - len(verdict.wrong)),
    ]


def _and_more(sites: int) -> list[str]:
    return [f"… and {counted(sites, 'more site')}"] if sites > 0 else []


def to_text(report: Report) -> Iterator[str]:
    """The report for people, in pieces."""
    yield "\n".join(report.verdict.lines())
    yield f"\n\n{report.title}\n{summary(report.total)}\n\n"
    yield "\n".join(site_table(report.sites, report.site_count, report.width)) + "\n"
    fields = fields_of(report.queries)
    items = (
        ["Fields of items:", *field_table(fields, by_key(report.verdict.troubles), report.width)]
        if fields
        else []
    )
    for lines in (wrong_sites(report.verdict), items):
        if lines:
            yield "\n" + "\n".join(lines) + "\n"


def to_json(report: Report) -> Iterator[str]:
    """The report as one JSON object with ``verdict``, ``total`` and lists ``sites``, ``queries`` and ``fields``, in
    pieces.
    """
    of_sites = {"site", "looks_wrong", "findings"}
    total = {name: value for name, value in row("", report.total).items() if name not in of_sites}
    content = {"verdict": report.verdict.to_dict()} | report.about | {"total": total}
    head = json.dumps(content, ensure_ascii=False)
    yield head[:-1] + ', "sites": ['
    separator = "\n"
    for site, figures in report.sites:
        content = row(site, figures) | {"trend": trend_dicts(report.trend.get(site, ()))}
        yield separator + json.dumps(content, ensure_ascii=False)
        separator = ",\n"
    troubles = by_key(report.verdict.troubles)
    fields: list[QueryRow] = []
    queries = (one for one in report.queries if not one.item or fields.append(one))  # type: ignore[func-returns-value]
    yield '\n], "queries": ['
    yield from json_rows(queries, troubles)
    yield '\n], "fields": ['
    yield from json_rows(fields, troubles)
    yield "\n]}\n"


def to_csv(report: Report) -> Iterator[str]:
    """The sites as CSV with a head, in pieces; tallies as ``name number, …``."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["site", *COLUMNS])
    for site, figures in report.sites:
        yield _taken(buffer)
        writer.writerow([site, *(_csv_cell(column.value(figures)) for column in COLUMNS.values())])
    yield _taken(buffer)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, dict):
        return tally(value)
    return "; ".join(value) if isinstance(value, list) else value


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def to_html(report: Report) -> Iterator[str]:
    """The report as one self-contained HTML file; raises ``MissingExtra`` without the extra ``report``."""
    yield report_html([report])


#: How to write a report, by format. The keys are file name extensions.
FORMATS: Mapping[str, Callable[[Report], Iterator[str]]] = {
    "txt": to_text,
    "json": to_json,
    "csv": to_csv,
    "html": to_html,
}
