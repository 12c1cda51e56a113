"""Finding removed values, and the setting that would keep them."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_tps import prune
from scrapy_tps.shadow.locate import RemovedParts

FILLER = "".join(f"<p class=text>Paragraph {number} of the page</p>" for number in range(20))
PAGE = f"""<html><head><base href="https://b.example/dir/"></head><body><main>{FILLER}</main>
<div id=sidebar><div class="box item-12"><h3>Offer</h3><span>Price: 1.299,00 EUR</span>
<a href="detail?id=7">More about it</a><p>First half <b>second half</b></p></div></div>
<section><ul><li class="entry sale">Deal of the day</li></ul></section></body></html>"""
SETTINGS = {
    "TPS_DROP": ["#sidebar", "li"],
    "TPS_MIN_NODES": 5,
    "TPS_STRATEGY": "tests.support.shadow_site.DropSide",
}


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
    assert "div#sidebar" in parts.selectors()


@pytest.mark.parametrize("value", ["Paragraph 3 of the page", "never there", "", 4711, 1, "a"])
def test_values_that_were_not_removed_are_not_found(parts: RemovedParts, value: Any) -> None:
    assert parts.find(value) is None


def test_selector_names_the_removed_whole_by_its_classes(parts: RemovedParts) -> None:
    place = parts.find("Deal of the day")
    assert place is not None
    assert place.removed == "/html/body/section/ul/li"
    assert parts.remedy([[place]]) == ("li.entry.sale",)


def test_remedy_is_for_what_holds_all_values_of_an_output(parts: RemovedParts) -> None:
    places = [place for place in map(parts.find, ("Offer", "1.299,00", "Deal of the day")) if place]
    # the second class has digits, and would not be found on another page; what holds all is the body
    assert parts.remedy([places]) == ("div.box", "li.entry.sale")


def test_selector_of_a_nameless_element_starts_at_a_named_one() -> None:
    page = PAGE.replace("<li class", "<li data-class").replace("<section>", "<section id=more>")
    parts = RemovedParts(prune(page, settings=SETTINGS))
    place = parts.find("Deal of the day")
    assert place is not None
    assert parts.remedy([[place]]) == ("section#more > ul > li",)


def test_xpath_where_nothing_has_a_lasting_name() -> None:
    page = PAGE.replace("id=sidebar", "id=sidebar12").replace("<main>", "<div>").replace("</main>", "</div>")
    settings = SETTINGS | {"TPS_DROP": ["#sidebar12"]}
    parts = RemovedParts(prune(page, settings=settings))
    place = parts.find("Offer")
    assert place is not None
    assert parts.remedy([[place]]) == ("div.box > h3",)


def test_reason_and_rule_are_those_of_the_region() -> None:
    page = PAGE.replace("id=sidebar", "class=side")
    place = RemovedParts(prune(page, settings=SETTINGS | {"TPS_DROP": []})).find("Offer")
    assert place is not None
    assert (place.reason, place.rule) == ("looks like a side bar", "side")


def test_value_in_a_script_that_went_is_found_there() -> None:
    page = PAGE.replace("<h3>", "<script>price(47.11)</script><h3>").replace(
        "</main>", "</main><script>a('x-y')</script>"
    )
    parts = RemovedParts(prune(page, settings=SETTINGS))
    place = parts.find("47.11")
    assert place is not None
    assert (place.xpath, place.rule) == ("/html/body/div/div/script", "script")
    assert parts.remedy([[place]]) == ("div.box",)
    place = parts.find("'x-y'")
    assert place is not None
    assert place.xpath == "/html/body/script"
    assert parts.remedy([[place]]) == ()  # keeping the body would keep everything


def test_scripts_are_tried_before_the_parts_around_them() -> None:
    page = PAGE.replace("</section>", "</section><script>var shop = 'x'</script>")
    parts = RemovedParts(prune(page, settings=SETTINGS))
    assert list(parts.selectors()) == ['//script[contains(., "var shop =")]', "div#sidebar", "li.entry.sale"]


def test_of_several_places_the_nearest_is_taken() -> None:
    rows = "".join(f"<li><b>Name {number}</b> <i>9.99</i></li>" for number in range(9))
    parts = RemovedParts(prune(PAGE.replace("<section>", f"<section>{rows}"), settings=SETTINGS))
    name = parts.find("Name 7")
    assert name is not None
    price = parts.find("9.99", name.index)
    assert price is not None
    assert (name.removed, price.removed) == ("/html/body/section/li[8]", "/html/body/section/li[8]")


def test_dropped_original_cannot_be_searched() -> None:
    with pytest.raises(ValueError, match="TPS_FALLBACK"):
        RemovedParts(prune(PAGE, settings=SETTINGS | {"TPS_FALLBACK": False, "TPS_LINKS": "pruned"}))
