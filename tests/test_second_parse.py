"""The page as downloaded is parsed again only where it may have what the pruned one lacks."""

from __future__ import annotations

import tracemalloc

import pytest

from scrapy_tps.engine.html import document
from scrapy_tps.selector import PrunedSelector
from tests.support.meetings import PAGE, page, pruned


def test_words_that_the_page_does_not_have_cost_no_second_parse() -> None:
    response = pruned()
    for query in (".captcha", "#login", "div.nothing > a", "video", "//p[@id='x'][contains(., 'y')]"):
        ask = response.xpath if query.startswith("/") else response.css
        assert not ask(query)
    response.css("tr.row")[0].css(".menu")
    for query in (
        "title::text",
        "#main",
        ".product",
        "h1.head",
        ".product b",
        ".products > .product .nothing",
    ):
        response.css(query)
    assert not response.tps.asked.parsed


@pytest.mark.parametrize(
    "query", ["link[rel=canonical]::attr(href)", "input[type=email]", "//form[contains(@action, 'login')]"]
)
def test_names_of_what_went_tell_without_a_look_at_the_page(query: str) -> None:
    # a reference to a character makes the source useless for that: any name may be written so
    response = pruned(text=PAGE.replace("About", "&#65;bout" * 100_000))
    ask = response.xpath if query.startswith("/") else response.css
    response.xpath("//nothing")
    tracemalloc.start()
    assert not ask(query)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not response.tps.asked.parsed
    assert peak < 200_000


@pytest.mark.parametrize("query", ["link[rel=stylesheet]", "input[name=q]", "form[action='/s']"])
def test_values_of_attributes_of_what_went_are_found(query: str) -> None:
    assert len(pruned().css(query)) == 1


def shells(*contents: str) -> str:
    return PAGE.replace(
        "<div class=carousel>",
        "".join(f"<section class=shell>{one}</section>" for one in contents) + "<div class=carousel>",
    )


@pytest.mark.parametrize("query", [".shell", "section", "section.shell", "//section[@class]"])
def test_blank_shells_that_lost_no_text_cost_no_second_parse(query: str) -> None:
    response = pruned(
        text=shells("<nav><iframe src=/x></iframe> <img src=/y></nav> ", "<div><nav></nav></div>")
    )
    found = response.xpath(query) if query[0] == "/" else response.css(query)
    assert [type(one) for one in found] == [PrunedSelector] * 2
    assert not response.tps.asked.parsed


@pytest.mark.parametrize("query", [".shell", "section"])
@pytest.mark.parametrize(
    "contents",
    [
        ["<nav>Text</nav>"],
        ["<div><div><nav><i></i><b>Text</b></nav></div></div>"],
        ["<div><div><nav></nav><script>text</script></div></div>"],
        ["<nav></nav>", "<div><nav>Text</nav></div>"],
    ],
)
def test_blank_shells_that_lost_text_come_from_the_original(query: str, contents: list[str]) -> None:
    response = pruned(text=shells(*contents))
    found = response.css(query)
    assert len(found) == len(contents)
    assert "text" in found[-1].xpath("string()").get().lower()
    assert response.tps.asked.counts == {"empty": 1}


@pytest.mark.parametrize("query", [".shell", "section"])
def test_a_blank_shell_is_no_answer_where_another_one_with_text_went(query: str) -> None:
    text = shells("<nav></nav>").replace("<aside>", "<aside><section class=shell>Text</section>")
    assert pruned(text=text).css(query).xpath("string()").getall() == ["", "Text"]


def test_blank_texts_are_counted() -> None:
    response = pruned(text=PAGE.replace("<h2 class=head>", "<h2 class=head><i class=blank> </i>"))
    assert response.xpath("count(//i[@class='blank']/text())").getall() == ["1.0"]


@pytest.mark.parametrize(
    "query",
    [
        ".product:nth-child(2) b::text",
        ".product:first-child",
        ".product + .product b",
        "h1.head:contains('All')",
        "//div[@class='product'][b]/b[1]/text()",
        "//b[@class='price']/ancestor::div[@class='product'][1]",
        "//h1[contains(., 'no such text')]/following-sibling::table",
        "tr.row td:first-child::text",
        "td.nothing:last-child",
    ],
)
def test_positions_among_what_lost_nothing_cost_no_second_parse(query: str) -> None:
    response = pruned({"TPS_DROP": ["nav", "aside", ".carousel"]})
    ask = "xpath" if query.startswith("/") else "css"
    assert getattr(response, ask)(query).getall() == getattr(page(), ask)(query).getall()
    assert not response.tps.asked.parsed


@pytest.mark.parametrize("written", ["m&#101;nu", "m&#x65;nu", "m\0enu"])
def test_words_may_be_written_otherwise(written: str) -> None:
    assert len(pruned(text=PAGE.replace("class=menu", f"class={written}")).css(".menu")) == 2


def test_upper_case_and_unseen_parts_are_found() -> None:
    text = PAGE.replace("<aside>", "<ASIDE><noscript><img class=lazy src=/i></noscript>")
    assert pruned(text=text).css("img.lazy::attr(src)").get() == "/i"


def test_the_original_is_parsed_once_and_only_when_needed(monkeypatch: pytest.MonkeyPatch) -> None:

    response = pruned()
    parsed, parse = [], document.parse
    monkeypatch.setattr(document, "parse", lambda *args: parsed.append(args) or parse(*args))
    response.css("h1::text").get()
    assert not parsed
    for query in ("nav", ".topic", "th", "aside a"):
        assert response.css(query)
    assert len(parsed) == 1
