"""Random pages, cuts, questions and removals: what a spider removed stays away, and removing it costs no data."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine.asking.learnt import SiteQueries
from scrapy_tps.engine.asking.original import is_nothing
from scrapy_tps.selector import OriginalSelector
from tests.engine.asking.test_properties import ask, pages, queries

_CUTS = st.sets(st.integers(1, 25), min_size=1, max_size=6)


def number_of(selector: Any) -> str | None:
    """The number of the element that a selector is of; None if it is of none that has one."""
    return selector.root.get("data-n") if etree.iselement(selector.root) else None


class Visit:
    """A pruned page, and beside it Scrapy's own page, from which the same is dropped."""

    def __init__(self, html: str, cut: set[int], learnt: SiteQueries | None = None) -> None:
        page = HtmlResponse("http://a.example/", body=html.encode(), encoding="utf-8")
        drop = [f"[data-n='{number}']" for number in sorted(cut)]
        self.pruned = prune_response(page, {"TPS_DROP": drop, "TPS_MIN_NODES": 0}, learnt=learnt or ())
        self.whole = page.selector
        self._numbered = {one.get("data-n"): one for one in self.whole.root.iter() if one.get("data-n")}
        self.gone: set[str] = set()
        self.held: list[Any] = []

    def twin(self, selector: Any) -> Any:
        """The selector of Scrapy's page for the same element."""
        number = number_of(selector)
        return self.whole if number is None else type(self.whole)(root=self._numbered[number], type="html")

    def remember_gone(self, numbers: list[str]) -> None:
        for number in numbers:
            element = self._numbered[number]
            self.gone.update(one.get("data-n") for one in element.iter() if one.get("data-n"))
            if element.getparent() is not None:
                element.drop_tree()

    def parts(self) -> list[Any]:
        """What can be asked: the page, and what the spider holds of it."""
        return [self.pruned.selector, *(one for one in self.held if number_of(one) not in self.gone)]

    def ask(self, part: Any, how: str, query: str) -> Any:
        """Ask; what is gone does not come back."""
        found = ask(part, how, query)
        for one in found:
            if etree.iselement(one.root):
                back = {inner.get("data-n") for inner in one.root.iter()} & self.gone
                assert not back, (how, query, one, back)
        return found

    def hold(self, found: Any) -> None:
        self.held += [one for one in found if number_of(one) is not None][:4]


def check(visit: Visit, part: Any, found: Any, how: str, query: str) -> None:
    """Nothing is lost: the answer is the one that the page as downloaded gives without what was dropped."""
    expected = ask(visit.twin(part), how, query)
    if is_nothing([one.root for one in found]):
        assert is_nothing([one.root for one in expected]), (how, query, part)
    if any(isinstance(one, OriginalSelector) for one in found) or isinstance(part, OriginalSelector):
        assert found.getall() == expected.getall(), (how, query, part)


def learnt_from(html: str, cut: set[int], asked: list[tuple[str, str]]) -> SiteQueries:
    first = Visit(html, cut)
    for how, query in asked:
        ask(first.pruned.selector, how, query)
    return SiteQueries(first.pruned.tps.asked.learnt)


@settings(max_examples=150)
@given(pages(), _CUTS, st.lists(queries(), min_size=2, max_size=8), st.booleans(), st.data())
def test_what_is_dropped_is_gone_and_nothing_else(
    html: str, cut: set[int], asked: list[tuple[str, str]], learning: bool, data: st.DataObject
) -> None:
    visit = Visit(html, cut, learnt_from(html, cut, asked) if learning else None)
    for how, query in [*asked, *asked]:
        part = data.draw(st.sampled_from(visit.parts()))
        found = visit.ask(part, how, query)
        check(visit, part, found, how, query)
        visit.hold(found)
        elements = found.__class__(one for one in found if number_of(one) is not None)
        if elements and data.draw(st.booleans()):
            if data.draw(st.booleans()):
                elements = elements[:1]
            numbers = [number_of(one) or "" for one in elements]
            elements.drop()
            visit.remember_gone(numbers)


@settings(max_examples=150)
@given(pages(), _CUTS, st.lists(queries(), min_size=2, max_size=8), st.booleans(), st.data())
def test_what_others_remove_from_the_pruned_tree_does_not_come_back(
    html: str, cut: set[int], asked: list[tuple[str, str]], learning: bool, data: st.DataObject
) -> None:
    visit = Visit(html, cut, learnt_from(html, cut, asked) if learning else None)
    for how, query in [*asked, *asked]:
        part = data.draw(st.sampled_from(visit.parts()))
        found = visit.ask(part, how, query)
        visit.hold(one for one in found if not isinstance(one, OriginalSelector))
        here = [one for one in visit.pruned.selector.root.iter() if one.get("data-n")]
        if here and data.draw(st.booleans()):
            element = data.draw(st.sampled_from(here))
            element.getparent().remove(element)
            visit.remember_gone([element.get("data-n")])
