"""Random pages, random cuts, random selectors: what the spider selects stays."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine.fallback.analysis import analyse
from scrapy_tps.engine.fallback.fallback_page import is_nothing, is_of_tags
from scrapy_tps.selector import OriginalSelector, PrunedSelector
from tests.support.cuts import without

_TAGS = ("div", "p", "ul", "li", "span", "a", "b", "section", "script", "noscript", "h2")
_CLASSES = ("", "", "item", "price", "item new", "side", "x-1")


@st.composite
def pages(draw: st.DrawFn) -> str:
    """A page whose elements are numbered in ``data-n``."""
    parts: list[str] = [
        "<html><head><title>t</title><link rel=stylesheet href=s><script>1</script></head><body>"
    ]
    count = 0

    def element(depth: int) -> None:
        nonlocal count
        count += 1
        tag = draw(st.sampled_from(_TAGS))
        names = draw(st.sampled_from(_CLASSES))
        attributes = f" data-n={count}" + (f' class="{names}"' if names else "")
        if draw(st.booleans()):
            attributes += f" id=i{draw(st.integers(1, 4))}"
        if tag == "a":
            attributes += f" href=/p/{draw(st.integers(1, 3))}"
        parts.append(f"<{tag}{attributes}>")
        if tag != "script":
            for _ in range(draw(st.integers(0, 3 if depth < 4 else 0))):
                if draw(st.integers(0, 2)):
                    element(depth + 1)
                else:
                    parts.append(draw(st.sampled_from(["one", " two ", "three", " ", "<!--c-->"])))
        parts.append(f"</{tag}>")

    for _ in range(draw(st.integers(1, 6))):
        element(0)
    return "".join(parts) + "</body></html>"


_STEPS = st.sampled_from(
    [
        "a",
        "p",
        "li",
        "*",
        "div",
        "span[@class]",
        "*[@class='item']",
        "*[@id='i1']",
        "*[last()][@id='i1']",
        "*[contains(@class,'pri')]",
        "li[1]",
        "*[2]",
        "*[last()]",
        "*[a]",
        "*[not(a)]",
        "*[contains(., 'one')]",
        "*[text()='three']",
        "*[count(*)>1]",
        "*[has-class('item')]",
        "*[re:test(@class, '^i')]",
        "*[@id=$id]",
        "script",
        "noscript",
        "*[not(@class)]",
        "*[lang('de')]",
        "*[position()>1]",
        "*[name()='p']",
        "*[string-length()>4]",
        "*[id('i1')]",
        "*[@id and count(.|id('i2'))=1]",
    ]
)
_AXES = st.sampled_from(
    [
        "/",
        "/",
        "//",
        "//",
        "/following-sibling::",
        "/preceding-sibling::",
        "/parent::",
        "/ancestor::",
        "/following::",
        "/descendant::",
        "/preceding::",
        "/ancestor-or-self::",
        "/descendant-or-self::",
        "/self::",
    ]
)
_STARTS = (
    *("//", ".//", "./", "../", "/html/body/", "self::node()//"),
    *("id('i1')//", "id('i2 i3')/", "id('i1')/self::", "id(.//@id)/"),
)
_ENDS = st.sampled_from(["", "", "", "/text()", "//text()", "/@class", "/@href", "/@data-n"])
_FUNCTIONS = st.sampled_from(
    [
        "{}",
        "{}",
        "{}",
        "{}",
        "count({})",
        "boolean({})",
        "not({})",
        "string({})",
        "normalize-space({})",
        "({})[1]",
        "{} | //h2",
        "sum({})",
        "set:distinct({})",
        "string-length({})",
    ]
)
_CSS = st.sampled_from(
    [
        "a",
        "p::text",
        "li",
        ".item",
        ".price::text",
        "#i1",
        "#i1:only-child",
        "#i2:nth-child(2)",
        "#i2 a::attr(href)",
        ".item > span",
        "li + li",
        "li ~ li",
        "p:first-child",
        ":nth-child(2)",
        "li:last-child",
        "div:not(.item)",
        ".item .price",
        "*::text",
        "[data-n]",
        "a[href*='p/2']",
        ".x-1, .side",
        "script",
        "noscript p",
        "link",
        "title::text",
        "a:contains('one')",
        "div p",
        ".nothing",
    ]
)


@st.composite
def selectors(draw: st.DrawFn) -> tuple[str, str]:
    """A method and a selector: absolute or relative, so that it can be used on a part as well."""
    if draw(st.booleans()):
        return "css", draw(_CSS)
    start = draw(st.sampled_from(_STARTS))
    path = start + draw(_STEPS)
    for _ in range(draw(st.integers(0, 2))):
        path += draw(_AXES) + draw(_STEPS)
    return "xpath", draw(_FUNCTIONS).format(path + draw(_ENDS))


def ask(part: Any, how: str, selector: str) -> Any:
    return part.css(selector) if how == "css" else part.xpath(selector, id="i1")


def _numbers(found: Any) -> set[str | None]:
    return {one.root.get("data-n") for one in found if hasattr(one.root, "tag")}


def check(pruned: Any, whole: Any, how: str, selector: str) -> None:
    found, expected = ask(pruned, how, selector), ask(whole, how, selector)
    if is_nothing([one.root for one in found]):
        assert is_nothing([one.root for one in expected]), (how, selector)
    if any(isinstance(one, OriginalSelector) for one in found):
        assert found.getall() == expected.getall(), (how, selector)
        with pruned._tps_page.journal:
            paths = [one.root.getroottree().getpath(one.root) for one in found if hasattr(one.root, "tag")]
        assert paths == [
            one.root.getroottree().getpath(one.root) for one in expected if hasattr(one.root, "tag")
        ]
    xpath = selector if how == "xpath" else pruned._css2xpath(selector)
    if not is_of_tags(pruned.root, analyse(xpath)):
        assert _numbers(found) == _numbers(expected), (how, selector)
        if not any(hasattr(one.root, "tag") for one in expected):
            texts = [["".join(text.split()) for text in some.getall()] for some in (found, expected)]
            assert list(filter(None, texts[0])) == list(filter(None, texts[1])), (how, selector)


@given(
    pages(),
    st.sets(st.integers(1, 25), min_size=1, max_size=6),
    st.lists(selectors(), min_size=1, max_size=8),
    st.data(),
)
def test_no_selector_comes_back_empty_because_of_pruning(
    html: str, cut: set[int], used: list[tuple[str, str]], data: st.DataObject
) -> None:
    response = HtmlResponse("http://a.example/", body=html.encode(), encoding="utf-8")
    drop = [f"[data-n='{number}']" for number in sorted(cut)]
    pruned = prune_response(response, without(*drop))
    parts = [one.get("data-n") for one in pruned.selector.root.iter() if one.get("data-n")]
    for how, selector in used:
        check(pruned.selector, response.selector, how, selector)
        if parts:
            number = data.draw(st.sampled_from(parts))
            part = pruned.selector.root.find(f".//*[@data-n='{number}']")
            here = PrunedSelector(root=part, type="html")
            here.belong_to(pruned.selector._tps_page)
            check(here, response.xpath(f"//*[@data-n='{number}']")[0], how, selector)
