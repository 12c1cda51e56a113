"""Selectors of pruned responses: what each found where is counted."""

from __future__ import annotations

from typing import Any

from scrapy_tps import prune_response
from scrapy_tps.engine.fallback.usage import MOST_SELECTORS, OTHER_SELECTORS
from tests.support.meetings import PAGE, page, pruned


def uses(response: Any) -> dict[str, str]:
    return {selector: str(use) for selector, use in response.tps.selector_usage.selectors.items()}


def test_a_page_says_what_each_selector_found_where() -> None:
    response = pruned()
    response.css(".product .price")
    for card in response.xpath("//div[@class='product']"):
        card.css("b::text").get()
    response.css(".price")
    response.xpath("//div/preceding::a | //h1 | //h2")
    response.css(".topic")
    response.css("th")
    response.css(".nosuch::text").get()
    assert uses(response) == {
        ".product .price": "found",
        "//div[@class='product']": "found",
        "b::text": "found 20 of 20 times",
        ".price": "found in part, the original answers; removed: /html/body/div[2] (rule test)",
        "//div/preceding::a | //h1 | //h2": "found; the original has more",
        ".topic": "found on the original only; removed: /html/body/aside (rule test)",
        "th": "found on the original only; removed: /html/body/div[1]/table/tr[1] (rule test)",
        ".nosuch::text": "found nothing",
    }
    assert str(response.tps.selector_usage).splitlines()[-1].split() == [".nosuch::text", "found", "nothing"]


def test_blank_texts_zero_and_false_are_nothing() -> None:
    response = pruned(text=PAGE.replace("<h1 class=head>", "<h1 class=head><i class=blank> </i>"))
    for selector in (".blank::text", "count(//video)", "boolean(//video)", "string(//video)"):
        response.xpath(selector) if "(" in selector and "//" in selector else response.css(selector)
    assert set(uses(response).values()) == {"found nothing"}


def test_a_part_of_an_answer_counts_as_such() -> None:
    response = pruned()
    response.css("tr")
    assert uses(response) == {
        "tr": "found in part, the original answers; removed: /html/body/div[1]/table/tr[1] (rule test)"
    }
    (figures,) = response.tps.selector_usage.selectors.values()
    assert (figures.used, figures.found, figures.partly, figures.original) == (1, 1, 1, 0)


def test_a_count_is_one_selector() -> None:
    response = pruned()
    assert response.xpath("count(//li)").get() == "5.0"
    assert list(response.tps.selector_usage.selectors) == ["count(//li)"]


def test_a_selector_on_an_original_part_is_found_on_the_original() -> None:
    response = pruned()
    response.css("aside")[0].css(".topic a::text").getall()
    figures = response.tps.selector_usage.selectors[".topic a::text"]
    assert (figures.found, figures.original) == (0, 1)


def test_pages_kept_whole_count_selectors() -> None:
    for response in (
        prune_response(page(), {"TPS_MIN_NODES": 9999}),
        prune_response(page(), {"TPS_ENABLED": False}),
    ):
        response.css(".topic a")[0].css("::text").get()
        response.css(".nosuch")
        assert uses(response) == {".topic a": "found", "::text": "found", ".nosuch": "found nothing"}


def test_selectors_that_are_made_up_are_added_up() -> None:
    response = pruned()
    for number in range(MOST_SELECTORS + 5):
        response.xpath(f"//tr[{number}]")
    assert len(response.tps.selector_usage.selectors) == MOST_SELECTORS + 1
    assert response.tps.selector_usage.selectors[OTHER_SELECTORS].used == 5


def test_texts_and_elements_may_be_in_one_answer() -> None:
    found = pruned(text="<html><body><div> <h2>Title</h2></div><aside>Gone</aside></body></html>").xpath(
        "//div/text() | //h2"
    )
    assert len(found) == 2
