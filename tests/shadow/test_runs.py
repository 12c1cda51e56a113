"""Running callbacks of every kind."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.test import get_crawler

from scrapy_tps import prune_response
from scrapy_tps.shadow.check import MOST_OUTPUTS, Checker, Run, Visit
from scrapy_tps.shadow.differences import UNKNOWN, Form
from scrapy_tps.stats.coverage import callback_name
from tests.support.shadow_site import listing

if TYPE_CHECKING:
    from scrapy_tps.response import PrunedMixin


@pytest.fixture
def runner() -> Checker:
    crawler = get_crawler()
    crawler.get_downloader_middleware = lambda _: None  # type: ignore[assignment,method-assign]
    return Checker(crawler)


def returns_value(response: Any) -> Any:
    return {"n": 1}


def returns_list(response: Any) -> Any:
    return [{"n": 1}, None, {"n": 2}]


def returns_nothing(response: Any) -> Any:
    return None


def generates(response: Any) -> Any:
    yield {"n": 1}
    yield None


async def coroutine(response: Any) -> Any:
    return [{"n": 1}]


async def coroutine_of_generator(response: Any) -> Any:
    return generates(response)


async def generates_asynchronously(response: Any) -> Any:
    yield {"n": 1}


async def coroutine_of_asynchronous_generator(response: Any) -> Any:
    return generates_asynchronously(response)


@pytest.mark.parametrize(
    ("callback", "number"),
    [
        (returns_value, 1),
        (returns_list, 2),
        (returns_nothing, 0),
        (generates, 1),
        (coroutine, 1),
        (coroutine_of_generator, 1),
        (generates_asynchronously, 1),
        (coroutine_of_asynchronous_generator, 1),
    ],
)
def test_callbacks_of_every_kind_give_their_outputs(runner: Checker, callback: Any, number: int) -> None:
    run = ran(runner, callback)
    assert [form.fields for form in run.forms] == [{"n": 1}, {"n": 2}][:number]


def response(request: Request) -> PrunedMixin:
    body = listing(7).encode()
    settings = {
        "TPS_STRATEGY": "tests.support.shadow_site.DropSide",
        "TPS_MIN_NODES": 5,
        "TPS_FALLBACK": False,
    }
    page = HtmlResponse(request.url, body=body, encoding="utf-8", request=request)
    return prune_response(page, settings)


def ran(runner: Checker, callback: Any, **cb_kwargs: Any) -> Run:
    request = Request("https://a.example", cb_kwargs=cb_kwargs)
    page = response(request)
    return asyncio.run(runner.run(Visit(page, request, callback), page))


def test_exception_ends_a_run_and_keeps_what_came_before(runner: Checker) -> None:
    def callback(response: Any, *, first: int) -> Any:
        yield {"n": first}
        raise KeyError("second")

    run = ran(runner, callback, first=5)
    assert [form.fields for form in run.forms] == [{"n": 5}]
    assert isinstance(run.error, KeyError)


def test_endless_run_is_cut(runner: Checker) -> None:
    def callback(response: Any) -> Any:
        while True:
            yield {}

    run = ran(runner, callback)
    assert len(run.forms) == MOST_OUTPUTS


def test_output_that_cannot_be_described_is_unknown(runner: Checker) -> None:
    @dataclass
    class Broken:
        name: str = "a"

        def __getattribute__(self, name: str) -> Any:
            if name == "name":
                raise RuntimeError
            return super().__getattribute__(name)

    run = ran(runner, lambda response: object.__new__(Broken))
    assert run.forms == [Form(UNKNOWN, {})]


def test_item_that_is_filled_again_and_again_counts_as_it_was(runner: Checker) -> None:
    def callback(response: Any) -> Any:
        item: dict[str, Any] = {"tags": []}
        for name in "ab":
            item["tags"].append(name)
            yield item

    assert [form.fields for form in ran(runner, callback).forms] == [{"tags": ["a"]}, {"tags": ["a", "b"]}]


def test_whole_page_is_the_one_that_was_downloaded() -> None:
    request = Request("https://a.example/list")
    pruned = response(request)
    other = Request("https://a.example/list", meta={"other": True})
    whole = Visit(pruned, other, returns_value, checked=True).original()
    assert (len(pruned.css("li.record")), len(whole.css("li.record"))) == (6, 10)
    assert whole.meta == {"other": True}
    assert (whole.tps.outcome, whole.tps.excluded_by) == ("excluded", "TPS_SHADOW")
    assert whole.original is whole
    assert pruned.request is request


def test_each_run_gets_inputs_of_its_own() -> None:
    request = Request(
        "https://a.example", cb_kwargs={"item": {"tags": []}}, meta={"page": [1]}, dont_filter=True
    )
    inputs = Visit(response(request), request, returns_value)
    request.cb_kwargs["item"]["tags"].append("changed")
    request.meta["page"].append(2)
    first = inputs.request()
    first.cb_kwargs["item"]["tags"].append("changed, too")
    second = inputs.request()
    assert second.cb_kwargs == {"item": {"tags": []}}
    assert second.meta == {"page": [1]}
    assert second.dont_filter


def test_inputs_that_cannot_be_copied_are_shared() -> None:
    @dataclass
    class Resisting:
        value: int = 1

        def __reduce_ex__(self, protocol: Any) -> Any:
            raise RuntimeError("not this one")

    request = Request("https://a.example/", cb_kwargs={"item": Resisting()})
    inputs = Visit(response(request), request, returns_value)
    first, second = inputs.request(), inputs.request()
    first.cb_kwargs["more"] = 2
    assert second.cb_kwargs["item"] is first.cb_kwargs["item"]
    assert "more" not in second.cb_kwargs


def test_rules_of_a_crawl_spider_have_names_of_their_own() -> None:
    def _callback(response: Any) -> None: ...

    assert callback_name(Request("https://a.example")) == "parse"
    assert callback_name(Request("https://a.example", callback=_callback, meta={"rule": 2})) == "_callback:2"


class OfRules(CrawlSpider):
    name = "rules"
    rules = (Rule(LinkExtractor(), callback="parse_product"), Rule(LinkExtractor()))


@pytest.mark.parametrize(("rule", "name"), [(0, "parse_product"), (1, "_callback:1"), (7, "_callback:7")])
def test_the_callback_of_a_rule_is_called_by_its_own_name(rule: int, name: str) -> None:
    request = Request("https://a.example", callback=OfRules()._callback, meta={"rule": rule})
    assert callback_name(request) == name
    assert callback_name(Request("https://a.example", callback=lambda response: None)) == "<lambda>"
