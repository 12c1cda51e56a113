from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector
from scrapy import Spider
from scrapy.utils.test import get_crawler

from scrapy_tps import prune
from scrapy_tps.contracts import KeepsContract
from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.settings.definitions import SETTINGS
from tests.support.shop_pages import listing

FAILING = [
    "//a[foo()]",
    "//x:y",
    "//nope/x:y",
    "//a[$x]",
    "//a[@b and ($x or foo())]",
    "//a[re:nope(., 'a')]",
    "//a[re:test(., '(')]",
    "//a[@x or re:test(@href, '[')]",
    "//a[contains(@x)]",
    "//a[count('x') > 1]",
    "//a[has-class()]",
    "//a[str:tokenize('a')]",
    "set:distinct($x)",
    "a|b",
    "a[x|y]",
]
MATCHING_NOTHING = [
    "a::text",
    "h1, a::text",
    "a::attr(href)",
    "//a/@href",
    "//a | //a/@href",
    "//a/attribute::href[. = 'x']",
    "(//a/@href)[1]",
    "//a/text()[1]",
    "//a/child::text()",
    "//comment()",
    "//processing-instruction('x')",
    "//a/namespace::x",
    "set:distinct(//a/@href)",
    "count(//a)",
    "string(//a)",
    "(//a) = 'x'",
    "/",
    "//DIV",
    "//div/child::A[1]",
    "a:hover",
    "li:visited > a, li",
]
WORKING = [
    "a",
    "DIV.x > a:not(:hover)",
    "a:has(b):nth-child(2n+1)",
    "x\\:y",
    "//a[re:test(@href, '^/p/[0-9]+')]",
    "//a[re:match(@href, 'A')]",
    "//a[has-class('B')]",
    "//a[@href/..]",
    "//@href/..",
    "//a/text()/..",
    "(//a)[last()]",
    "set:difference(//a, //b)",
    "//div[.//text()[contains(., 'DIV $x foo() a:b')]]",
    "id('x')/div | //*[@id=\"it's\"]",
    "./body/div[position() = last() - 1]",
    "//a[ancestor::*[name() = 'SVG'] or count(//x | //y) mod 2 = 0]",
    "//*[local-name() = 'a'][normalize-space() != '']/node()",
    "descendant::a[text()]",
    "/descendant-or-self::node()/a",
    "//text",
    "//comment/text",
]


@pytest.mark.parametrize("selector", [*FAILING, *MATCHING_NOTHING])
@pytest.mark.parametrize("name", ["TPS_KEEP", "TPS_DROP"])
def test_a_selector_of_no_use_is_refused_with_setting_value_and_what_is_allowed(name, selector):
    with pytest.raises(ValueError, match="allowed: a CSS selector or XPath of elements") as refused:
        SETTINGS[name].parse(selector)
    assert str(refused.value).startswith(f"{name} is {selector!r}; allowed: ")


@pytest.mark.parametrize("selector", ["//a[foo()]", "//a/@href", "a::text"])
def test_it_is_refused_at_the_start_wherever_it_is_written(selector):
    for name, value in (("TPS_KEEP", [selector]), ("TPS_DOMAINS", {"a.example": {"TPS_DROP": selector}})):
        with pytest.raises(ValueError, match=name):
            TpsMiddleware.from_crawler(get_crawler(Spider, {name: value}))
    with pytest.raises(ValueError, match=r"^@tps_keeps .*: use @tps_keeps SELECTOR"):
        KeepsContract(Spider("shop").parse, *selector.split())


@pytest.mark.parametrize("selector", WORKING)
def test_a_selector_that_may_match_is_taken_and_means_what_it_means_to_a_response(selector):
    html = (
        "<div id=x class='x B'><a href=/p/1 class=B>A</a><div>x<a href=q><b>1</b></a></div><a href=A>c</a></div>"
        "<div>DIV $x foo() a:b</div><text>a</text><comment><text>b</text></comment>"
    )
    page = Selector(html, type="html")
    xpath = selector.startswith(("/", "(", ".", "id(", "set:", "desc"))
    expected = page.xpath(selector) if xpath else page.css(selector)
    found = compile_selector(selector)(page.root.find("body"))
    assert found == [one.root for one in expected if not isinstance(one.root, str)]


@pytest.mark.parametrize(
    "selector",
    [
        "//h2[re:test(., 'Product 2[0-9]$')]",
        "set:difference(//h2, //h2[not(contains(., 'Product 2'))])",
        "//h2[has-class('title')][contains(., 'Product 2')]",
    ],
)
def test_functions_of_parsel_keep_and_drop(selector):
    dropped = prune(listing(), settings={"TPS_DROP": selector})
    assert '"/product/24"' not in dropped.html
    assert '"/product/13"' in dropped.html
    assert '"/product/24"' in prune(listing(), settings={"TPS_DROP": "h2", "TPS_KEEP": selector}).html


def test_a_selector_that_fails_on_a_page_all_the_same_costs_no_page():
    pruning = prune(listing() + "<a href='('>x</a>", settings={"TPS_DROP": "//a[re:test(., @href)]"})
    assert pruning.outcome == "error"
    assert "'//a[re:test(., @href)]' fails on this page" in pruning.error


PIECES = st.sampled_from(
    [
        *"[]()/@|=$.*:,'\" ",
        "//",
        "::",
        "a",
        "b",
        "text()",
        "not(",
        "and",
        "1",
        "0",
        "self::",
        "re:test(",
        "@x",
        "x:y",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_text_is_refused_by_a_value_error_or_can_be_evaluated(text):
    page = Selector("<div><a x=1>b</a></div>", type="html").root
    try:
        found = compile_selector(text)
    except ValueError:
        return
    assert isinstance(found(page), list)
