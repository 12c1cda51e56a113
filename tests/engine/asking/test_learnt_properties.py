"""Random pages, random cuts, random queries: what was learnt changes no answer."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine.asking.learnt import SiteQueries
from tests.engine.asking.test_properties import ask, pages, queries

_CHOSEN = st.lists(queries(), min_size=1, max_size=6)


def answers(response: Any, asked: list[tuple[str, str]]) -> list[Any]:
    """What queries give, of the page and then of the parts that they found."""
    found = [ask(response.selector, *query) for query in asked]
    parts = [part for one in found for part in one[:2] if hasattr(part.root, "tag")]
    return [one.getall() for one in found] + [ask(part, *query).getall() for part in parts for query in asked]


#: One `div` without text stays, among others of its kind that go.
_SHELL = "<html><body><div data-n=1></div><div data-n=2><div data-n=3>one</div></div></body></html>"


@settings(max_examples=60, deadline=None)
@example(_SHELL, {2}, [("css", "a")], [("css", "[data-n]")])
@given(pages(), st.sets(st.integers(1, 25), min_size=1, max_size=6), _CHOSEN, _CHOSEN)
def test_what_was_learnt_changes_no_answer(
    html: str, cut: set[int], before: list[tuple[str, str]], asked: list[tuple[str, str]]
) -> None:
    response = HtmlResponse("http://a.example/", body=html.encode(), encoding="utf-8")
    chosen = {"TPS_DROP": [f"[data-n='{number}']" for number in sorted(cut)], "TPS_MIN_NODES": 0}
    first = prune_response(response, chosen)
    answers(first, before)
    known = SiteQueries(first.tps.asked.learnt)
    expected = answers(prune_response(response, chosen), asked)
    taught = prune_response(response, chosen, learnt=known)
    assert answers(taught, asked) == expected
    assert answers(taught.replace(url="http://b.example/"), asked) == expected
    assert taught.text == taught.tps.html
    assert prune_response(response, chosen).xpath("//body").get() == taught.xpath("//body").get()
