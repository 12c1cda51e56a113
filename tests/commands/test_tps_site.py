from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from scrapy_tps.engine.asking.learnt import Learnt, Place, SiteQueries, Step
from scrapy_tps.sites.store import SiteStore
from tests.support.crawling import scrapy
from tests.support.site import ABOUT, article

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(article(number), encoding="utf-8")
    return tmp_path


def tps_site(project: Path, *arguments: str, file: str = "sites.sqlite", check: bool = True) -> str:
    done = scrapy("tps-site", "-s", f"TPS_SITE_FILE={project / file}", *arguments, cwd=project, check=check)
    return done.stdout if check else f"{done.returncode}: {done.stderr}"


def test_files_are_learnt_shown_merged_and_forgotten(project: Path) -> None:
    assert (
        tps_site(project, "learn", "--site", "a.example", "0.html", "1.html") == "a.example: 2 pages known\n"
    )
    tps_site(project, "learn", "--site", "a.example", "2.html", file="other.sqlite")
    tps_site(project, "merge", str(project / "other.sqlite"))
    (shown,) = json.loads(tps_site(project, "show", "--json"))
    assert (shown["site"], shown["pages"], shown["epoch"], shown["removes"]) == ("a.example", 3, 0, True)
    assert shown["digest"] in tps_site(project, "show", "a.example")
    assert tps_site(project, "forget", "a.example") == "1 site forgotten\n"
    assert json.loads(tps_site(project, "show", "--json")) == []


def test_queries_that_spiders_taught_are_shown_and_merged(project: Path) -> None:
    queries = SiteQueries([Learnt("//ul", Place((Step("ul", "dates"),), 0), "#dates")])
    with closing(SiteStore(project / "other.sqlite", create=True)) as other:
        other.merge([], [("a.example", (0, queries))])
    assert tps_site(project, "merge", str(project / "other.sqlite")).endswith("other.sqlite: 1 site\n")
    (shown,) = json.loads(tps_site(project, "show", "--json"))
    assert (shown["site"], shown["pages"], shown["queries"]) == ("a.example", 0, 1)
    assert " queries " in tps_site(project, "show")


def test_merging_tells_how_many_sites_had_to_go(project: Path) -> None:
    for site in ("a.example", "b.example"):
        tps_site(project, "learn", "--site", site, "0.html")
        tps_site(project, "learn", "--site", f"other.{site}", "1.html", file="other.sqlite")
    other = project / "other.sqlite"
    told = tps_site(project, "-s", "TPS_SITE_FILE_SITES=3", "merge", str(other))
    assert told == f"{other}: 2 sites, 1 site forgotten (TPS_SITE_FILE_SITES)\n"
    assert [one["site"] for one in json.loads(tps_site(project, "show", "--json"))] == [
        "b.example",
        "other.a.example",
        "other.b.example",
    ]


def test_addresses_are_learnt(project: Path, server: MockServer) -> None:
    told = tps_site(project, "learn", server("/story/1"), server("/story/2"))
    assert told == "127.0.0.1: 2 pages known\n"


def test_a_log_in_that_comes_instead_of_a_page_teaches_nothing(project: Path, server: MockServer) -> None:
    done = tps_site(project, "learn", server("/members/1"), server("/story/2"), check=False)
    assert done == f"1: {server('/login')} came instead of a page of the site, and teaches nothing\n"
    assert [one["pages"] for one in json.loads(tps_site(project, "show", "--json"))] == [1]


def test_commands_on_a_page_judge_it_with_a_file_of_models(project: Path) -> None:
    tps_site(project, "learn", "--site", "a.example", "1.html", "2.html")
    page = ("0.html", "--site", str(project / "sites.sqlite"), "-s", "TPS_SITE_TEMPLATE_PAGES=2")
    alone = scrapy("tps-prune", *page[:1], cwd=project).stdout
    known = scrapy("tps-prune", *page, "--url", "https://a.example/0", cwd=project).stdout
    other = scrapy("tps-prune", *page, "--url", "https://b.example/0", cwd=project)
    assert ABOUT in alone
    assert ABOUT not in known
    assert ABOUT in other.stdout
    assert "nothing is known of b.example" in other.stderr
    scrapy("tps-view", *page, "--url", "https://a.example/0", "--no-browser", "-o", "view.html", cwd=project)
    assert "on all 2 other pages of this site" in (project / "view.html").read_text("utf-8")
    shown = json.loads(tps_site(project, "show", "--json"))
    assert [(one["site"], one["pages"]) for one in shown] == [("a.example", 2)]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("--site", "sites.sqlite"), "2: "),
        (("--site", "none.sqlite", "--url", "https://a.example/0"), "1: none.sqlite"),
    ],
)
def test_a_file_of_models_that_cannot_be_used_is_told(
    project: Path, arguments: tuple[str, ...], answer: str
) -> None:
    done = scrapy("tps-records", "0.html", *arguments, cwd=project, check=False)
    assert f"{done.returncode}: {done.stderr}".startswith(answer)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("show", "b.example"), "1: "),
        (("learn", "--site", "a.example", "none.html"), "1: none.html can't be read"),
        (("learn", "--site", "b.example", "small.html"), "1: small.html teaches nothing: too_small"),
        (("show", "small.html"), "1: nothing is known of small.html: -s TPS_SITE_FILE=small.html shows"),
        (("learn", "0.html"), "2: "),
        (("teach",), "2: "),
        (("merge",), "2: "),
    ],
)
def test_what_cannot_be_done_is_told(project: Path, arguments: tuple[str, ...], answer: str) -> None:
    tps_site(project, "learn", "--site", "a.example", "0.html")
    (project / "small.html").write_text("<p>A line", encoding="utf-8")
    assert tps_site(project, *arguments, check=False).startswith(answer)
    assert [one["site"] for one in json.loads(tps_site(project, "show", "--json"))] == ["a.example"]
