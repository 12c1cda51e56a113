"""What is named after a menu and holds texts stays."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu


def kept(part: str) -> str:
    text = f"<p>{SENTENCE * 2}</p>" * 6
    html = f"<html><body><h1>The mill</h1><div class=text>{text}</div>{part}<div class=text>{text}</div></body></html>"
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


def test_texts_in_a_part_that_a_menu_leads_to_stay() -> None:
    assert "two hundred bags" in kept(
        '<div class="nav-source"><p>It grinds two hundred bags a day.</p></div>'
    )


def test_links_in_a_part_named_after_a_menu_go() -> None:
    assert "Menu 7" not in kept(menu(20, attributes='class="nav-source"'))


def test_a_short_text_in_a_menu_goes() -> None:
    assert "Where to go next" not in kept('<div class="site-menu"><p>Where to go next from here</p></div>')


def test_a_large_text_in_a_menu_stays() -> None:
    assert "a day" in kept(f'<div class="site-menu"><p>It grinds 200 bags a day. {SENTENCE * 6}</p></div>')
