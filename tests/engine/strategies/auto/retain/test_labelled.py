"""The first byline stays, whatever holds it."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu

TEXT = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(8))
SHARE = " ".join(f'<a href="/s/{number}">Send it by way number {number}</a>' for number in range(6))


def kept(below: str = "", above: str = "", end: str = "") -> str:
    html = (
        f"<html><body>{menu(20, 'nav')}<div class=story>{above}<h1>The mill</h1>{below}"
        f"<div class=text>{TEXT}</div>{end}</div><footer>Imprint and more of it</footer></body></html>"
    )
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize(
    "byline",
    [
        '<span class="post-author">Ada Miller</span> <time>4 May 2025</time>',
        '<span class="ArticleByLine_name">Ada Miller</span> <i>4 May 2025</i>',
        '<a rel="author" href="/ada">Ada Miller</a>, 4 May 2025',
    ],
)
@pytest.mark.parametrize("mark", ["headline-footer", "social", "sidebar"])
def test_a_byline_in_a_marked_part_stays_with_its_date(mark: str, byline: str) -> None:
    html = kept(f'<div class="{mark}"><div>{byline}</div><div>{SHARE}</div></div>')
    assert "Ada Miller" in html
    assert "4 May 2025" in html
    assert "/s/1" not in html


def test_a_byline_right_above_the_heading_stays() -> None:
    assert "Ada Miller" in kept(above='<aside><p class="author">Ada Miller</p></aside>')


def test_a_byline_below_the_text_stays_where_it_is_the_first() -> None:
    end = '<footer class="entry-footer"><p class="author">Ada Miller</p></footer>'
    assert "Ada Miller" in kept(end=end)


def test_further_authors_go() -> None:
    related = '<aside class="related"><p><a href=/2>The weir</a></p><p class="author">Bert Weaver</p></aside>'
    assert "Bert Weaver" not in kept('<p class="author">Ada Miller</p>', end=related)


def test_the_portrait_of_an_author_goes() -> None:
    end = f'<aside class="author">About Ada Miller. {SENTENCE}</aside>'
    assert "About Ada Miller" not in kept(end=end)


def test_authors_in_a_menu_go() -> None:
    assert "Our authors" not in kept('<nav><a class="authors" href="/authors">Our authors</a></nav>')


def test_authorities_write_nothing() -> None:
    assert "Board of mills" not in kept('<aside><p class="authority-name">Board of mills</p></aside>')
