"""Several threads on one response: the answers of one thread, and no lock while a user's code runs."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine.fallback.fallback_page import FallbackPage
from scrapy_tps.records.extract import records_below
from scrapy_tps.spidermiddlewares.items import page_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.response import PrunedMixin

MENU = "".join(f'<li><a class=m href="/c/{n}">Category {n}</a></li>' for n in range(40))
PRODUCTS = "".join(
    f'<div class="product"><h2>Product {n}</h2><p>Solid oak, warranty of two years.</p><b class=price>{n}.99</b></div>'
    for n in range(40)
)
SIDE = "".join(
    f'<div class=card><h3>Event {n}</h3><a class=ev href="ev/{n}">more</a></div>' for n in range(40)
)
PAGE = (
    f"<html><head><title>t</title></head><body><ul class=menu>{MENU}</ul><aside class=sidebar>{SIDE}"
    f"<p class=author>Jane Doe</p></aside><main><h1>Shop</h1>{PRODUCTS}<div class=shell><nav>{MENU}</nav></div></main>"
    "<footer class=f>Imprint</footer></body></html>"
)
QUERIES = (
    ".card h3::text",
    ".author::text",
    ".menu a::attr(href)",
    ".product b::text",
    ".shell",
    "footer ::text",
    ".nothing",
    "main > div",
    "li:nth-child(2)",
)


def pruned_page() -> PrunedMixin:
    page = HtmlResponse("http://x.test/", body=PAGE.encode(), encoding="utf-8")
    return prune_response(page, {"TPS_MIN_NODES": 0})


@pytest.fixture
def _switching_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_switching_often")
def test_six_threads_on_one_response_get_the_answers_of_one() -> None:
    alone = pruned_page()
    expected = [alone.css(query).getall() for query in QUERIES]
    shared = pruned_page()
    records = [region.xpath for region in alone.tps.records()]

    def read(number: int) -> None:
        for turn in range(6):
            which = (number + turn) % len(QUERIES)
            assert shared.css(QUERIES[which]).getall() == expected[which], QUERIES[which]
        assert shared.tps.html == alone.tps.html
        assert [region.xpath for region in shared.tps.records()] == records

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(read, range(12)))
    uses = shared.tps.selector_usage.selectors.values()
    assert sum(use.used for use in uses) == 72


def test_what_reads_a_tree_holds_its_lock() -> None:
    """The tests run with the switch that makes each reader check this."""
    page = pruned_page()
    assert page_title(page) == "t"
    assert page.css(".shell").getall()
    assert page.xpath("id('x')").getall() == []
    page.tps.records()
    pytest.importorskip("markdownify")
    page.tps.markdown(records=True, front_matter=True)


def test_a_reader_without_the_lock_is_found() -> None:
    page = pruned_page()
    body = page.selector.root.find("body")
    with pytest.raises(RuntimeError):
        records_below(body)
    with pytest.raises(RuntimeError):
        FallbackPage(body, None, page.tps.selector_usage).are_shells([body])


def test_no_lock_is_held_while_an_answer_is_told() -> None:
    page = pruned_page()
    told: list[str] = []

    def tell(selector: str, _: object) -> None:
        told.append(selector)
        if len(told) == 1:
            with ThreadPoolExecutor(1) as threads:
                threads.submit(page.css, ".menu a").result(timeout=60)

    page.tps.selector_usage.tell = tell
    assert page.css(".card h3").getall()
    assert told == [".card h3", ".menu a"]
