"""Spiders that ``scrapy tps-records --spider`` prints for the demo sites, run as pasted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawling import scrapy
from tests.support.demo_sites import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

STARTS = [
    "http://archive.example/new",
    "http://forum.example/board/hand-tools",
    "http://jobs.example/jobs",
    "http://news.example/",
    "http://search.example/search?q=parish",
    "http://shop.example/c/headphones",
]


def items_of(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    output = folder / "items.json"
    scrapy(*arguments, "-O", str(output), "-s", "TPS_STATS_FILE=None", cwd=PROJECT)
    items: list[dict[str, Any]] = json.loads(output.read_text(encoding="utf-8"))
    return items


@pytest.mark.slow
@pytest.mark.parametrize("url", STARTS)
def test_a_pasted_spider_gives_the_records_of_all_pages(url: str, tmp_path: Path) -> None:
    printed = scrapy("tps-records", "--spider", "pasted", url, cwd=PROJECT)
    assert printed.stderr == ""
    source = tmp_path / "pasted.py"
    source.write_text(printed.stdout, encoding="utf-8")
    found = items_of(tmp_path, "runspider", str(source))
    listed = items_of(
        tmp_path,
        "crawl",
        "listing",
        "-s",
        "SPIDER_MODULES=scrapy_tps.spiders",
        "-a",
        f"url={url}",
        "-a",
        "max_pages=0",
    )
    assert sorted(item["url"] for item in found) == sorted(item["url"] for item in listed)
    assert sorted(item["title"] for item in found) == sorted(item["title"] for item in listed)


def test_the_contracts_of_a_printed_spider_run(tmp_path: Path) -> None:
    printed = scrapy("tps-records", "--spider", "pasted", STARTS[-1], cwd=PROJECT)
    (tmp_path / "pasted.py").write_text(printed.stdout, encoding="utf-8")
    (tmp_path / "project_settings.py").write_text(
        f"import sys\nsys.path.insert(0, {str(PROJECT)!r})\nfrom demo.settings import *\nSPIDER_MODULES = ['pasted']\n",
        encoding="utf-8",
    )
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project_settings\n", encoding="utf-8")
    checked = scrapy("check", cwd=tmp_path)
    assert "Ran 3 contracts" in checked.stderr
    assert checked.stderr.rstrip().endswith("OK")


def test_a_name_of_the_project_is_still_that_spider() -> None:
    shown = scrapy("tps-records", "--spider", "shop", STARTS[-1], cwd=PROJECT)
    assert "12 records" in shown.stdout
