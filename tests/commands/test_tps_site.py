from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.crawling import scrapy
from tests.support.site import article

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


def test_addresses_are_learnt(project: Path, server: MockServer) -> None:
    told = tps_site(project, "learn", server("/story/1"), server("/story/2"))
    assert told == "127.0.0.1: 2 pages known\n"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("show", "b.example"), "1: "),
        (("learn", "--site", "a.example", "none.html"), "1: none.html can't be read"),
        (("learn", "0.html"), "2: "),
        (("teach",), "2: "),
        (("merge",), "2: "),
    ],
)
def test_what_cannot_be_done_is_told(project: Path, arguments: tuple[str, ...], answer: str) -> None:
    tps_site(project, "learn", "--site", "a.example", "0.html")
    assert tps_site(project, *arguments, check=False).startswith(answer)
