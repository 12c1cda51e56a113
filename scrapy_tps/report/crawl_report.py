"""The report on a crawl as text, JSON, CSV and HTML."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.selector_report import json_entries, selector_dict
from scrapy_tps.report.selfcontained import render_file
from scrapy_tps.report.site_columns import COLUMNS, TABLE_COLUMNS, percent, row, spare_places, tally
from scrapy_tps.stats.figures import counted
from scrapy_tps.terminal import csv_line, text_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scrapy_tps.report.summary import Summary
    from scrapy_tps.sharing.distributed_reader import Process
    from scrapy_tps.stats.coverage import UseRow
    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.store import Crawl


#: Selectors and fields of a crawl in the file, those that look wrong first.
MOST_SELECTORS: Final = 2000

SCRIPTS: Final = ("common.js", "report.js")
STYLES: Final = ("common.css", "report.css")


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a crawl.

    :param title: the source of the figures.
    :param about: the crawl for JSON: number, spider, times …
    :param total: the sum over all sites, listed or not.
    :param sites: the sites in the order to be listed; read once.
    :param summary: what the crawl comes to.
    :param site_count: how many sites there are, listed or not; 0 when that is not known.
    :param uses: the selectors and fields in the order to be listed; read once, after the sites.
    :param width: width of the terminal, in columns.
    """

    title: str
    about: dict[str, Any]
    total: SiteFigures
    sites: Iterable[tuple[str, SiteFigures]]
    summary: Summary
    site_count: int = 0
    uses: Iterable[UseRow] = ()
    width: int | None = None


def crawl_title(crawl: Crawl) -> str:
    """Return a crawl in one line."""
    start = f"crawl {crawl.id} of {crawl.spider}, started {crawl.started:%Y-%m-%d %H:%M:%S} UTC"
    if crawl.finished is None:
        return f"{start}, running or killed (last written {crawl.written:%Y-%m-%d %H:%M:%S})"
    return f"{start}, {crawl.reason} after {(crawl.finished - crawl.started).total_seconds():,.0f} s"


def about(kind: str, one: Crawl | Process) -> dict[str, Any]:
    """Return a crawl, or a process of one, for JSON: `kind` is the name of its number."""
    values = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(one).items()
    }
    return {kind: values.pop("id")} | values


def totals_line(total: SiteFigures) -> str:
    """Return the whole crawl in one line."""
    pages = total["pages"]
    parts = [counted(pages, "page"), f"{total.pruned:,} pruned"]
    if total.measured:
        parts.append(f"mean DOM reduction {percent(total.mean_reduction)}")
    if total.text_reduction is not None:
        parts.append(f"text removed {percent(total.text_reduction)}")
    parts.append(counted(total["items"], "item"))
    if pages:
        parts.append(f"{total.seconds * 1000 / pages:.1f} ms a page")
    return "; ".join(parts)


def site_table(
    sites: Iterable[tuple[str, SiteFigures]], site_count: int = 0, fit: int | None = None
) -> list[str]:
    """Return the lines of the table of sites, and how many of `site_count` are not in it."""
    rows = [
        [site, *(column.text(column.value(figures)) for column in TABLE_COLUMNS)] for site, figures in sites
    ]
    header = ["site", *(column.header for column in TABLE_COLUMNS)]
    lines = text_table(header, rows, fit=fit, spare=spare_places(TABLE_COLUMNS, 1), prose=True)
    return lines + _and_more(site_count - len(rows))


def wrong_sites(summary: Summary, fit: int | None = None) -> list[str]:
    """Return the sites that look wrong by the summary, below a heading; none if there are none."""
    if not summary.wrong:
        return []
    rows = ((site, "; ".join(reasons)) for site, reasons in summary.wrong)
    return [
        "Sites that look wrong:",
        *text_table(["site", "why"], rows, fit=fit, prose=True)[1:],
        *_and_more(summary.wrong_sites - len(summary.wrong)),
    ]


