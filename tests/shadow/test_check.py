"""Checking a page: two runs compared, and the setting that helps."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_tps import prune_response
from scrapy_tps.shadow.check import Checker, PageCheck, Visit
from scrapy_tps.spiders import RecordItem
from tests.support.shadow_site import CHANGED, detail

if TYPE_CHECKING:
    from collections.abc import Callable

SETTINGS = {"TPS_STRATEGY": "tests.support.shadow_site.DropSide", "TPS_MIN_NODES": 5, "TPS_FALLBACK": False}


def checked(callback: Callable[[Any], Any]) -> PageCheck:
    """A check of a page whose price stands in a side bar, below advertisements."""
    crawler = get_crawler()
    crawler.get_downloader_middleware = lambda _: None  # type: ignore[assignment,method-assign]
    request = Request("https://a.example/record")
    body = detail(CHANGED, 3).encode()
    page = HtmlResponse(request.url, body=body, encoding="utf-8", request=request)
    response = prune_response(page, SETTINGS)
    visit, checker = Visit(response, request, callback, checked=True), Checker(crawler)

    async def run() -> PageCheck:
        check = await checker.check(visit)
        await checker.explain(check)
        return check

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("selector", "keep"),
    [
        ("//span/text()", "span.amount"),
        # by what stands around it: with the narrowest setting the callback still finds nothing
        ("//div[p[12]]//span/text()", "div.side"),
    ],
)
def test_narrowest_setting_with_which_the_callback_loses_nothing_is_chosen(selector: str, keep: str) -> None:
    check = checked(lambda response: {"price": response.xpath(selector).get()})
    assert check.difference.items.changed[0].fields == ("price",)
    assert check.explanation is not None
    assert (check.explanation.keep, check.explanation.works) == ((keep,), True)


def test_setting_that_does_not_help_is_said_not_to() -> None:
    check = checked(
        lambda response: {"price": response.css("span::text").get(), "by": response.tps.excluded_by}
    )
    assert check.explanation is not None
    assert check.explanation.works is False


def test_confidence_in_a_list_is_not_compared() -> None:
    def listing(response: Any) -> Any:
        yield RecordItem({"title": "", "confidence": response.tps.kept_nodes})
        yield Request("https://a.example/2", meta={"tps_listing_kind": response.tps.kept_nodes})

    check = checked(listing)
    assert check.visit.response.tps.pruned
    assert not check.costs


class Shared(set[Any]):
    """A container that all runs share."""


def test_spider_that_gives_nothing_twice_is_not_run_for_each_setting() -> None:
    seen, runs = Shared(), Shared()

    def callback(response: Any) -> Any:
        runs.add(response)
        price = response.css("span::text").get()
        if price not in seen:
            seen.add(price)
            return {"price": price}
        return None

    check = checked(callback)
    assert check.remembers
    assert check.explanation is not None
    assert (check.explanation.keep, check.explanation.works) == (("span.amount",), True)
    assert len(runs) == 3
