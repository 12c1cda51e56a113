from __future__ import annotations

import csv
import io
import json

from scrapy_tps.report.crawl_report import FORMATS, Report
from scrapy_tps.report.findings import site_warnings
from scrapy_tps.report.site_columns import COLUMNS
from scrapy_tps.report.summary import summarise
from scrapy_tps.settings.parsing import REPORT_FORMATS
from scrapy_tps.stats.figures import SiteFigures, merged
from tests.support.figures import MadeUpPruning, figures_of

SITES = {
    "b.example": figures_of(MadeUpPruning(), MadeUpPruning(kept_nodes=10), items=4),
    "a.example": figures_of(MadeUpPruning("error", kept_nodes=100)),
    "never looked at.example": SiteFigures({"pages": 1, "outcome/excluded": 1}),
}

#: Why the second site looks wrong.
(REASON,) = [warning.text for warning in site_warnings(SITES["a.example"])]


def report(count: int = 3) -> Report:
    shown = SITES
    total = merged(shown.values())
    return Report(
        "The title", {"crawl": 7}, total, shown.items(), summarise(total, shown.items(), listed=5), count
    )


def written(form: str) -> str:
    return "".join(FORMATS[form](report()))


def test_every_format_that_settings_allow_exists() -> None:
    assert set(FORMATS) == set(REPORT_FORMATS)


def test_text_begins_with_the_summary() -> None:
    lines = written("txt").splitlines()
    assert lines[0].startswith("Look at this: pruning failed")
    assert lines.index("The title") > 1


def test_text_is_a_table_with_the_total_and_the_sites_that_look_wrong() -> None:
    lines = written("txt").split("\n\n", 1)[1].splitlines()
    assert lines[0] == "The title"
    assert lines[1].startswith("4 pages; 2 pruned; mean DOM reduction 50.0%;")
    assert lines[3].split()[:3] == ["site", "pages", "pruned"]
    assert lines[4].split()[:4] == ["b.example", "2", "2", "75.0%"]
    assert lines[6].startswith("never looked at.example      1       0          -")
    assert len({line.index("pages") for line in lines if line.startswith("site")}) == 1
    assert lines[-2:] == ["Sites that look wrong:", f"a.example  {REASON}"]


def test_the_total_of_one_site_is_that_of_its_row() -> None:
    figures = SiteFigures(
        {"outcome/pruned": 10, "strategy/auto": 10, "pages": 10, "microseconds": 8_496, "items": 1}
        | {"reduction_millionths": 5_804_910, "chars/before": 32_512, "chars/after": 21_540}
    )
    shown = {"a.example": figures}.items()
    one = Report("The title", {}, figures, shown, summarise(figures, shown), 1)
    _, total, _, _, row = "".join(FORMATS["txt"](one)).split("\n\n", 1)[1].splitlines()
    _, _, _, nodes, text, *_, ms = row.split()
    assert f"mean DOM reduction {nodes}; text removed {text}; 1 item; {ms} ms a page" in total


def test_json_has_every_column_of_every_site() -> None:
    content = json.loads(written("json"))
    assert content["crawl"] == 7
    assert content["summary"]["state"] == "findings"
    assert [finding["kind"] for finding in content["summary"]["findings"]] == ["pruning_failed"]
    assert content["total"]["pages"] == 4
    assert [site["site"] for site in content["sites"]] == list(SITES)
    assert all(set(site) == {"site", *COLUMNS} for site in content["sites"])
    assert content["sites"][0]["reduction"] == 0.75
    assert content["sites"][2]["reduction"] is None


def test_csv_has_every_column_of_every_site() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv"))))
    assert [row["site"] for row in rows] == list(SITES)
    assert list(rows[0]) == ["site", *COLUMNS]
    assert rows[1]["outcomes"] == rows[1]["not_pruned"] == "error 1"
    assert rows[1]["looks_wrong"] == REASON
    assert [row["findings"] for row in rows] == ["", "pruning_failed", ""]
    assert rows[2]["reduction"] == ""


def test_a_crawl_without_pages_has_a_report() -> None:
    empty = Report("The title", {}, SiteFigures(), [], summarise(SiteFigures(), []))
    assert "0 pages" in "".join(FORMATS["txt"](empty))
    assert json.loads("".join(FORMATS["json"](empty)))["sites"] == []
    assert "".join(FORMATS["csv"](empty)).startswith("site,pages")


def test_a_table_that_stops_says_how_many_sites_are_left() -> None:
    assert "".join(FORMATS["txt"](report(count=1003))).count("… and 1,000 more sites\n") == 1
