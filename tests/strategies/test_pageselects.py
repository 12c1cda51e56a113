"""Choices of a page of a list stay, whatever holds them; other choices do not."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.strategies.made import listing_above


def select(*values: str, words: str = "") -> str:
    options = "".join(
        f'<option value="{value}">{words}{number}</option>' for number, value in enumerate(values, 1)
    )
    return f"<select>{options}</select>"


CHOICES = {
    "queries": select("?page=0", "?page=1", "?page=2"),
    "addresses": select("/mills", "/mills/page/2", "/mills/page/3"),
    "with words": select("?p=1", "?p=2", words="Page "),
}
OTHERS = {
    "quantities": select("1", "2", "3"),
    "items on a page": "<select><option value='?n=10'>10<option value='?n=20'>20</select>",
    "places": select("/rivers", "/mills", "/stones"),
    "one page": select("?p=1"),
    "names": "<select><option value='?p=1'>Mills<option value='?p=2'>Rivers</select>",
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("strategy", ["auto", "aggressive"])
def test_choices_of_pages_stay_in_what_goes(choice: str, strategy: str) -> None:
    result = prune(listing_above(choice), settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": strategy})
    assert result.root.xpath("//footer//option/@value") == prune(choice).root.xpath("//option/@value")
    assert "Imprint" not in result.html
    assert "a choice of pages" in {region.reason for region in result.regions}


@pytest.mark.parametrize("choice", OTHERS.values(), ids=OTHERS)
def test_other_choices_go(choice: str) -> None:
    assert not prune(listing_above(choice)).root.xpath("//footer//option")


def test_of_two_choices_the_last_stays() -> None:
    above = CHOICES["queries"]
    html = listing_above(above).replace("<nav", f"<header><div>{above}</div></header><nav", 1)
    root = prune(html).root
    assert not root.xpath("//header//option")
    assert len(root.xpath("//footer//select")) == 1


def test_a_choice_in_a_row_of_page_numbers_stays_with_it() -> None:
    row = f"1 <a href=/l/2>2</a> <a href=/l/3>3</a> {CHOICES['queries']}"
    reasons = [region.reason for region in prune(listing_above(row)).regions if region.rule == "pages"]
    assert reasons == ["page numbers: links that count upwards"]
