"""Pages with names and values that lxml reads, but does not accept: no selector raises because of them."""

from __future__ import annotations

from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from tests.support.cuts import without

_CHARACTERS = (
    "\x01",
    "\x0b",
    "\x1b",
    "\x7f",
    "\x85",
    "\ufffe",
    "\uffff",
    "\U0001fffe",
    "&#1;",
    "&#xfffe;",
    "\xe9",
)
ODD = st.sampled_from(("", *_CHARACTERS, *":;!\"'=/<&[]{}()*@#$.-_7x", "-\x0b", "\x01x", "x\ufffe", "a:b"))
SELECTORS = (
    ("css", "nav a::text"),
    ("css", ".m"),
    ("css", "[class*=m] a"),
    ("css", "aside"),
    ("css", "*[data-y]"),
    ("css", "#side li::text"),
    ("css", "li:nth-child(2)"),
    ("css", "*"),
    ("css", "h1"),
    ("css", "[id]::attr(id)"),
    ("xpath", "//text()"),
    ("xpath", "//@*"),
    ("xpath", "//*[not(*)]"),
    ("xpath", "name(//nav/*[last()])"),
    ("xpath", "string(//nav)"),
    ("xpath", "count(//li)"),
    ("xpath", "//*[starts-with(@id, 'side')]"),
    ("xpath", "//nav/following-sibling::node()"),
    ("xpath", "//*[@data-x='1']/.."),
    ("xpath", "//main/preceding::*[1]"),
)


def page_of(names: list[str]) -> str:
    """Return a page with these names and values, in turn."""
    odd = cycle(names)

    def element(*children: str, tag: str = "") -> str:
        name = tag or f"z{next(odd)}"
        attributes = (
            f'class="m {next(odd)}" id="side{next(odd)}" data-{next(odd)}x=1 {next(odd)}="{next(odd)}"'
        )
        return f"<{name} {attributes}>{next(odd)}{''.join(children)}</{name}>{next(odd)}"

    menu = element(element("a link", tag="li"), element(tag="li"), element("b"), tag="nav")
    main = element(element("T", tag="h1"), element("Solid oak.", tag="p"), element(), tag="main")
    return f"<html><head>{element(tag='style')}</head><body>{menu}{element()}{main}</body></html>"


@given(
    names=st.lists(ODD, min_size=1, max_size=11),
    gone=st.sampled_from(["nav", "main", "nav li", "h1"]),
    held=st.booleans(),
)
def test_a_name_that_lxml_does_not_accept_costs_no_selector(names: list[str], gone: str, held: bool) -> None:
    response = HtmlResponse("http://x.test/", body=page_of(names).encode(), encoding="utf-8")
    pruned = prune_response(response, without(gone, held=held))
    assert pruned.tps.outcome != "error", pruned.tps.error
    for how, selector in SELECTORS:
        found = getattr(pruned, how)(selector)
        assert found or not getattr(response, how)(selector)
        found.getall()
    pruned.css("nav, main, z").drop()
    pruned.css("*::text").getall()
    assert list(pruned.tps.removed()) or not pruned.tps.pruned
