"""Analysis of a selector before its evaluation."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.engine.fallback.analysis import ANYWHERE, DOWN, SIDEWAYS, analyse
from scrapy_tps.engine.journal import EQUAL, PART, WORD
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.xpath_syntax import XPathSyntaxError, parse_xpath


def css(selector: str) -> str:
    return HTMLTranslator().css_to_xpath(selector)


@pytest.mark.parametrize(
    "selector",
    [
        "//a",
        "//p",
        "//text()",
        "//a/@href",
        css("a::attr(href)"),
        css("div > a"),
        css("body *"),
        css("h2, h3"),
        css("*[class]"),
        css("a[href^=http]"),
        "//text()[normalize-space()]",
        "//text()[not(ancestor::script)]",
    ],
)
def test_selectors_that_name_only_tags_are_generic(selector: str) -> None:
    assert analyse(selector).generic


@pytest.mark.parametrize(
    "selector",
    [
        css(".price"),
        css("#main p"),
        css("a[href*='/product/']"),
        css("div[data-price]"),
        css("a::attr(data-id)"),
        "//p[1]",
        "//h2[contains(., 'Agenda')]/..",
        css("li:first-child"),
        "//a[@href=$url]",
        "id('main')",
    ],
)
def test_selectors_that_name_something_are_not_generic(selector: str) -> None:
    assert not analyse(selector).generic


@pytest.mark.parametrize(
    ("selector", "reach"),
    [
        (css(".price::text"), DOWN),
        ("./td[2]//text()", DOWN),
        (css("tr:first-child"), SIDEWAYS),
        (css("h2 + p"), SIDEWAYS),
        ("../td", ANYWHERE),
        ("//td", ANYWHERE),
        (".//td[//th]", ANYWHERE),
        ("ancestor::table//th", ANYWHERE),
        ("id('x')", ANYWHERE),
        ("is this one?", ANYWHERE),
    ],
)
def test_reach_is_how_far_an_answer_may_be_from_the_context_element(selector: str, reach: int) -> None:
    assert analyse(selector).reach == reach


@pytest.mark.parametrize(
    ("selector", "exact"),
    [
        (css(".price::text"), True),
        (css("a:not([href^='#'])"), True),
        ("//td[@class='a' or @id='b']/@title", True),
        (css("p:contains('x')"), False),
        ("//td[2]", False),
        ("//td[position() < 3]", False),
        ("//td[$n]", False),
        ("//div[h2]", False),
        ("//h2/following-sibling::p", False),
        ("//p[string-length() > 3]", False),
    ],
)
def test_exact_are_selectors_of_which_pruning_takes_nothing_but_what_it_removes(
    selector: str, exact: bool
) -> None:
    assert analyse(selector).alternatives[0].exact is exact


def test_names_are_those_without_which_nothing_matches() -> None:
    price = analyse(css("div.product.new span#now")).alternatives[0]
    first, *_, last = price.steps  # older versions of cssselect write a step for any element between them
    assert first.tags == (b"div",)
    assert {(b"class", b"product", WORD), (b"class", b"new", WORD)} <= set(first.tests)
    assert last == ((b"span",), ((b"id", b"now", EQUAL),))


@pytest.mark.parametrize(
    ("selector", "tests"),
    [
        ("//td[contains(@class, 'rg')]", [("class", "rg", PART)]),
        ("//a[starts-with(@href, '/p/')]", [("href", "/p/", PART)]),
        ("//a[@rel='next' and @href]", [("rel", "next", EQUAL), ("href", "", PART)]),
        ("//a[@class='a  b']", [("class", "a  b", EQUAL)]),
        ("//a[normalize-space(@class)='a\u00a0b c']", [("class", "a\u00a0b", WORD), ("class", "c", WORD)]),
        ("//a[@*='x']", []),
        ("//a[@xml:lang='x']", []),
        ("//a[@rel='x' or @rel='y']", []),
        ("//a[not(@rel='x')]", []),
        ("//a[@rel='']", [("rel", "", EQUAL)]),
        ("//a[@rel][contains(@href, '')]", [("rel", "", PART)]),
        ("//a[@rel]/@href", [("rel", "", PART), ("href", "", PART)]),
        ("//a[b/@rel='x']", []),
    ],
)
def test_attributes_are_needed_where_no_element_matches_without(
    selector: str, tests: list[tuple[str, str, int]]
) -> None:
    [step] = (step for step in analyse(selector).alternatives[0].steps if step.tags)
    assert step.tests == tuple((name.encode(), value.encode(), how) for name, value, how in tests)


@pytest.mark.parametrize(
    ("selector", "paths"),
    [
        ("//a | //b", 2),
        (css(".a, .b > c"), 2),
        ("//a[b | c]", 1),
        ("(//a | //b)", 2),
        ("(//a | //b)[1]", 0),
        ("//a[. = '|'] | b", 2),
    ],
)
def test_a_union_falls_into_its_paths(selector: str, paths: int) -> None:
    assert len(analyse(selector).alternatives) == paths


_PATHS = st.recursive(
    st.sampled_from(
        [
            "a",
            "*",
            ".",
            "..",
            "@href",
            "text()",
            "node()",
            "//p",
            "/html/body",
            "'x'",
            "1",
            "$v",
            "position()",
            "div//a",
            "ancestor::div",
            "a-b",
            "div div 2",
            "a * 2",
            "* * *",
            "(a|b)",
            "-1",
            "re:test(@a, 'b')",
            ".//*[@id='x']",
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(
            inner, st.sampled_from([" and ", " or ", " = ", " | ", "/", "//", " < ", "-", "+"]), inner
        ).map("".join),
        inner.map(lambda one: f"p[{one}]"),
        inner.map(lambda one: f"not({one})"),
        inner.map(lambda one: f"concat({one}, 'b')"),
        inner.map(lambda one: f"({one})[2]"),
    ),
    max_leaves=6,
)


@given(_PATHS)
def test_what_libxml2_understands_is_understood(selector: str) -> None:
    assume("///" not in selector)  # which older versions of libxml2 take for a path
    try:
        etree.XPath(selector, namespaces={"re": "http://exslt.org/regular-expressions"})
    except etree.XPathError:
        return
    parse_xpath(selector)


@pytest.mark.parametrize("selector", [" | ".join(["//a"] * 3000), f"//a[{' and '.join(['@b'] * 3000)}]"])
def test_long_selectors_are_no_error(selector: str) -> None:
    analyse(selector)
    compile_selector(selector)


@given(st.text(alphabet="ab/*[]()@.:'\"$ -|<=1,", max_size=20))
def test_no_text_is_an_error(selector: str) -> None:
    analyse(selector)
    with suppress(XPathSyntaxError):
        parse_xpath(selector)
