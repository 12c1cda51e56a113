"""Parts that React streams stay if their placeholder is in the main element."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu


def kept(main: str, *behind: str) -> str:
    text = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(8))
    html = f"<html><body>{menu(20, 'nav')}<main><h1>Mill</h1>{text}{main}</main><div>{menu(9)}</div>{''.join(behind)}"
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


def streamed(number: str, text: str) -> str:
    return f'<div hidden id="S:{number}">{text}</div>'


def test_code_streamed_into_the_main_element_stays() -> None:
    assert "grind(corn)" in kept('<template id="B:5"></template>', streamed("5", "<pre>grind(corn)</pre>"))


def test_what_is_streamed_into_a_streamed_part_stays() -> None:
    outer = streamed("1f", '<div><template id="P:20"></template></div>')
    assert "grind(corn)" in kept(
        '<template id="B:1f"></template>', streamed("20", "<pre>grind(corn)</pre>"), outer
    )


def test_what_is_streamed_elsewhere_goes() -> None:
    part = streamed("2", "<p>A word of ours</p>")
    assert "A word of ours" not in kept("", '<div><template id="B:2"></template></div>', part)


def test_placeholders_in_a_circle_end() -> None:
    one = streamed("1", '<p>One</p><template id="P:2"></template>')
    two = streamed("2", '<p>Two</p><template id="P:1"></template>')
    assert "grey stone" in kept("", one, two)
