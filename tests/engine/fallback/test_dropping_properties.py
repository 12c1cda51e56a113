"""Random pages, cuts, questions and removals: what a spider removed stays away, and removing it costs no data."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.selector import OriginalSelector
from tests.engine.fallback.test_properties import ask, pages, selectors
from tests.support.cuts import without

_SIDE_QUERIES = (
    ".topic",
    ".topic a",
    ".topic a::text",
    ".side li",
    ".side h2",
    ".side h2::text",
    ".list",
    "aside a::attr(href)",
    "aside",
    "h2",
    "a",
    "div",
)
_AROUND = ("..", "ancestor::aside", "following-sibling::*", "preceding-sibling::*", ".//a", "../*", "li")

Asked = tuple[str, set[int], list[tuple[str, str]]]


@st.composite
def visits(draw: st.DrawFn) -> Asked:
    """Any page, the parts cut from it, and selectors."""
    cut = draw(st.sets(st.integers(1, 8), min_size=1, max_size=4))
    return draw(pages()), cut, draw(st.lists(selectors(), min_size=2, max_size=8))


@st.composite
def visits_to_sidebars(draw: st.DrawFn) -> Asked:
    """A page whose sidebars are cut, and selectors."""
    parts: list[str] = []
    cut: set[int] = set()
    count = 0

    def start(tag: str, attributes: str = "") -> None:
        nonlocal count
        count += 1
        parts.append(f"<{tag} data-n={count} {attributes}>")

    for _ in range(draw(st.integers(1, 3))):
        start("div")
        for _ in range(draw(st.integers(1, 3))):
            start("p")
            parts.append("A sentence.</p>")
        start("aside", "class=side")
        cut.add(count)
        start("h2")
        parts.append("Topics</h2>")
        start("ul", "class=list")
        for _ in range(draw(st.integers(1, 3))):
            start("li", draw(st.sampled_from(["class=topic", ""])))
            start("a", "href=/t")
            parts.append("Topic</a></li>")
        parts.append("</ul></aside></div>")
    used = st.one_of(
        st.tuples(st.just("css"), st.sampled_from(_SIDE_QUERIES)),
        st.tuples(st.just("xpath"), st.sampled_from(_AROUND)),
    )
    html = f"<html><head><title>t</title></head><body>{''.join(parts)}</body></html>"
    return html, cut, draw(st.lists(used, min_size=3, max_size=10))


_VISITS = st.one_of(visits(), visits_to_sidebars())


def number_of(selector: Any) -> str | None:
    """The number of the element that a selector is of; None if it is of none that has one."""
    return selector.root.get("data-n") if etree.iselement(selector.root) else None


class Visit:
    """A pruned page, and beside it Scrapy's own page, from which the same is dropped."""

    def __init__(self, html: str, cut: set[int], *, held: bool) -> None:
        page = HtmlResponse("http://a.example/", body=html.encode(), encoding="utf-8")
        drop = [f"[data-n='{number}']" for number in sorted(cut)]
        self.pruned = prune_response(page, without(*drop, held=held))
        self.whole = page.selector
        self._numbered = {one.get("data-n"): one for one in self.whole.root.iter() if one.get("data-n")}
        self.gone: set[str] = set()
        self.held: list[Any] = []

    def twin(self, selector: Any) -> Any:
        """The selector of Scrapy's page for the same element."""
        number = number_of(selector)
        return self.whole if number is None else type(self.whole)(root=self._numbered[number], type="html")

    def remember_gone(self, numbers: list[str], *, with_tail: bool = False) -> None:
        for number in numbers:
            element = self._numbered[number]
            self.gone.update(one.get("data-n") for one in element.iter() if one.get("data-n"))
            above = element.getparent()
            if above is not None and with_tail:  # as lxml does
                above.remove(element)
            elif above is not None:
                element.drop_tree()

    def left(self) -> set[str]:
        """The numbers of what is on the pruned page."""
        return {one.get("data-n") for one in self.pruned.selector.root.iter() if one.get("data-n")}

    def parts(self) -> list[Any]:
        """Possible contexts of selectors: the page, and the selectors that the spider holds."""
        return [self.pruned.selector, *(one for one in self.held if number_of(one) not in self.gone)]

    def back(self, found: Any) -> set[str]:
        """The numbers of what is gone and is in an answer none the less."""
        elements = [one.root for one in found if etree.iselement(one.root)]
        return {inner.get("data-n") for one in elements for inner in one.iter()} & self.gone

    def hold(self, found: Any) -> None:
        self.held += [one for one in found if number_of(one) is not None][:4]


