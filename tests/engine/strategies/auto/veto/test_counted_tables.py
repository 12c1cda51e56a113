"""Where nothing has a class, scrapers count tables: on the pruned page they find the same one."""

from __future__ import annotations

from lxml.html import document_fromstring

from scrapy_tps import prune

MENU = "<table><tr><th><font>Weather today</font> <b><a href=/rain>rain</a></b> <b><a href=/help>Help</a></b></th></tr></table>"
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


def test_tables_behind_those_that_stay_go_whole() -> None:
    html = pruned("", MENU)
    assert "Help" not in html
    assert html.count("<table") == 1


def test_of_very_many_tables_nothing_is_put_back() -> None:
    html = pruned(MENU * 40)
    assert "Help" not in html
    assert html.count("<table") == 1
