"""The heading that the title of a page repeats stays, whatever holds it."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu

TEXT = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(8))
TITLE = "How the mill was built"


def kept(header: str, before: str = "", title: str = f"{TITLE} | Mills of the world") -> str:
    html = (
        f"<html><head><title>{title}</title></head><body>{before}<header>{header}</header>{menu(20, 'nav')}"
        f"<div class=text>{TEXT}</div><footer>Imprint and more of it</footer></body></html>"
    )
    return prune(html, settings={"TPS_MIN_NODES": 0}).html.partition("<body")[2]


def test_a_headline_in_a_header_stays() -> None:
    html = kept(f"<div>Mills of the world</div><h2>How the <i>mill</i> was built</h2>{menu(5)}")
    assert "How the <i>mill</i> was built" in html
    assert "Menu 3" not in html


def test_the_longest_of_two_stays() -> None:
    html = kept(f"<h3>Mills of the world</h3><h2>{TITLE}</h2>")
    assert TITLE in html
    assert "Mills of the world" not in html


def test_a_heading_that_the_title_does_not_repeat_goes() -> None:
    assert "Built on water" not in kept("<h2>Built on water</h2>")


def test_one_that_stays_anyway_is_enough() -> None:
    html = kept(f"<h2>{TITLE}</h2>", before=f"<div><h1>{TITLE}</h1></div>")
    assert html.count(TITLE) == 1


def test_headings_of_menus_go() -> None:
    assert TITLE not in kept(f"<nav><h2>{TITLE}</h2>{menu(5)}</nav>")


def test_lines_in_a_block_with_the_headline_stay() -> None:
    html = kept(f"<div><h2>{TITLE}</h2><div>Riga, in the spring</div></div><a href=/apply>Apply now</a>")
    assert "Riga, in the spring" in html
    assert "Apply now" not in html