def check(visit: Visit, part: Any, found: Any, how: str, selector: str) -> None:
    """Nothing is lost: the answer is the one that the page as downloaded gives without what was dropped."""
    expected = ask(visit.twin(part), how, selector)
    if is_nothing([one.root for one in found]):
        assert is_nothing([one.root for one in expected]), (how, selector, part)
    if any(isinstance(one, OriginalSelector) for one in found) or isinstance(part, OriginalSelector):
        assert found.getall() == expected.getall(), (how, selector, part)


@settings(max_examples=80)
@given(_VISITS, st.booleans(), st.data())
def test_what_is_dropped_is_gone_and_nothing_else(asking: Asked, held: bool, data: st.DataObject) -> None:
    html, cut, used = asking
    visit = Visit(html, cut, held=held)
    for how, selector in [*used, *used]:
        part = data.draw(st.sampled_from(visit.parts()))
        found = ask(part, how, selector)
        assert not visit.back(found), (how, selector, part)
        check(visit, part, found, how, selector)
        visit.hold(found)
        elements = found.__class__(one for one in found if number_of(one) is not None)
        if elements and data.draw(st.booleans()):
            if data.draw(st.booleans()):
                elements = elements[:1]
            numbers = [number_of(one) or "" for one in elements]
            before = visit.left()
            elements.drop()
            visit.remember_gone(numbers)
            assert visit.left() == before - visit.gone


@settings(max_examples=80)
@given(_VISITS, st.booleans(), st.data())
def test_what_others_remove_from_the_pruned_tree_does_not_come_back(
    asking: Asked, held: bool, data: st.DataObject
) -> None:
    html, cut, used = asking
    visit = Visit(html, cut, held=held)
    for how, selector in [*used, *used]:
        part = data.draw(st.sampled_from(visit.parts()))
        found = ask(part, how, selector)
        assert not visit.back(found), (how, selector, part)
        visit.hold(one for one in found if not isinstance(one, OriginalSelector))
        here = [one for one in visit.pruned.selector.root.iter() if one.get("data-n")]
        if data.draw(st.booleans()) and here:
            gone = data.draw(st.sampled_from(here))
            gone.getparent().remove(gone)
            visit.remember_gone([gone.get("data-n")], with_tail=True)


def test_the_text_behind_what_is_dropped_stays() -> None:
    body = b"<html><body><main><nav>menu</nav>one <i>two</i> three <b>four</b></main></body></html>"
    settings_of = {"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 0, "TPS_KEEP": ["i", "b"], "TPS_DROP": ["nav"]}
    response = prune_response(HtmlResponse("https://a.example/", body=body), settings=settings_of)
    response.css("i")[0].drop()
    assert response.css("main").getall() == ["<main>one  three <b>four</b></main>"]


def test_a_blank_between_words_outlives_the_dropped_element_behind_it() -> None:
    body = b"<html><body><div><p>one<br>two<span><script type='application/json'>{}</script></span></p></div>"
    settings_of = {"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 0, "TPS_SIZE_RATIO": 0, "TPS_DROP": ["p"]}
    response = prune_response(HtmlResponse("https://a.example/", body=body * 2), settings=settings_of)
    for _ in range(3):
        assert response.css("br").getall() == []
        assert response.xpath("//script/text()").getall() == ["{}"] * 2


def test_dropping_an_element_makes_the_texts_around_it_one() -> None:
    body = b"<html><body><nav>menu</nav><p>one <b>two</b> three <i>four</i> five</p><p>six</p></body></html>"
    pages = (
        HtmlResponse("https://a.example/", body=body),
        prune_response(HtmlResponse("https://a.example/", body=body), without("nav", "b")),
    )
    for page in pages:
        page.css("i")[0].drop()
    plain, pruned = (page.xpath("//p/text()").getall() for page in pages)
    assert plain == ["one ", " three  five", "six"]
    assert pruned == plain


def test_an_element_that_lost_only_what_is_dropped_is_no_shell() -> None:
    body = b"<html><body><nav>menu</nav><ul class=a><li>one</li></ul><p class=b>two</p></body></html>"
    settings_of = without("nav", "li", "p") | {"TPS_DROP": ["li"]}
    response = prune_response(HtmlResponse("https://a.example/", body=body), settings_of)
    assert response.css("[class]").getall() == ['<ul class="a"></ul>']
