"""The report of a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps import prune
from scrapy_tps.shadow.check import PageCheck, Run
from scrapy_tps.shadow.differences import Form, compare, item_form
from scrapy_tps.shadow.locate import explain_losses
from scrapy_tps.shadow.report import MOST_SHOWN, causes, losses
from tests.support.shadow_site import CHANGED, listing, name, price

if TYPE_CHECKING:
    from scrapy_tps.shadow.differences import Ignored

SETTINGS = {"TPS_STRATEGY": "tests.support.shadow_site.DropSide", "TPS_MIN_NODES": 5}


def records(*numbers: int) -> list[Form]:
    return [
        item_form({"name": name(CHANGED, one), "price": price(CHANGED, one), "id": one * 1000})
        for one in numbers
    ]


def request(url: str) -> Form:
    return Form("request", {"method": "GET", "url": url}, url)


def told(original: list[Form], pruning: Any, ignored: Ignored = frozenset()) -> list[str]:
    """The lines about a run on the pruned page that gave nothing."""
    check = PageCheck(None, Run(), Run(original), compare(original, [], ignored))
    check.explanation = explain_losses(check.difference, pruning, ignored)
    return [*losses(check, MOST_SHOWN), *causes(check.explanation)]


def test_outputs_whose_values_were_found_are_told_first() -> None:
    pruning = prune(listing(CHANGED), settings=SETTINGS)
    # the callback failed at once: records 0 to 5 were there, but never reached
    lines = told(records(*range(10)), pruning)
    shown = [line for line in lines if line.startswith("- ")]
    assert len(shown) == MOST_SHOWN
    for line, number in zip(shown, (6, 7, 8, 9, 0), strict=True):
        assert repr(name(CHANGED, number)) in line
    assert "… and 5 more" in lines
    explanation = explain_losses(compare(records(*range(10)), []), pruning)
    assert explanation.keep == ("li.record",)


def test_values_in_no_removed_part_are_told_apart() -> None:
    pruning = prune(listing(CHANGED), settings=SETTINGS)
    text = "\n".join(told(records(6), pruning))
    assert (
        "removed: /html/body/ul[2] (looks like a side bar; rule side) held name 'Record 7-6', price '706.50'"
        in text
    )
    assert "\nnot a whole value of a removed part (a piece of a text, computed, " in text
    assert "id 6000" in text
    assert "6000" not in "\n".join(told(records(6), pruning, frozenset({("dict", "id")}))[1:])


def test_address_of_the_page_is_not_looked_for_on_it() -> None:
    url = "https://a.example/list"
    pruning = prune(listing(CHANGED), url=url, settings=SETTINGS)
    lines = told([item_form({"name": name(CHANGED, 6), "from": url})], pruning)
    assert any("held name" in line for line in lines)
    assert not any("not a whole value" in line for line in lines)


def test_loss_that_cannot_be_found_still_has_advice() -> None:
    pruning = prune(listing(1), settings=SETTINGS)
    assert "TPS_DOMAINS" in told([item_form({"sum": 123456})], pruning)[-1]


def test_requests_are_told_by_their_address() -> None:
    pruning = prune(listing(CHANGED), url="https://a.example/list", settings=SETTINGS)
    lines = told([request("https://a.example/record?page=7&record=8")], pruning)
    assert lines[0].split() == ["-", "'https://a.example/record?page=7&record=8'", "missing"]
    assert lines[-1] == "to keep it, add to TPS_KEEP: ['a.name']"
