"""Finding removed values, and the setting that would keep them."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_tps.pruning import prune
from scrapy_tps.settings import PageSettings
from scrapy_tps.shadowing.locate import RemovedParts, keeps

FILLER = "".join(f"<p class=text>Paragraph {number} of the page</p>" for number in range(20))
PAGE = f"""<html><head><base href="https://b.example/dir/"></head><body><main>{FILLER}</main>
<div id=sidebar><div class="box item-12"><h3>Offer</h3><span>Price: 1.299,00 EUR</span>
<a href="detail?id=7">More about it</a><p>First half <b>second half</b></p></div></div>
<section><ul><li class="entry sale">Deal of the day</li></ul></section></body></html>"""
SETTINGS = {"TPS_DROP": ["#sidebar", "li"], "TPS_MIN_NODES": 5, "TPS_STRATEGY": "tests.shadow_site.DropSide"}


@pytest.fixture
def parts() -> RemovedParts:
    return RemovedParts(prune(PAGE, url="https://a.example/", settings=SETTINGS))


@pytest.mark.parametrize(
    ("value", "xpath"),
    [
        ("Offer", "/html/body/div/div/h3/text()"),
        ("  Offer\n", "/html/body/div/div/h3/text()"),
        ("1.299,00", "/html/body/div/div/span/text()"),
        (1299.0, "/html/body/div/div/span/text()"),
        (1299, "/html/body/div/div/span/text()"),
        ("https://b.example/dir/detail?id=7", "/html/body/div/div/a"),
        ("detail?id=7", "/html/body/div/div/a"),
        ("First half second half", "/html/body/div/div/p/b/text()"),
    ],
)
def test_values_are_found_where_they_were(parts: RemovedParts, value: Any, xpath: str) -> None:
    place = parts.find(value)
    assert place is not None
    assert (place.xpath, place.removed, place.rule) == (xpath, "/html/body/div", "drop")
    assert place.keep == "div#sidebar"


@pytest.mark.parametrize("value", ["Paragraph 3 of the page", "never there", "", 4711])
def test_values_that_were_not_removed_are_not_found(parts: RemovedParts, value: Any) -> None:
    assert parts.find(value) is None


def test_selector_names_the_removed_whole_by_its_classes(parts: RemovedParts) -> None:
    place = parts.find("Deal of the day")
    assert place is not None
    assert place.removed == "/html/body/section/ul/li"
    assert place.keep == "li.entry.sale"


def test_selector_of_a_nameless_element_starts_at_a_named_one() -> None:
    page = PAGE.replace("<li class", "<li data-class").replace("<section>", "<section id=more>")
    place = RemovedParts(prune(page, settings=SETTINGS)).find("Deal of the day")
    assert place is not None
    assert place.keep == "section#more > ul > li"


def test_xpath_where_nothing_has_a_lasting_name() -> None:
    page = PAGE.replace("id=sidebar", "id=sidebar12").replace("<main>", "<div>").replace("</main>", "</div>")
    settings = SETTINGS | {"TPS_DROP": ["#sidebar12"]}
    place = RemovedParts(prune(page, settings=settings)).find("Offer")
    assert place is not None
    assert place.keep == "/html/body/div[2]"


def test_reason_and_rule_are_those_of_the_region() -> None:
    page = PAGE.replace("id=sidebar", "class=side")
    place = RemovedParts(prune(page, settings=SETTINGS | {"TPS_DROP": []})).find("Offer")
    assert place is not None
    assert (place.reason, place.rule) == ("looks like a side bar", "side")


def test_remedy_is_tried_on_the_page() -> None:
    pruning = prune(PAGE, settings=SETTINGS)
    settings = PageSettings.from_mapping(SETTINGS)
    place = RemovedParts(pruning).find("Offer")
    assert place is not None
    assert keeps(pruning, settings, [place.keep], [place])
    assert not keeps(pruning, settings, ["li"], [place])


def test_dropped_original_cannot_be_searched() -> None:
    with pytest.raises(ValueError, match="TPS_KEEP_ORIGINAL"):
        RemovedParts(prune(PAGE, settings=SETTINGS | {"TPS_KEEP_ORIGINAL": False}))
