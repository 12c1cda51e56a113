"""The report on one crawl, or on several compared, as one self-contained HTML file."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.columns import trend_dicts
from scrapy_tps.report.queries import by_key, query_dict
from scrapy_tps.report.selfcontained import render_file
from scrapy_tps.stats.doubts import doubts
from scrapy_tps.stats.figures import REDUCTION_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_tps.report.model import Report
    from scrapy_tps.report.verdict import Verdict
    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.samples import Sample

#: Bars of a histogram of reductions, five percentage points each.
BARS: Final = 20

#: Queries and fields of a crawl in the file, those that look wrong first.
MOST_QUERIES: Final = 2000

SCRIPTS: Final = ("common.js", "charts.js", "queries.js", "report.js")
STYLES: Final = ("common.css", "report.css")


def report_html(
    reports: Sequence[Report],
    *,
    comparison: Verdict | None = None,
    samples: Iterable[Sample] = (),
    links: Mapping[int, str] | None = None,
) -> str:
    """Return the file for one crawl, or for several side by side in the order given.

    :param comparison: the verdict on all of them, where there are several.
    :param samples: pages of the sites that were kept to be looked at.
    :param links: addresses of their views, by number, relative to the file; without one the command is named.
    :raises scrapy_tps.report.selfcontained.MissingExtra: without the extra ``report``.
    """
    crawls: list[dict[str, Any]] = [
        {
            "title": report.title,
            "about": report.about,
            "verdict": report.verdict.to_dict(),
            "total": figures_data(report.total),
            "sites": [[site, figures_data(figures)] for site, figures in report.sites],
            **_coverage(report),
            "trends": {site: trend_dicts(points) for site, points in report.trend.items() if len(points) > 1},
        }
        for report in reports
    ]
    listed = {site for crawl in crawls for site, _ in crawl["sites"]}
    by_site: dict[str, list[Any]] = {}
    for one in samples:
        if one.site in listed:
            link = (links or {}).get(one.number)
            row = [
                one.number,
                one.url,
                one.outcome,
                round(one.badness, 4),
                f"{one.taken:%Y-%m-%d %H:%M}",
                link,
            ]
            by_site.setdefault(one.site, []).append(row)
    data = {
        "crawls": crawls,
        "comparison": comparison.to_dict() if comparison else None,
        "samples": by_site,
    }
    title = reports[0].title if len(reports) == 1 else f"{len(reports)} crawls compared"
    return render_file("report.html", scripts=SCRIPTS, styles=STYLES, data=data, title=title)


def _coverage(report: Report) -> dict[str, list[list[Any]]]:
    """Queries and fields, those that look wrong first; whether they do is the last value of each."""
    troubles = by_key(report.verdict.troubles)
    wrong = {one.row.key: one.row for one in report.verdict.troubles}
    rows: tuple[list[list[Any]], list[list[Any]]] = [], []
    others = (row for row in report.queries if row.key not in wrong)
    for row in islice(chain(wrong.values(), others), MOST_QUERIES):
        values = query_dict(row, troubles).values()
        rows[bool(row.item)].append([*values, row.key in wrong])
    return {"queries": rows[0], "fields": rows[1]}


def figures_data(figures: SiteFigures) -> dict[str, Any]:
    """Return the figures of a site as the file's script reads them; empty tallies are left out."""
    data = {
        "pages": figures["pages"],
        "pruned": figures.pruned,
        "measured": figures.measured,
        "mean": figures.mean_reduction,
        "quantiles": [figures.reduction_quantile(share) for share in (0.1, 0.5, 0.9)]
        if figures.measured
        else None,
        "bars": histogram(figures.reductions),
        "nodes": [figures["nodes/before"], figures["nodes/after"]],
        "chars": [figures["chars/before"], figures["chars/after"]],
        "seconds": round(figures.seconds, 4),
        "items": figures["items"],
        "silent": figures["pages_without_output"],
        "links": figures["original_links"],
        "outcomes": figures.group("outcome"),
        "whole": figures.not_pruned,
        "strategies": figures.group("strategy"),
        "alarms": figures.group("alarms"),
        "doubts": [doubt.text for doubt in doubts(figures)],
    }
    return {name: value for name, value in data.items() if value not in ({}, [], None)}


def histogram(reductions: Mapping[int, int]) -> list[int]:
    """Return the pages in each of the bars; the last holds 95 to 100 %, both ends included."""
    bars = [0] * BARS
    for step, pages in reductions.items():
        bars[min(BARS - 1, step * BARS // REDUCTION_STEPS)] += pages
    while bars and not bars[-1]:
        bars.pop()
    return bars
