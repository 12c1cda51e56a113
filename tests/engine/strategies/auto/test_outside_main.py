"""A `main` element that holds most of the page: what leads to it stays with the heading."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, kept, menu, record


def test_an_introduction_without_links_stays_however_short_the_page_is() -> None:
    title = f"<div class=pricing-header><h1>Pricing</h1><p>For small shops. {SENTENCE * 2}</p></div>"
    plans = "".join(
        f"<div class=plan><h4>Plan {n}</h4><b>{n}9 crowns</b><i>{n} users</i><p>{SENTENCE}</p></div>"
        for n in range(5)
    )
    assert "For small shops" in kept(
        f"<body><header>{menu(4)}{title}</header><main>{plans}</main><footer>Imprint</footer></body>"
    )


def test_the_description_of_a_category_between_its_heading_and_main_stays() -> None:
    title = f"<header class=page-header><h1>Mills</h1><div><p>Of this category: {SENTENCE}</p></div></header>"
    records = "".join(map(record, range(12)))
    body = f"{menu(20, 'nav')}<div>{title}<main>{records}</main></div><footer>Imprint</footer>"
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "Of this category" in html
    assert "Imprint" not in html


def test_an_aside_of_prose_behind_the_main_part_stays() -> None:
    text = f"<main><h1>The mill</h1>{f'<p>{SENTENCE * 3}</p>' * 6}</main>"
    page = f"<body>{menu(20, 'nav')}<div>{text}{{}}</div><footer>Imprint</footer></body>"
    assert "Good to know" in kept(page.format(f"<aside><h2>Good to know</h2><p>{SENTENCE}</p></aside>"))
    for other in (f"<form>{SENTENCE}<input></form>", menu(6)):
        assert "Good to know" not in kept(page.format(f"<aside><h2>Good to know</h2>{other}</aside>"))
