"""Banners, headers and numbered lists of the content stay; those of the site are removed."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu, record

ROWS = "".join(f"<tr><td>Candidate {n}</td><td>Party {n}</td><td>{n}2311</td></tr>" for n in range(7))
NAV = menu(20, "nav")


def kept(body: str) -> str:
    return prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html


def test_a_banner_that_only_says_something_stays() -> None:
    result = "<div class=result-banner><span>Novak holds the seat</span> <span>Majority 4,711</span></div>"
    page = f"{NAV}<div><h1>Results in Harbour North</h1>{{}}<table>{ROWS}</table></div>"
    assert "Majority 4,711" in kept(page.format(result))


@pytest.mark.parametrize("act", ["<a href=/buy>Buy now</a>", "<button>Buy now</button>", "<img src=/ad.png>"])
def test_a_banner_that_leads_somewhere_or_shows_something_goes(act: str) -> None:
    page = f"{NAV}<div><h1>Results in Harbour North</h1>{{}}<table>{ROWS}</table></div>"
    assert "Cheap flights" not in kept(page.format(f"<div class=top-banner><p>Cheap flights</p>{act}</div>"))


def article(n: int) -> str:
    return f"<div class=item><h2><a href=/{n}>Story {n} of the mill</a></h2><p>{n}. {SENTENCE * 2}</p></div>"


def test_the_title_of_the_leading_article_of_a_blog_stays() -> None:
    leading = (
        "<div class=leading><div class=page-header><h2><a href=/0>The leading story</a></h2></div>"
        f"<dl class=info><dt>Details</dt><dd>Written by Otto</dd></dl><p>{SENTENCE * 4}</p></div>"
    )
    others = "".join(map(article, range(1, 7)))
    blog = f"{NAV}<main><div class=page-header><h1>News</h1></div>{leading}{others}</main>"
    assert "The leading story" in kept(blog)


def test_a_header_without_links_titles_a_page_that_has_no_first_heading() -> None:
    page = (
        f"{NAV}<div>{{}}<div class=project__header><h2>The pocket pruner</h2><p>Cuts pages to size.</p></div>"
        f"<div class=grid>{''.join(map(record, range(9)))}</div></div>"
    )
    assert "Cuts pages to size." in kept(page.format(""))


@pytest.mark.parametrize(
    "header",
    [
        "<header class=x1><h2>The mill today</h2><p>A mill of our own.</p></header>",
        "<div class=header><h2>The mill today</h2><p>A mill of our own.</p><a href=/a>More</a></div>",
    ],
    ids=["an element", "a link"],
)
def test_a_header_of_the_site_goes(header: str) -> None:
    page = f"{NAV}<div>{header}<div class=grid>{''.join(map(record, range(9)))}</div></div>"
    assert "A mill of our own." not in kept(page)


def test_a_header_on_a_page_with_a_first_heading_goes() -> None:
    header = "<div class=header><h2>The mill today</h2><p>A mill of our own.</p></div>"
    records = f"<div class=grid>{''.join(map(record, range(9)))}</div>"
    assert "A mill of our own." not in kept(f"{NAV}{header}<div><h1>Breads</h1>{records}</div>")


def test_the_header_of_the_only_result_stays() -> None:
    result = "<div><header><a href=/0>The mill today</a></header><div>12 points</div></div>"
    assert "The mill today" in kept(f"{NAV}<div><h1>Mills</h1><p>1 result for water mills</p></div>{result}")


def test_an_empty_banner_goes() -> None:
    page = (
        f"{NAV}<div><h1>Results in Harbour North</h1><div class=top-banner></div><table>{ROWS}</table></div>"
    )
    assert "top-banner" not in kept(page)
