"""Selectors of pruned responses: what the spider asks for stays."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from lxml import html
from scrapy.http import HtmlResponse
from scrapy.loader import ItemLoader
from scrapy.selector import Selector, SelectorList

import scrapy_tps
from scrapy_tps import prune_response
from scrapy_tps.engine.journal import REMOVED
from scrapy_tps.engine.pruned_page import account_data, page_of, restore_account
from scrapy_tps.engine.strategies import Selection, Span
from tests.support.cuts import without
from tests.support.meetings import PAGE, page, pruned


@pytest.mark.parametrize(
    "selector",
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
def test_what_pruning_left_nothing_of_comes_from_the_original(selector: str) -> None:
    response = pruned()
    assert response.css(selector).getall() == page().css(selector).getall() != []
    assert response.tps.selector_usage.counts == {"empty": 1}


def test_blank_texts_are_those_of_the_original() -> None:
    """``getall()[3]`` and ``get().strip()`` depend on them."""
    info = "<div class=info>\n<b>Phone</b>\n<i class=ad>Ad</i>\n<u></u>555</div>"
    text = PAGE.replace("<aside>", f"{info}<aside><i class=blank title=''> </i>")
    response = pruned(without("aside", ".ad"), text)
    for selector in (".info::text", ".blank::text", ".blank::attr(title)"):
        assert response.css(selector).getall() == page(text).css(selector).getall() != []
    assert response.tps.selector_usage.counts == {}


@pytest.mark.parametrize(
    ("aside", "selector"),
    [
        ("<div class='foo bar'>x</div>", "//div[has-class('foo bar')]/text()"),
        ("<div id=' a'>x</div>", "//*[normalize-space(@id)='a']/text()"),
        (f"<div id{' ' * 40}={' ' * 40}'topic-1'>x</div>", "//*[@id='topic-1']/text()"),
        (f"<div id{' ' * 20}={' ' * 20}topic-1>x</div>", "//*[@id='topic-1']/text()"),
        ("<div id=''>x</div>", "//div[@id='']/text()"),
        ("<g:plusone name='k'>x</g:plusone>", "//*[name()='g:plusone']/text()"),
        ("<foo$bar>x</foo$bar>", "//*[name()='foo$bar']/text()"),
    ],
)
def test_odd_names_of_removed_parts_are_found(aside: str, selector: str) -> None:
    text = "<p>A sentence of the article.</p>" * 9
    body = f"<html><body><aside>{aside}</aside><main>{text}</main></body></html>".encode()
    original = HtmlResponse("https://news.example/", body=body)
    if original.xpath(selector).getall() != ["x"]:
        pytest.skip("this libxml2 reads the page otherwise")
    response = prune_response(original, without("aside"))
    assert response.xpath(selector).getall() == ["x"]


COPIES = {
    "pruned": lambda response: response,
    "copied": lambda response: response.copy(),
    "replaced": lambda response: response.replace(url="http://other.example/"),
    "pickled": lambda response: pickle.loads(pickle.dumps(response)),
}


@pytest.mark.parametrize("selector", ["//comment()", "//body/node()[2]", "//p/node()"])
@pytest.mark.parametrize("again", COPIES.values(), ids=COPIES)
def test_comments_can_be_selected(again: Any, selector: str) -> None:
    body = b"<body><h1>T</h1><!-- price: 12 --><nav>x<!--gone--></nav><p>text<!--c--></p></body>"
    response = prune_response(HtmlResponse("http://a.example/", body=body), without("nav"))
    assert again(response).xpath(selector).getall() == response.xpath(selector).getall() != []


def test_without_the_setting_the_pruned_page_answers() -> None:
    response = pruned({"TPS_FALLBACK": False})
    assert response.css(".topic").getall() == []
    assert not response.tps.selector_usage.looked


def test_the_heading_row_of_a_table_comes_with_its_rows() -> None:
    response = pruned()
    assert len(response.css("table tr")) == 21
    assert response.tps.selector_usage.counts == {"partial": 1}
    assert [*response.tps.selector_usage.selectors["table tr"].places] == ["/html/body/div[1]/table/tr[1]"]


@pytest.mark.parametrize("selector", ["a::attr(href)", "p", "*::text", "b, i", "body *"])
def test_selectors_that_only_name_tags_get_the_main_content(selector: str) -> None:
    text = PAGE.replace("All meetings", "<p>All <a href=/x>meetings</a></p>")
    expected = pruned({"TPS_FALLBACK": False}, text).css(selector).getall()
    response = pruned(text=text)
    assert response.css(selector).getall() == expected != []
    assert not response.tps.selector_usage.counts


def test_a_class_gets_all_that_have_it() -> None:
    response = pruned()
    assert response.css(".price").getall() == page().css(".price").getall()
    assert response.tps.selector_usage.counts == {"partial": 1}


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


@pytest.mark.parametrize("selector", ["#dates ::text", "#dates *::text", ".dates ::text", "#dates li::text"])
def test_texts_of_a_list_are_all_of_them_whether_it_is_called_by_id_or_by_class(selector: str) -> None:
    entries = "".join(f"<li{' class=gone' if number > 4 else ''}>{number} May</li>" for number in range(9))
    page = HtmlResponse(
        "http://a.example/", body=f"<ul id=dates class=dates>{entries}</ul>", encoding="utf-8"
    )
    pruned = prune_response(page, without(".gone"))
    assert pruned.css(selector).getall() == page.css(selector).getall()


class WithoutTheSecondText:
    size_ratio = 0.5

    def select(self, sequence: Any, size_ratio: float, settings: Any) -> Selection:
        texts = [place for place, is_text in enumerate(sequence.text_mask()) if is_text]
        place = next(place for place in texts if sequence.text_of(place) == "two")
        return Selection("pruned", [Span(place, place + 1, False, "to see its selectors", "test")])


@pytest.mark.parametrize("selector", ["#x::text", ".x::text"])
def test_texts_of_an_element_s_own_are_all_of_them_whether_it_is_called_by_id_or_by_class(
    selector: str,
) -> None:
    html = f"<p id=x class=x>one<br>two<br>three</p>{9 * '<p>A sentence.</p>'}"
    page = HtmlResponse("http://a.example/", body=html.encode(), encoding="utf-8")
    pruned = prune_response(page, {"TPS_MIN_NODES": 0, "TPS_STRATEGY": WithoutTheSecondText()})
    assert "two" not in pruned.text
    assert pruned.css(selector).getall() == ["one", "two", "three"]


@pytest.mark.parametrize(
    "selector", ["//*[last()][@id='one']", "//*[@id='one'][not(../span)]", "//div[1]/*[@id='one']"]
)
def test_an_id_is_no_answer_where_more_is_asked_that_pruning_may_have_changed(selector: str) -> None:
    html = (
        f"<div class=gone></div><div><input id=one><span class=gone>a</span></div>{9 * '<p>A sentence.</p>'}"
    )
    page = HtmlResponse("http://a.example/", body=html.encode(), encoding="utf-8")
    pruned = prune_response(page, without(".gone"))
    assert page.xpath(selector).getall() == pruned.xpath(selector).getall() == []


@pytest.mark.parametrize(
    "selector",
    ["count(//li)", "boolean(//aside)", "not(//aside)", "string(//aside/h2)", "count(//tr)", "name(//nav)"],
)
def test_values_of_functions_are_those_of_the_original(selector: str) -> None:
    assert pruned().xpath(selector).getall() == page().xpath(selector).getall()


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


def test_without_the_raw_bytes_nothing_is_given_back_and_that_is_counted() -> None:
    response = pruned()
    response = response.replace(tps=restore_account(account_data(response.tps)))
    assert response.css(".topic").getall() == []
    assert response.tps.selector_usage.lost == 1


def test_dropped_elements_are_gone_from_either_page() -> None:
    response = pruned()
    response.css(".r2").drop()
    assert response.css(".r2").getall() == []
    assert len(response.css("table tr")) == 20
    response.css(".topic")[0].drop()
    assert len(response.css(".topic")) == 4


def test_what_lost_something_can_be_dropped_after_other_selectors() -> None:
    response = pruned()
    response.css("h1")
    response.css("tr.r3").drop()
    assert len(response.css("tr.row")) == 19


def test_what_others_remove_does_not_come_back_and_all_else_is_found() -> None:
    response = pruned()
    for row in response.css(".r2, .r4"):
        row.root.getparent().remove(row.root)
    assert response.css(".r2").getall() == []
    assert len(response.css(".topic")) == 5
    assert len(response.css("table tr")) == 19


def test_parts_of_what_others_removed_do_not_come_back() -> None:
    response = _rows(6)
    rows = response.css("li")
    assert rows[0].css(".gone::text").getall() == ["0"]
    rows[2].root.getparent().remove(rows[2].root)
    assert response.css(".gone::text").getall() == ["0", "1", "3", "4", "5"]
    for name in rows[4].root.xpath("b"):
        rows[4].root.remove(name)
    assert response.css(".gone::text").getall() == ["0", "1", "3", "4", "5"]


class Watched:
    """The moves of a cut, with the needs that were searched for among the removed elements."""

    def __init__(self, moves: Any) -> None:
        self._moves, self.searched = moves, list[Any]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._moves, name)

    def has(self, needs: Any, where: int) -> Any:
        if where == REMOVED:
            self.searched.append(needs)
        return self._moves.has(needs, where)


def test_the_removed_elements_are_searched_once_for_all_rows() -> None:
    response = pruned(without("td.d"))
    journal = page_of(response.tps).journal
    moves = journal.moves = Watched(journal.moves)
    for row in response.css("tr.row"):
        assert row.css("a.more::attr(href), td a.more::text").getall() == []
    assert moves.searched
    assert len(moves.searched) == len(set(moves.searched))


def test_dropping_changes_nothing_for_other_parts() -> None:
    response = _rows(6)
    rows = response.css("li")
    rows[0].drop()
    assert response.css(".gone::text").getall() == ["1", "2", "3", "4", "5"]
    response.css(".gone")[0].drop()
    assert [row.css(".gone::text").get() for row in rows[1:]] == [None, "2", "3", "4", "5"]
    rows[3].root.getparent().remove(rows[3].root)
    rows[4].drop()
    assert response.css(".gone::text").getall() == ["2", "5"]


def test_scripts_that_were_removed_before_the_first_question_do_not_come_back() -> None:
    response = _rows(6, "<script>var a</script>")
    for script in response.css("script"):
        script.root.getparent().remove(script.root)
    assert response.css("script").getall() == []


@pytest.mark.parametrize("past_the_selectors", [False, True])
def test_what_stands_beside_what_was_dropped_from_a_removed_part_is_found(past_the_selectors: bool) -> None:
    rest = "<ul class=rest><li>one</li><li>two</li></ul>"
    response = _rows(6, f"</main><div class=gone><p class=ad>x</p><div>{rest}</div></div>")
    for ad in response.css("div.gone").css(".ad"):
        if past_the_selectors:
            ad.root.getparent().remove(ad.root)
        else:
            ad.drop()
    assert response.css(".rest li::text").getall() == ["one", "two"]
    assert response.css(".ad").getall() == []


def test_what_the_user_drops_by_setting_stays_away() -> None:
    response = pruned({"TPS_DROP": ["aside", ".r2"]})
    assert response.css("aside, .topic, .r2").getall() == []
    assert len(response.css("nav a")) == 2
    assert len(response.css("table tr")) == 20


def test_what_the_user_drops_stays_away_around_a_form_that_is_kept() -> None:
    form = "<form><input type=hidden name=a value=b></form>"
    article = f"<article><p class=a>Two</p><div>{form}<b>Three</b></div></article>"
    body = f"<html><body><main><p>One</p>{article}</main></body></html>"
    response = prune_response(
        HtmlResponse("http://a.example/", body=body.encode()), {"TPS_DROP": "article", "TPS_MIN_NODES": 0}
    )
    assert response.css("article input").attrib["name"] == "a"
    assert response.css("article p::text, .a, article b").getall() == []
    assert response.css("main p::text").getall() == ["One"]


def _rows(number: int, rest: str = "") -> Any:
    rows = "".join(f"<li><b>A name</b><i class=gone>{n}</i></li>" for n in range(number))
    body = f"<html><body><main><ul>{rows}</ul>{rest}</main></body></html>".encode()
    settings = without(".gone")
    return prune_response(HtmlResponse("http://a.example/", body=body), settings)


def test_replaced_bodies_are_no_page_to_ask_for() -> None:
    response = pruned().replace(body=b"<html><body><p>Other</p></body></html>")
    assert response.css(".topic").getall() == []


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_answer_alike(copied: Any) -> None:
    response = copied(pruned())
    assert len(response.css(".topic")) == 5
    assert len(response.css("table tr")) == 21
    assert len(response.css(".price")) == 32
    assert response.css("tr.row")[2].css("td.d::text").get() == "2026-01-03"


def test_links_and_loaders_hear_it() -> None:
    response = pruned()
    assert [one.url for one in response.follow_all(css=".topic a")] == [
        f"http://a.example/t/{n}" for n in range(5)
    ]
    loader = ItemLoader({}, selector=response.selector)
    loader.add_css("topics", ".topic a::text")
    loader.nested_css("aside").add_css("heading", "h2::text")
    assert len(loader.load_item()["topics"]) == 5
    assert loader.load_item()["heading"] == ["Topics"]


def test_scripts_of_parts_are_asked_as_json() -> None:
    text = PAGE.replace("<aside>", '<aside><script class=state>{"a": [1, 2]}</script>')
    found = pruned(text=text).css("script.state::text").jmespath("a").getall()
    assert found == page(text).css("script.state::text").jmespath("a").getall()
    assert list(map(int, found)) == [1, 2]


def test_jmespath_of_the_page_gives_no_pages() -> None:
    for query in ('`{"a": 1}`', "a"):
        found, expected = (one.jmespath(query).jmespath("a").getall() for one in (pruned(), page(PAGE)))
        assert found == expected


def test_threads_may_ask_at_once() -> None:
    response = pruned()
    whole = response.selector
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda selector: len(whole.css(selector)), [".topic", "nav a", "table tr", "th"] * 10)
        )
    assert found == [5, 2, 21, 2] * 10


def test_the_page_does_not_outlive_its_response() -> None:
    response = pruned()
    gc.disable()
    try:
        response.css(".topic")
        held = weakref.ref(response)
        response.release_selector()
        assert len(response.css(".topic")) == 5
        del response
        assert held() is None
    finally:
        gc.enable()


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


def test_removed_parts_follow_a_page_into_another_document() -> None:
    response = pruned()
    other = html.document_fromstring("<p>other</p>")
    other.find("body").append(response.selector.root)
    assert len(response.css(".topic")) == 5
    response.css("body").drop()
    del response
    assert other.xpath("//p/text()") == ["other"]


@pytest.mark.parametrize(
    ("xpath", "uses"), [("//b", 20), (".//b", 0), ("//h1", 0), ("//table//td[1]/text()", 20)]
)
def test_an_xpath_from_the_page_below_its_parts_is_counted(xpath: str, uses: int) -> None:
    response = pruned()
    response.xpath(xpath)
    for row in response.css("div.product"):
        row.xpath(xpath)
    assert response.tps.selector_usage.selectors[xpath].absolute == uses
