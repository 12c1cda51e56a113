"""Breadcrumbs and pagination: one of equal ones is enough."""

from __future__ import annotations

from tests.engine.strategies.made import kept, listing

CRUMBS = '<ol class="breadcrumbs"><li><a href="/">Start</a></li><li>All the records</li></ol>'


def test_the_copy_in_the_header_goes_where_another_stays() -> None:
    header = f"<header><a href=/>Mills</a>{CRUMBS}</header>"
    html = kept(listing().replace("<h1>", f"{header}<div>{CRUMBS}</div><h1>"))
    assert html.count(">Start<") == 1


def test_one_of_two_in_boilerplate_stays() -> None:
    header = f"<header><a href=/>Mills</a>{CRUMBS}</header>"
    html = kept(listing().replace("<h1>", f"{header}<nav>{CRUMBS}</nav><h1>"))
    assert html.count(">Start<") == 1


def test_different_breadcrumbs_stay() -> None:
    header = f"<header><a href=/>Mills</a>{CRUMBS}</header>"
    html = kept(listing().replace("<h1>", f"{header}<nav>{CRUMBS.replace('Start', 'Home')}</nav><h1>"))
    assert ">Start<" in html
    assert ">Home<" in html


def test_of_equal_pagers_the_one_below_stays() -> None:
    pager = "<nav class=pagination><a rel=next href=/2>Next</a></nav>"
    html = kept(
        listing().replace("<h1>", f"<header>{pager}</header><h1>").replace("</footer>", f"{pager}</footer>")
    )
    assert html.count(">Next<") == 1
    assert html.index(">Next<") > html.index("All the records")


def test_pictures_that_lead_to_different_pages_stay() -> None:
    arrows = '<a rel="prev" href="/1"><img src=l.gif></a><a rel="next" href="/3"><img src=r.gif></a>'
    html = kept(listing().replace("</footer>", f"{arrows}</footer>"))
    assert 'href="/1"' in html
    assert 'href="/3"' in html
