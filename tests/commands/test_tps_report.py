"""``scrapy tps-report``, run in this process on a store made here."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import pytest

from scrapy_tps.engine import native
from scrapy_tps.stats.store import FiguresStore
from tests.support.crawling import scrapy
from tests.support.figures import MadeUpPruning, figures_of
from tests.support.steering import HOSTILE, steers

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., tuple[int, str, str]]


def sites(output: str) -> list[str]:
    return [
        line.split()[0] for line in output.splitlines() if line.split()[:1] and ".example" in line.split()[0]
    ]


def test_last_crawl_of_all_of_a_spider_or_by_number(run: Run) -> None:
    assert run()[1].startswith("Nothing to judge: no HTML page was fetched.\n\ncrawl 4 of killed")
    assert "running or killed" in run()[1]
    assert run("shop")[1].startswith("No findings on 3 pages.\n")
    assert "\ncrawl 3 of shop" in run("shop")[1]
    code, output, _ = run("2")
    assert code == 0
    assert "\ncrawl 2 of forum" in output
    assert "finished after 0 s" in output
    assert sites(output) == ["whole.example", "failing.example", "forum.example", "failing.example"]


def test_crawls_are_listed(run: Run) -> None:
    assert [line.split()[1] for line in run("--list")[1].splitlines()] == ["1", "2", "3", "4"]
    assert json.loads(run("--list", "--format", "json")[1].splitlines()[3])["finished"] is None


def test_crawls_are_deleted_with_their_figures_and_the_file_gets_smaller(run: Run, file: Path) -> None:
    with closing(FiguresStore(file)) as store:
        many = {f"{number}.example": figures_of(MadeUpPruning()) for number in range(500)}
        store.add(store.begin_crawl("forum"), many, "finished")
    size = file.stat().st_size
    code, output, _ = run("--delete", "5")
    assert (code, output.split(",")[0]) == (0, "Deleted: crawl 5 of forum")
    assert file.stat().st_size < size / 2
    assert run("5")[0] == 1


def test_the_last_crawls_of_each_spider_are_kept_and_those_that_may_be_running(run: Run) -> None:
    code, output, _ = run("--keep-last", "1")
    assert (code, output.count("\n")) == (0, 1)
    assert output.startswith("Deleted: crawl 1 of shop")
    assert [line.split()[1] for line in run("--list")[1].splitlines()] == ["2", "3", "4"]
    assert "crawl 4 may be running" in run("--delete", "4")[2]
    run("--keep-last", "0")
    assert [line.split()[1] for line in run("--list")[1].splitlines()] == ["4"]


@pytest.mark.parametrize(
    ("arguments", "order"),
    [
        ([], ["whole.example", "shop.example"]),
        (["--limit", "1"], ["whole.example"]),
    ],
)
def test_sites_are_sorted_and_chosen(run: Run, arguments: list[str], order: list[str]) -> None:
    output = run("shop", "--format", "csv", *arguments)[1]
    assert [row["site"] for row in csv.DictReader(io.StringIO(output))] == order


def test_only_sites_that_look_wrong_are_shown_when_asked_for(run: Run) -> None:
    output = run("forum", "--format", "csv", "--wrong")[1]
    assert [row["site"] for row in csv.DictReader(io.StringIO(output))] == ["failing.example"]


def test_a_list_that_stops_says_how_many_sites_are_left(run: Run) -> None:
    assert "… and 2 more sites\n" in run("forum", "--limit", "1")[1]
    assert "more site" not in run("forum")[1]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["forum"], 3),
        (["shop"], 0),
        (["--list"], 0),
    ],
)
def test_findings_are_an_exit_code_when_asked_for(run: Run, arguments: list[str], code: int) -> None:
    assert run(*arguments)[0] == 0
    assert run(*arguments, "--fail-on-findings")[0] == code


def test_programs_read_the_summary(run: Run) -> None:
    summary = json.loads(run("forum", "--format", "json")[1])["summary"]
    assert (summary["state"], summary["findings"][0]["kind"]) == ("findings", "pruning_failed")


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (["99"], {}, "no crawl 99"),
        (["nobody"], {}, "no crawl of spider 'nobody'"),
        ([], {"TPS_STATS_FILE": None}, "TPS_STATS_FILE is None"),
        ([], {"TPS_STATS_FILE": "elsewhere.sqlite"}, "no such file"),
    ],
)
def test_what_cannot_be_shown_is_said(
    run: Run, arguments: list[str], settings: dict[str, object], message: str
) -> None:
    code, output, errors = run(*arguments, settings=settings)
    assert (code, output) == (1, "")
    assert message in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "2"], "give one CRAWL"),
        (["1", "--delete", "1"], "take no CRAWL"),
        (["1", "--list"], "take no CRAWL"),
        (["--list", "--keep-last", "1"], "not allowed with argument"),
        (["--delete", "x"], "--delete is 'x'; allowed: a whole number"),
        (["--keep-last", "-1"], "--keep-last is '-1'; allowed: a whole number"),
        (["--unknown"], "unexpected arguments: --unknown"),
        (["--limit", "-1"], "--limit is '-1'"),
        (["--format", "xml"], "invalid choice"),
    ],
)
def test_wrong_usage_is_refused(run: Run, arguments: list[str], message: str) -> None:
    code, _, errors = run(*arguments)
    assert code == 2
    assert message in errors


def test_a_crawl_becomes_one_html_file(run: Run, file: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    page = file.parent / "report.html"
    code, output, errors = run("shop", "--html", str(page), "--no-browser")
    assert (code, output, errors) == (0, f"{page}\n", "")
    data = json.loads(page.read_text(encoding="utf-8").split('id="tps-data">')[1].split("</script>")[0])
    assert data["title"].startswith("crawl 3 of shop")
    assert {site for site, _ in data["sites"]} == {"shop.example", "whole.example"}
    code, _, errors = run("--html", str(file.parent / "no" / "report.html"), "--no-browser")
    assert code == 1
    assert "No such file" in errors


def test_versions_say_whether_the_native_core_is_used(run: Run) -> None:
    _, output, _ = run("--version")
    lines = dict(line.split(maxsplit=1) for line in output.replace("native core", "native-core").splitlines())
    assert lines["native-core"].startswith("used" if native.AVAILABLE else "not used: ")
    assert {"scrapy-tps", "Scrapy", "lxml", "parsel", "Python"} <= set(lines)


@pytest.mark.skipif(
    not any(one.name == "tps-report" for one in entry_points(group="scrapy.commands")),
    reason="scrapy-tps is not installed: Scrapy finds commands by entry points",
)
def test_scrapy_finds_the_command(file: Path) -> None:
    done = scrapy("tps-report", "-s", f"TPS_STATS_FILE={file}", "forum", cwd=file.parent)
    assert "crawl 2 of forum" in done.stdout


def test_wrong_settings_are_named(run: Run) -> None:
    code, _, errors = run(settings={"TPS_SIZE_RATIO": "5"})
    assert code == 2
    assert "TPS_SIZE_RATIO is '5'; allowed: " in errors


def test_sites_cannot_steer_the_terminal(run: Run, file: Path) -> None:
    with closing(FiguresStore(file)) as store:
        crawl = store.begin_crawl("hostile")
        store.add(crawl, {HOSTILE: figures_of(MadeUpPruning(), items=1)}, "finished")
    for form in ("table", "json"):
        _, output, _ = run("hostile", "--format", form)
        assert "owned" in output
        assert not steers(output)


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000], ids=[30, 5000])
@pytest.mark.parametrize("arguments", [["NUMBER"], ["--limit", "NUMBER"]])
def test_a_number_without_bounds_is_a_usage_error(run: Run, arguments: list[str], number: str) -> None:
    code, _, errors = run(*(number if one == "NUMBER" else one for one in arguments))
    assert code == 2
    assert "allowed: a whole number from" in errors


def test_a_row_that_another_program_has_damaged_costs_itself_alone(run: Run, file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE crawl SET started = 'then' WHERE id = 2")
    named = f"{file}: crawl 2 can't be read: ValueError(\"Invalid isoformat string: 'then'\")\n"
    assert run("2") == (1, "", named)
    for arguments in (["--list"], ["1"]):
        code, output, errors = run(*arguments)
        assert (code, bool(output), errors) == (1, True, named)