def _and_more(sites: int) -> list[str]:
    return [f"… and {counted(sites, 'more site')}"] if sites > 0 else []


def report_text(report: Report) -> Iterator[str]:
    """Yield the report for people, in pieces."""
    yield "\n".join(report.summary.lines())
    yield f"\n\n{report.title}\n{totals_line(report.total)}\n\n"
    yield "\n".join(site_table(report.sites, report.site_count, report.width)) + "\n"
    if wrong := wrong_sites(report.summary, report.width):
        yield "\n" + "\n".join(wrong) + "\n"


def report_json(report: Report) -> Iterator[str]:
    """Yield the report as one JSON object with ``summary``, ``total`` and lists ``sites``, ``selectors`` and
    ``fields``.
    """
    of_sites = {"site", "looks_wrong", "findings"}
    total = {name: value for name, value in row("", report.total).items() if name not in of_sites}
    content = {"summary": report.summary.to_dict()} | report.about | {"total": total}
    head = json.dumps(content, ensure_ascii=False)
    yield head[:-1] + ', "sites": ['
    yield from json_entries(row(site, figures) for site, figures in report.sites)
    evidence = report.summary.evidence
    fields: list[UseRow] = []
    selectors = (one for one in report.uses if not one.item or fields.append(one))  # type: ignore[func-returns-value]
    yield '\n], "selectors": ['
    yield from json_entries(selector_dict(one, evidence) for one in selectors)
    yield '\n], "fields": ['
    yield from json_entries(selector_dict(one, evidence) for one in fields)
    yield "\n]}\n"


def to_csv(report: Report) -> Iterator[str]:
    """Yield the sites as CSV with a header, in pieces; tallies as ``name number, …``."""
    yield csv_line(["site", *COLUMNS])
    for site, figures in report.sites:
        yield csv_line([site, *(_cell(column.value(figures)) for column in COLUMNS.values())])


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return tally(value)
    return "; ".join(value) if isinstance(value, list) else value


def report_html(report: Report) -> str:
    """Return the report as one self-contained HTML file.

    :raises scrapy_tps.report.selfcontained.MissingExtra: without the extra ``report``.
    """
    data = {
        "title": report.title,
        "summary": report.summary.to_dict(),
        "total": _shown(report.total),
        "sites": [[site, _shown(figures)] for site, figures in report.sites],
        **_coverage(report),
    }
    return render_file("report.html", scripts=SCRIPTS, styles=STYLES, data=data, title=report.title)


def _coverage(report: Report) -> dict[str, list[list[Any]]]:
    """Return selectors and fields, those that look wrong first; the last value of each tells whether it does."""
    evidence = report.summary.evidence
    wrong = [one.row for one in evidence.troubles.values()]
    rows: tuple[list[list[Any]], list[list[Any]]] = [], []
    others = (row for row in report.uses if row.key not in evidence.troubles)
    for one in islice(chain(wrong, others), MOST_SELECTORS):
        values = selector_dict(one, evidence)
        if proposal := evidence.earlier.proposals.get((one.site, one.callback, one.name)):
            values["state"] += f". {proposal.note(one.name)}"
        values.pop("proposal", None)
        rows[bool(one.item)].append([*values.values(), one.key in evidence.troubles])
    return {"selectors": rows[0], "fields": rows[1]}


def _shown(figures: SiteFigures) -> dict[str, Any]:
    """Return the columns and bars of a site, without empty values."""
    shown = {name: column.value(figures) for name, column in COLUMNS.items()}
    shown["bars"] = figures.bars
    return {name: value for name, value in shown.items() if value not in ({}, [], None)}


#: How to write a report, by format. The keys are file name extensions.
FORMATS: Mapping[str, Callable[[Report], Iterator[str]]] = {
    "txt": report_text,
    "json": report_json,
    "csv": to_csv,
    "html": lambda report: iter((report_html(report),)),
}
