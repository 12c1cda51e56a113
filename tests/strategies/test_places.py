"""Breadcrumbs: one of equal ones is enough."""

from __future__ import annotations

from scrapy_tps import prune
from tests.strategies.made import listing

CRUMBS = '<ol class="breadcrumbs"><li><a href="/">Start</a></li><li>All the records</li></ol>'


def kept(html: str) -> str:
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


def test_the_copy_in_the_header_goes_where_another_stays() -> None:
    header = f"<header><a href=/>Mills</a>{CRUMBS}</header>"
    html = kept(listing().replace("<h1>", f"{header}<div>{CRUMBS}</div><h1>"))
    assert html.count(">Start<") == 1


def test_one_of_two_in_furniture_stays() -> None:
    header = f"<header><a href=/>Mills</a>{CRUMBS}</header>"
    html = kept(listing().replace("<h1>", f"{header}<nav>{CRUMBS}</nav><h1>"))
    assert html.count(">Start<") == 1


def test_different_breadcrumbs_stay() -> None:
    header = f"<header><a href=/>Mills</a>{CRUMBS}</header>"
    html = kept(listing().replace("<h1>", f"{header}<nav>{CRUMBS.replace('Start', 'Home')}</nav><h1>"))
    assert ">Start<" in html
    assert ">Home<" in html
