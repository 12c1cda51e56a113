"""Selectors of pruned responses: what the spider asks for stays."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from scrapy.http import HtmlResponse
from scrapy.loader import ItemLoader as ScrapyItemLoader
from scrapy.selector import Selector, SelectorList

import scrapy_tps
from scrapy_tps import prune_response
from scrapy_tps.engine.asking.heard import MOST_QUERIES, OTHER_QUERIES
from scrapy_tps.engine.html import document
from scrapy_tps.loader import ItemLoader
from scrapy_tps.selector import PrunedSelector

ROWS = "".join(
    f"<tr class='row r{number}'><td>Meeting of the board, number {number}<td class=d>2026-01-{number:02}"
    for number in range(1, 21)
)
CARDS = "".join(f"<div class=product><b class=price>{number} EUR</b></div>" for number in range(20))
CAROUSEL = "".join(f"<span><i class='price x'>{number} EUR</i></span>" for number in range(12))
TOPICS = "".join(f"<li class=topic><a href=/t/{number}>Topic {number}</a>" for number in range(5))
PAGE = f"""<html><head><title>Meetings</title><link rel=stylesheet href=/style.css></head><body>
<nav><a class=menu href=/a>About</a><a class=menu href=/b>Contact</a></nav>
<div id=main><h1 class=head>All meetings</h1>
<table><tr class=heading><th>Meeting<th>Date</tr>{ROWS}</table>
<div class=products>{CARDS}</div></div>
<div class=carousel>{CAROUSEL}</div>
<aside><h2 class=head>Topics</h2><ul>{TOPICS}</ul><form action=/s><input name=q></form></aside>
</body></html>"""
DROP = {"TPS_DROP": ["nav", "aside", ".carousel", "tr.heading", "tr.r3 td.d"]}


def page(text: str = PAGE) -> HtmlResponse:
    return HtmlResponse("http://a.example/", body=text.encode(), encoding="utf-8")


def pruned(settings: dict[str, Any] | None = None, text: str = PAGE) -> Any:
    return prune_response(page(text), {**DROP, **(settings or {})})


@pytest.mark.parametrize(
    "query",
    [
        ".menu::attr(href)",
        ".topic a::text",
        "aside h2",
        "nav",
        "li",
        "th::text",
        "link::attr(href)",
        "li:nth-child(2) a",
    ],
)
def test_what_pruning_left_nothing_of_comes_from_the_original(query: str) -> None:
    response = pruned()
    assert response.css(query).getall() == page().css(query).getall() != []
    assert response.tps.asked.counts == {"empty": 1}


def test_without_the_setting_the_pruned_page_answers() -> None:
    response = pruned({"TPS_ASK": False})
    assert response.css(".topic").getall() == []
    assert not isinstance(response.selector, PrunedSelector)


def test_a_page_kept_whole_has_the_selectors_of_scrapy() -> None:
    response = prune_response(page(), {"TPS_MIN_NODES": 10_000})
    assert not isinstance(response.selector, PrunedSelector)


def test_the_heading_row_of_a_table_comes_with_its_rows() -> None:
    response = pruned()
    assert len(response.css("table tr")) == 21
    assert response.tps.asked.counts == {"partial": 1}
    (answer,) = response.tps.asked.answers
    assert (answer.found, answer.given) == (20, 21)
    assert answer.xpath == "/html/body/div[1]/table/tr[1]"


@pytest.mark.parametrize("query", ["a::attr(href)", "p", "*::text", "b, i", "body *"])
def test_queries_that_only_name_tags_get_the_main_content(query: str) -> None:
    text = PAGE.replace("All meetings", "<p>All <a href=/x>meetings</a></p>")
    expected = pruned({"TPS_ASK": False}, text).css(query).getall()
    response = pruned(text=text)
    assert response.css(query).getall() == expected != []
    assert not response.tps.asked.parsed


def test_a_list_gets_no_carousel_from_elsewhere() -> None:
    response = pruned()
    assert len(response.css(".price")) == 20
    assert len(page().css(".price")) == 32
    assert response.tps.asked.left == 1


def test_one_of_many_of_a_class_is_too_little() -> None:
    text = PAGE.replace("<h1 class=head>", "<i class='price x'>0 EUR</i><h1 class=head>")
    assert len(pruned(text=text).css(".price.x")) == 13


def test_parts_are_asked_where_they_stand_in_the_original() -> None:
    rows = pruned().css("tr.row")
    assert [row.css("td.d::text").get() for row in rows] == [
        f"2026-01-{number:02}" for number in range(1, 21)
    ]
    assert rows[4].xpath("../tr[1]/th/text()").getall() == ["Meeting", "Date"]
    assert rows[2].xpath("count(td)").get() == "2.0"


def test_positions_count_on_the_original() -> None:
    response = pruned()
    assert response.xpath("//tr[2]/td[1]/text()").get() == "Meeting of the board, number 1"
    assert response.css("tr:first-child th::text").getall() == ["Meeting", "Date"]
    assert response.xpath("//body/div[2]/@class").get() == "carousel"


@pytest.mark.parametrize(
    "query",
    ["count(//li)", "boolean(//aside)", "not(//aside)", "string(//aside/h2)", "count(//tr)", "name(//nav)"],
)
def test_values_of_functions_are_those_of_the_original(query: str) -> None:
    assert pruned().xpath(query).getall() == page().xpath(query).getall()


def test_variables_and_namespaces_go_along() -> None:
    response = pruned()
    assert response.xpath("//*[@class=$name]/a/text()", name="topic").getall()[0] == "Topic 0"
    response.selector.register_namespace("x", "http://exslt.org/regular-expressions")
    assert len(response.xpath("//a[x:test(@href, '^/t/')]")) == 5
    assert (
        len(
            response.xpath(
                "//a[y:test(@href, '^/t/')]", namespaces={"y": "http://exslt.org/regular-expressions"}
            )
        )
        == 5
    )


def test_an_answer_of_the_original_is_whole_below_and_above_and_like_any_selector() -> None:
    topics = pruned().css(".topic")
    assert isinstance(topics, SelectorList)
    assert isinstance(topics[0], Selector)
    assert topics[0].attrib == {"class": "topic"}
    assert topics.css("a::text").re(r"\d") == ["0", "1", "2", "3", "4"]
    assert topics[1].xpath("ancestor::body/nav/a/@href").getall() == ["/a", "/b"]


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


def test_without_the_raw_bytes_nothing_is_given_back_and_that_is_counted() -> None:
    response = pruned({"TPS_KEEP_ORIGINAL": False})
    assert response.css(".topic").getall() == []
    assert response.tps.asked.lost == 1


def test_dropped_elements_are_gone_from_either_page() -> None:
    response = pruned()
    response.css(".r2").drop()
    assert response.css(".r2").getall() == []
    assert len(response.css("table tr")) == 20
    response.css(".topic")[0].drop()
    assert len(response.css(".topic")) == 4


def test_changes_past_the_selectors_leave_the_pruned_page_as_the_answer() -> None:
    response = pruned()
    for row in response.css(".r2, .r4"):
        row.root.getparent().remove(row.root)
    assert response.css(".r2").getall() == []
    assert response.css(".topic").getall() == []
    assert response.tps.asked.lost == 1  # no other element is known to have the class r2


def test_replaced_bodies_are_no_page_to_ask_for() -> None:
    response = pruned().replace(body=b"<html><body><p>Other</p></body></html>")
    assert response.css(".topic").getall() == []


@pytest.mark.parametrize(
    "copied",
    [
        lambda response: pickle.loads(pickle.dumps(response)),
        lambda response: response.replace(url="http://b.example/"),
        lambda response: response.copy(),
    ],
    ids=["pickle", "replace", "copy"],
)
def test_copies_answer_alike(copied: Any) -> None:
    response = copied(pruned())
    assert len(response.css(".topic")) == 5
    assert len(response.css("table tr")) == 21
    assert len(response.css(".price")) == 20
    assert response.css("tr.row")[2].css("td.d::text").get() == "2026-01-03"


def test_links_and_loaders_hear_it() -> None:
    response = pruned()
    assert [one.url for one in response.follow_all(css=".topic a")] == [
        f"http://a.example/t/{n}" for n in range(5)
    ]
    for loader in (ItemLoader({}, response=response), ScrapyItemLoader({}, selector=response.selector)):
        loader.add_css("topics", ".topic a::text")
        loader.nested_css("aside").add_css("heading", "h2::text")
        assert len(loader.load_item()["topics"]) == 5
        assert loader.load_item()["heading"] == ["Topics"]


def test_scripts_of_parts_are_asked_as_json() -> None:
    text = PAGE.replace("<aside>", '<aside><script class=state>{"a": [1, 2]}</script>')
    found = pruned(text=text).css("script.state::text").jmespath("a").getall()
    assert found == page(text).css("script.state::text").jmespath("a").getall()
    assert list(map(int, found)) == [1, 2]


def test_threads_may_ask_at_once() -> None:
    response = pruned()
    selector = response.selector
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda query: len(selector.css(query)), [".topic", "nav a", "table tr", "th"] * 10)
        )
    assert found == [5, 2, 21, 2] * 10


def test_neither_page_outlives_its_selectors_and_its_response() -> None:
    response = pruned()
    gc.disable()
    try:
        response.css(".topic")
        held = weakref.ref(response._tps_page)
        response.release_selector()
        assert held() is None
    finally:
        gc.enable()
    assert len(response.css(".topic")) == 5


def test_prune_response_is_public_and_does_not_import_scrapy_before_it_is_used() -> None:
    assert "prune_response" in scrapy_tps.__all__
    assert sorted(scrapy_tps.__all__) == scrapy_tps.__all__
    code = "import scrapy_tps, sys; assert 'scrapy' not in sys.modules; scrapy_tps.prune_response"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_prune_response_refuses_what_is_no_page() -> None:
    with pytest.raises(TypeError, match="HtmlResponse"):
        prune_response("<html>")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="TPS_STRATEGY"):
        prune_response(page(), {"TPS_STRATEGY": "no such"})


def test_prune_response_prunes_a_pruned_page_anew() -> None:
    assert not prune_response(pruned(), {"TPS_ENABLED": False}).tps.pruned


def heard(response: Any) -> dict[str, str]:
    return {query: str(heard) for query, heard in response.tps.asked.queries.as_written()}


def test_a_page_says_what_each_query_found_where() -> None:
    response = pruned()
    response.css(".product .price")
    for card in response.xpath("//div[@class='product']"):
        card.css("b::text").get()
    response.css(".price")
    response.css(".topic")
    response.css("th")
    response.css(".nosuch::text").get()
    assert heard(response) == {
        ".product .price": "found",
        "//div[@class='product']": "found",
        "b::text": "found 20 of 20 times",
        ".price": "found, while the original has more in another list, which was left out",
        ".topic": "found on the original only, and given from there; removed: /html/body/aside (rule marked)",
        "th": "found on the original only, and given from there; removed: /html/body/div[1]/table/tr[1]",
        ".nosuch::text": "found nothing",
    }
    assert str(response.tps.asked).splitlines()[-1] == ".nosuch::text            found nothing"


def test_blank_texts_zero_and_false_are_nothing() -> None:
    response = pruned(text=PAGE.replace("<h1 class=head>", "<h1 class=head><i class=blank> </i>"))
    for query in (".blank::text", "count(//video)", "boolean(//video)", "string(//video)"):
        response.xpath(query) if "(" in query and "//" in query else response.css(query)
    assert set(heard(response).values()) == {"found nothing"}


def test_a_part_of_an_answer_counts_as_such() -> None:
    response = pruned()
    response.css("tr")
    assert heard(response) == {
        "tr": "found in part, and given from the original; removed: /html/body/div[1]/table/tr[1]"
    }
    (figures,) = response.tps.asked.queries.values()
    assert (figures.asked, figures.found, figures.partly, figures.original) == (1, 1, 1, 0)


def test_a_count_is_one_query() -> None:
    response = pruned()
    assert response.xpath("count(//li)").get() == "5.0"
    assert list(response.tps.asked.queries) == ["count(//li)"]


def test_what_is_asked_of_an_original_part_is_found_on_the_original() -> None:
    response = pruned()
    response.css("aside")[0].css(".topic a::text").getall()
    figures = dict(response.tps.asked.queries.as_written())[".topic a::text"]
    assert (figures.found, figures.original) == (0, 1)


def test_pages_kept_whole_say_what_was_asked() -> None:
    for response in (
        prune_response(page(), {"TPS_MIN_NODES": 9999}),
        prune_response(page(), {"TPS_ENABLED": False}),
    ):
        response.css(".topic a")[0].css("::text").get()
        response.css(".nosuch")
        assert heard(response) == {".topic a": "found", "::text": "found", ".nosuch": "found nothing"}


def test_queries_that_are_made_up_are_added_up() -> None:
    response = pruned()
    for number in range(MOST_QUERIES + 5):
        response.xpath(f"//tr[{number}]")
    assert len(response.tps.asked.queries) == MOST_QUERIES + 1
    assert response.tps.asked.queries[OTHER_QUERIES].asked == 5


def test_texts_and_elements_may_be_in_one_answer() -> None:
    found = pruned(text="<html><body><div> <h2>Title</h2></div><aside>Gone</aside></body></html>").xpath(
        "//div/text() | //h2"
    )
    assert len(found) == 2
