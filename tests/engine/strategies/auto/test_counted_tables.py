"""On pages without classes, scrapers count tables: on the pruned page they find the same one."""

from __future__ import annotations

import pytest
from lxml.html import document_fromstring

from scrapy_tps import prune

MENU = (
    "<table><tr><th><font>Weather today</font> <b><a href=/rain>rain</a></b>"
    " <b><a href=/help>Help</a></b></th></tr></table>"
)
RECORDS = "".join(
    f"<tr><td>{n}.</td><td><a href='/{n}'>Mill number {n}</a> <i>{n} crowns</i>"
    f"<p>What mill {n} says of itself when somebody asks.</p></td></tr>"
    for n in range(30)
)


def pruned(before: str, after: str = "") -> str:
    page = f"<html><body>{before}<table>{RECORDS}</table>{after}</body></html>"
    return prune(page, settings={"TPS_MIN_NODES": 0}).html


def test_a_selector_that_counts_tables_finds_the_same_one() -> None:
    html = pruned(MENU)
    assert "Help" not in html
    assert len(document_fromstring(html).xpath("//table[2]//a[starts-with(., 'Mill')]")) == 30


@pytest.mark.parametrize(
    ("before", "behind", "tables"), [(1, 1, 2), (16, 0, 17), (17, 0, 1)], ids=["behind", "16", "17"]
)
def test_only_those_go_whole_that_nobody_counts(before: int, behind: int, tables: int) -> None:
    """Those behind the one that stays, and very many."""
    html = pruned(MENU * before, MENU * behind)
    assert "Help" not in html
    assert html.count("<table") == tables
