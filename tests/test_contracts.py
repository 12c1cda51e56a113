from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Spider
from scrapy.exceptions import ContractFail
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.contracts import FindsContract, KeepsContract, OutcomeContract, ReducesContract
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import Origin, PrunedPage
from scrapy_tps.engine.strategies import Selection
from scrapy_tps.response import PrunedHtmlResponse
from scrapy_tps.settings.definitions import page_settings
from tests.support.crawling import project, scrapy
from tests.support.shop_pages import listing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

URL = "http://shop.example/"


class Shop(Spider):
    name = "shop"

    def method(self, response: Any) -> None:
        """The method under contract."""


METHOD = Shop().method


def response(**settings: Any) -> PrunedHtmlResponse:
    page = HtmlResponse(URL, body=listing().encode(), encoding="utf-8")
    values = page_settings({"TPS_STRATEGY": "paper", **settings})
    pruned = prune_page(page.body, values, url=URL, encoding=page.encoding, decoded=page.text)
    return PrunedHtmlResponse.from_response(page, pruned)


def check(contract: type[Any], arguments: str, page: Any = None) -> None:
    contract(METHOD, *arguments.split()).pre_process(response() if page is None else page)


@pytest.mark.parametrize(
    ("contract", "arguments"),
    [
        (ReducesContract, "0.3"),
        (ReducesContract, "0.3 0.5"),
        (KeepsContract, "div.product 24"),
        (KeepsContract, "div.product h2 > a"),
        (KeepsContract, "//div[@class='product'] 24"),
        (KeepsContract, "div.product"),
        (KeepsContract, "nav 0"),
        (OutcomeContract, "pruned"),
        (OutcomeContract, "no_region pruned"),
    ],
)
def test_contract_holds(contract: type[Any], arguments: str) -> None:
    check(contract, arguments)


@pytest.mark.parametrize(
    ("contract", "arguments", "message"),
    [
        (
            ReducesContract,
            "0.9",
            r"@tps_reduces: 40.7% of the nodes of .* were removed \(410 -> 243, outcome pruned\); expected",
        ),
        (ReducesContract, "0 0.1", "expected 0.0% to 10.0%"),
        (
            KeepsContract,
            "nav",
            r"@tps_keeps: nav matches 0 elements of .* after pruning, 2 before; expected at least 2",
        ),
        (
            KeepsContract,
            "nav.mega 1",
            r"0 elements .* 1 before; expected at least 1; removed: /html/body/header \(.*; rule split\)$",
        ),
        (
            KeepsContract,
            "div.product 30",
            r"24 elements .* 24 before; .* 30 \(the page as downloaded has too few itself\)",
        ),
        (KeepsContract, "div.none", r"0 elements .* 0 before; expected at least 1 \(the page as downloaded"),
    ],
)
def test_failure_says_what_was_found_and_expected(contract: type[Any], arguments: str, message: str) -> None:
    with pytest.raises(ContractFail, match=message):
        check(contract, arguments)


def test_failure_names_the_error_behind_the_outcome() -> None:
    account = PrunedPage(Origin(b"<p>x", URL), Selection("error"))
    account.error = "ValueError: no luck"
    page = PrunedHtmlResponse.from_response(HtmlResponse(URL, body=b"<p>x"), account)
    with pytest.raises(ContractFail, match=r"outcome error: ValueError: no luck\); expected 10.0% to"):
        check(ReducesContract, "0.1", page)
    with pytest.raises(
        ContractFail, match=r"is error \(ValueError: no luck\); expected pruned \(of pruned, "
    ):
        check(OutcomeContract, "pruned", page)


def test_original_that_was_dropped_can_still_be_counted_on() -> None:
    page = response(TPS_FALLBACK=False, TPS_LINKS="pruned")
    check(KeepsContract, "div.product 24", page)
    with pytest.raises(ContractFail, match="TPS_FALLBACK"):
        check(KeepsContract, "div.product", page)
    with pytest.raises(ContractFail, match=r"0 elements .*; expected at least 3"):
        check(KeepsContract, "nav 3", page)


@pytest.mark.parametrize(
    ("contract", "arguments"),
    [
        (ReducesContract, ""),
        (ReducesContract, "many"),
        (ReducesContract, "1.5"),
        (ReducesContract, "0.5 0.3"),
        (ReducesContract, "0 1 2"),
        (KeepsContract, ""),
        (KeepsContract, "div["),
        (KeepsContract, "//a/@href 3"),
        (KeepsContract, "a::attr(href)"),
        (KeepsContract, "h2::text 3"),
    ],
)
def test_wrong_arguments_fail_with_the_usage(contract: type[Any], arguments: str) -> None:
    with pytest.raises(ValueError, match=rf"@{contract.name} .*in Shop.method: use @{contract.name} "):
        contract(METHOD, *(arguments.split() or [""]))


def test_page_that_did_not_go_through() -> None:
    with pytest.raises(ContractFail, match=r"did not go through scrapy-tps \(is the add-on enabled"):
        check(ReducesContract, "0.1", HtmlResponse(URL))


SPIDER = '''
class Shop(scrapy.Spider):
    name = "shop"

    def parse(self, response):
        """
        @url {url}
        @tps_reduces 0.3
        @tps_keeps div.product h2 24
        @returns items 24
        """
        for product in response.css("div.product"):
            yield {{"title": product.css("h2 a::text").get()}}

    def parse_menu(self, response):
        """
        @url {url}
        @tps_keeps nav.mega
        """
'''


def test_scrapy_check(tmp_path: Path, server: MockServer) -> None:
    directory = project(tmp_path, SPIDER.format(url=server("/shop")))
    done = scrapy("check", "-v", cwd=directory, check=False)
    assert done.returncode == 1
    log = done.stderr
    assert "Ran 4 contracts" in log
    assert "FAILED (failures=1)" in log
    assert "[shop] parse (@tps_reduces pre-hook) ... ok" in log
    assert "[shop] parse (@tps_keeps pre-hook) ... ok" in log
    assert (
        f"nav.mega matches 0 elements of {server('/shop')} after pruning, 1 before; expected at least 1"
        in log
    )
    assert not list(directory.glob(".scrapy/*.sqlite"))


def failure(arguments: str, *selectors: str) -> str:
    """Return the message of the contract after a callback with these selectors; empty if it passes."""
    page = prune_response(
        HtmlResponse(URL, body=listing().encode(), encoding="utf-8"), {"TPS_STRATEGY": "paper"}
    )
    contract = FindsContract(METHOD, *arguments.split())
    contract.pre_process(page)
    for selector in selectors:
        page.css(selector)
    try:
        contract.post_process([])
    except ContractFail as fail:
        return str(fail)
    return ""


def test_selectors_that_find_something_pass_wherever_they_find_it() -> None:
    assert failure("", "h2.title a::text", "a.only::attr(href)") == ""
    assert failure("a.only::attr(href)", ".nosuch", "a.only::attr(href)") == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", r"\.nosuch found nothing on http://shop.example/, neither there nor on the page as downloaded"),
        (".nosuch", r"\.nosuch found nothing"),
        ("h2.other", "the callback did not use h2.other on http://shop.example/"),
    ],
)
def test_selectors_that_find_nothing_fail(arguments: str, message: str) -> None:
    assert re.search(message, failure(arguments, "h2.title a::text", ".nosuch"))


def test_the_failure_says_what_the_other_selectors_found_where() -> None:
    assert re.search(
        r"a\.only +found on the original only.*; removed: /html/body/header",
        failure("", "a.only", ".nosuch"),
    )
