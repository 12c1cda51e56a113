"""Markup for the tests of the strategies: records, boilerplate, pages of one thing."""

from __future__ import annotations

from scrapy_tps import prune

SENTENCE = "The mill by the river was built of grey stone and has ground barley for two hundred years. "


def kept(html: str, strategy: str = "auto") -> str:
    """The pruned page, however small it is."""
    return prune(html, settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": strategy}).html


def record(number: int, classes: str = "item") -> str:
    return (
        f'<div class="{classes}"><h3><a href="/r/{number}">Record number {number} of the page</a></h3>'
        f"<p>It is described in a sentence that belongs to record {number} alone, no other.</p>"
        f'<span class="price">{number}.95 crowns</span><form><button>Buy {number}</button></form></div>'
    )


def menu(links: int = 30, tag: str = "div", attributes: str = "") -> str:
    items = "".join(f'<li><a href="/m/{number}">Menu {number}</a></li>' for number in range(links))
    return f"<{tag} {attributes}><ul>{items}</ul></{tag}>"


def listing(records: int = 12, *, semantic: bool = True) -> str:
    top = menu(60, "nav", 'class="site-nav"') if semantic else menu(60)
    bottom = "<footer><p>Made by nobody in particular</p><a href=/i>Imprint</a></footer>" if semantic else ""
    grid = "".join(map(record, range(records)))
    return f"<html><body>{top}<h1>All the records</h1><div class=grid>{grid}</div>{bottom}</body></html>"


def listing_above(part: str) -> str:
    """A list of records without pagination, and a footer that goes, with this part in it."""
    records = "".join(map(record, range(12)))
    return (
        f"<html><body>{menu(40, 'nav')}<h1>All the records</h1><div>{records}</div>"
        f"<footer><p>{SENTENCE}</p><div>{part}</div><p>Imprint of the mill</p></footer></body></html>"
    )


def article(paragraphs: int = 8) -> str:
    text = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(paragraphs))
    return (
        f"<html><body><header>{menu(20, 'nav')}</header><main><article><header><h1>The mill</h1>"
        f'<p class="byline">By <span class="author">Ada Miller</span></p></header>{text}'
        '<ul class="tags"><li><a href="/t/1">Mills</a></li><li><a href="/t/2">Rivers</a></li></ul>'
        "</article></main><footer>Imprint and more of it</footer></body></html>"
    )
