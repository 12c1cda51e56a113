"""What a spider asked for on one page of a site stays on the next."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from parsel.csstranslator import HTMLTranslator
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.engine.asking import asked_parts, learning, original
from scrapy_tps.engine.asking.learnt import Learnt, Place, SiteQueries, Step
from scrapy_tps.engine.html import document
from tests.support.meetings import CAROUSEL, DROP, PAGE, page


def learnt(*queries: str, settings: dict[str, Any] | None = None, text: str = PAGE) -> SiteQueries:
    """What a page teaches of which these are asked."""
    response = prune_response(page(text), {**DROP, **(settings or {})})
    for query in queries:
        response.css(query)
    return SiteQueries(response.tps.asked.learnt)


def taught(known: SiteQueries, text: str = PAGE, settings: dict[str, Any] | None = None) -> Any:
    return prune_response(page(text), {**DROP, **(settings or {})}, learnt=known)


@pytest.mark.parametrize("query", [".topic a::text", ".topic a::attr(href)", "aside li", "aside h2", "nav"])
def test_what_was_asked_for_stays_and_is_not_parsed_again(query: str) -> None:
    response = taught(learnt(query))
    assert response.css(query).getall() == page().css(query).getall() != []
    assert not response.tps.asked.parsed
    assert response.tps.asked.counts == {"learnt": 1}


@pytest.mark.parametrize("query", ["//aside//a/text()", "/html/body/aside/ul/li", "//aside/ul/li/a/@href"])
def test_what_was_asked_for_from_the_root_is_not_parsed_again(query: str) -> None:
    first = prune_response(page(), DROP)
    first.xpath(query)
    response = taught(SiteQueries(first.tps.asked.learnt))
    assert response.xpath(query).getall() == page().xpath(query).getall() != []
    assert not response.tps.asked.parsed


def test_elements_of_what_stays_have_the_methods_of_lxml_html() -> None:
    response = taught(learnt(".topic a"))
    found = response.css(".topic a")[0].root
    assert not response.tps.asked.parsed
    assert found.text_content() == "Topic 0"
    assert found.getparent().find_class("topic") == [found.getparent()]


def test_elements_around_what_stays_have_the_methods_of_lxml_html() -> None:
    text = PAGE.replace("<aside>", "<div><p>Beside <b>it</b></p><aside>").replace(
        "</aside>", "</aside></div>"
    )
    response = taught(learnt(".topic a", text=text), text)
    assert response.xpath("//p[starts-with(., 'Beside')]/..")[0].root.text_content().strip() == "Beside it"
    assert "Topic 3" in response.tps.html


def test_changes_past_the_selectors_cost_only_what_stood_in_what_was_changed() -> None:
    text = PAGE.replace("<aside>", "<div class=side><p>Beside the meetings</p><aside>").replace(
        "</aside>", "</aside></div>"
    )
    known = learnt(".topic a", text=text)
    response = taught(known, text)
    for row in response.selector.root.xpath("//tr[@class='row r2']"):
        row.getparent().remove(row)
    assert len(response.css(".topic a")) == 5
    assert not response.tps.asked.parsed
    response = taught(known, text)
    (side,) = response.selector.root.xpath("//*[@class='side']")
    side.getparent().remove(side)
    assert response.css(".topic a").getall() == []
    assert response.css("body").css(".topic a").getall() == []


def test_the_account_says_why_it_stayed() -> None:
    response = taught(learnt(".topic a::text"))
    stays = [one for one in response.tps.regions if one.rule == "asked"]
    assert [one.xpath for one in stays] == [f"/html/body/aside/ul/li[{n}]" for n in range(1, 6)]
    assert {one.reason for one in stays} == {"your spider asks for `.topic a::text` here"}
    assert "Topic 3" in response.text
    assert "Topic 3" in response.tps.html
    assert not [one for one in response.tps.removed() if "Topic 3" in one.text]
    assert "About" not in response.text


@pytest.mark.parametrize(
    "query", ["a::attr(href)", "li", "*::text", "body *", ".price", "//li[2]", "table tr"]
)
def test_other_selections_get_what_they_got_before(query: str) -> None:
    ask = "xpath" if query.startswith("/") else "css"
    before = getattr(taught(SiteQueries()), ask)(query).getall()
    assert getattr(taught(learnt(".topic a", ".menu")), ask)(query).getall() == before


def test_only_the_parts_that_hold_it_stay() -> None:
    response = taught(learnt(".topic:first-child"))
    assert "Topic 0" in response.text
    assert "<h2" not in response.text


def test_what_the_page_has_of_itself_is_not_taken_from_elsewhere() -> None:
    shop = PAGE.replace("class=price", "class=sum")
    known = learnt(".price", text=shop)
    assert len(known) == 1
    assert len(taught(known, shop).css(".price")) == 12
    response = taught(known)
    assert CAROUSEL[:20] not in response.text
    assert len(response.css(".price")) == 20


def test_what_was_learnt_does_not_undo_pruning() -> None:
    text = PAGE.replace("</aside>", "<div class=all>" + "<p>x</p>" * 200 + "</div></aside>")
    known = learnt(".all", text=text)
    assert len(known) == 1
    assert taught(known, text).tps.kept_nodes == taught(SiteQueries(), text).tps.kept_nodes
    assert len(taught(known, text).css(".all p")) == 200


def test_cells_of_rows_and_heading_rows_are_learnt_as_parts() -> None:
    response = prune_response(page(), DROP)
    assert response.css("tr.row")[2].css("td.d::text").get() == "2026-01-03"
    response.css("table tr")
    next_page = taught(SiteQueries(response.tps.asked.learnt))
    assert "2026-01-03" in next_page.text
    assert "<th>" in next_page.text
    assert next_page.css("tr.row")[2].css("td.d::text").get() == "2026-01-03"
    assert not next_page.tps.asked.parsed


def test_around_a_part_that_stays_is_the_original() -> None:
    response = taught(learnt(".topic"))
    topic = response.css(".topic")[1]
    assert topic.css("a::text").getall() == ["Topic 1"]
    assert not response.tps.asked.parsed
    assert topic.xpath("preceding-sibling::li/a/text()").getall() == ["Topic 0"]
    assert topic.xpath("ancestor::body/nav/a/@href").getall() == ["/a", "/b"]
    assert topic.xpath("../@class | ../../h2/text()").getall() == ["Topics"]


def test_what_is_dropped_is_gone_from_what_stays() -> None:
    response = taught(learnt(".topic"))
    response.css(".topic")[0].drop()
    assert len(response.css(".topic")) == 4
    response.css(".topic").drop()
    assert response.css(".topic").getall() == []


def test_what_a_part_that_stays_stands_in_can_be_dropped() -> None:
    text = PAGE.replace("<aside>", "<div class=side><p>Beside the meetings</p><aside>").replace(
        "</aside>", "</aside></div>"
    )
    response = taught(learnt(".topic a", text=text), text)
    response.css(".side").drop()
    assert response.css(".side").getall() == response.css(".topic a").getall() == []


def test_what_is_dropped_of_the_original_is_gone_from_what_stays() -> None:
    text = PAGE.replace("<ul>", "<ul class=topics>")
    response = taught(learnt(".topics", ".topic", text=text), text)
    (held,) = response.css(".topics")
    response.css(".topic")[:1].drop()
    response.css(".topic").drop()
    assert held.css(".topic").getall() == []
    assert held.get() == '<ul class="topics"></ul>'


def test_what_is_dropped_of_the_original_takes_no_other_element_with_it() -> None:
    text = PAGE.replace("<ul>", "<ul class=topics>")
    response = taught(learnt(".topics", ".topic", text=text), text)
    (held,) = response.css(".topics")
    first = held.css("li")[0].root
    first.getparent().remove(first)
    dropped = response.xpath("//aside")[0].css("li")[1]
    assert "Topic 1" in dropped.get()
    dropped.drop()
    assert held.css("li ::text").getall()[-3:] == ["Topic 2", "Topic 3", "Topic 4"]


def test_after_dropping_what_is_around_a_part_that_stays_is_found() -> None:
    response = taught(learnt(".topic a", ".menu"))
    found = response.css(".topic a")
    response.css("h1").drop()
    assert found[1].xpath("ancestor::aside/h2/text()").getall() == ["Topics"]
    found.drop()
    assert response.css(".topic a").getall() == []


@pytest.mark.parametrize(
    "copied",
    [
        lambda response: pickle.loads(pickle.dumps(response)),
        lambda response: response.replace(url="http://b.example/"),
    ],
    ids=["pickle", "replace"],
)
def test_copies_answer_alike(copied: Any) -> None:
    first = taught(learnt(".topic", ".menu"))
    response = copied(first)
    assert "Topic 1" in response.text
    for query in (".topic", "a", "li", "table tr", "body"):
        assert response.css(query).getall() == first.css(query).getall()


def test_the_setting_switches_learning_off() -> None:
    assert not learnt(".topic", settings={"TPS_ASK_LEARN": False})
    response = taught(learnt(".topic"), settings={"TPS_ASK_LEARN": "False"})
    assert "Topic 1" not in response.text
    assert len(response.css(".topic")) == 5
    assert "Topic 1" not in taught(learnt(".topic"), settings={"TPS_ASK": False}).text


def test_pages_that_have_other_names_teach_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    known = learnt(".topic")
    other = PAGE.replace("<aside>", "<section id=side><aside>").replace("</aside>", "</aside></section>")
    response = taught(known, other)
    assert len(response.css(".topic")) == 5
    known.merge(SiteQueries(response.tps.asked.learnt))
    assert len(known) == 2
    parsed, parse = [], document.parse
    again = taught(known, other)
    monkeypatch.setattr(document, "parse", lambda *args: parsed.append(args) or parse(*args))
    assert len(again.css(".topic")) == 5
    assert not parsed


def test_numbers_in_names_do_not_matter() -> None:
    known = learnt(".topic", text=PAGE.replace("<aside>", "<aside class='widget w-12' id=side-7>"))
    response = taught(known, PAGE.replace("<aside>", "<aside class='widget w-13' id=side-8>"))
    assert len(response.css(".topic")) == 5
    assert not response.tps.asked.parsed


def test_an_html_response_of_another_site_is_pruned_as_ever() -> None:
    other = HtmlResponse("http://b.example/", body=b"<html><body><p>One</p></body></html>")
    assert prune_response(other, learnt=learnt(".topic")).tps.outcome == "too_small"


@pytest.mark.parametrize("rows", [20, 60])
def test_rows_that_lack_the_same_field_do_not_teach_without_end(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught_by = []

    def counted(*args: Any, **options: Any) -> Any:
        taught_by.append(args)
        return learning.lessons(*args, **options)

    monkeypatch.setattr(original, "lessons", counted)
    response = prune_response(
        page("<html><body><h1>T</h1>" + "<p class=row><b>t</b><i class=gone>p</i></p>" * rows),
        {"TPS_DROP": ".gone", "TPS_MIN_NODES": 0},
    )
    assert [row.css(".gone::text").get() for row in response.css(".row")] == ["p"] * rows
    assert len(response.tps.asked.learnt) == 1
    assert 0 < len(taught_by) < 10


def test_parts_of_what_went_do_not_hold_the_rest_of_it() -> None:
    text = (
        "<html><body><h1>T</h1><section id=box><p>12.50</p><ul class=cost><li>1</li></ul></section>"
        "<p>text</p></body></html>"
    )
    settings = {"TPS_DROP": "section", "TPS_MIN_NODES": 0}
    first = prune_response(page(text), settings)
    first.css(".cost")
    response = prune_response(page(text), settings, learnt=SiteQueries(first.tps.asked.learnt))
    assert "cost" in response.text
    assert response.xpath("id('box')").getall() == page(text).xpath("id('box')").getall()


def many(number: int) -> tuple[str, list[Learnt], dict[str, Any]]:
    """A page with so many parts that the spider asked for on another one, and fewer of another kind."""
    text = "<p class=ad>x</p><b class=note>y</b>" * (number // 2) + "<p class=ad>x</p>" * (
        number - number // 2
    )
    known = [
        Learnt(HTMLTranslator().css_to_xpath(query), Place((Step(tag, "", (name,)),)), query)
        for query, tag, name in [("p.ad", "p", "ad"), ("b.note", "b", "note")]
    ]
    menu = "<nav>" + "<i>text</i>" * number * 3 + "</nav>"
    settings = {"TPS_DROP": "p.ad, b.note, nav", "TPS_MIN_NODES": 0}
    return f"<html><body><h1>T</h1>{text}{menu}<section>kept</section></body></html>", known, settings


@pytest.mark.parametrize(("number", "stays"), [(200, True), (600, False)])
def test_all_parts_that_a_query_finds_stay_or_none_if_they_are_too_many(number: int, stays: bool) -> None:
    text, known, settings = many(number)
    response = prune_response(page(text), settings, learnt=SiteQueries(known))
    for query, count, there in [("b.note", number // 2, True), ("p.ad", number, stays)]:
        assert response.text.count(query[2:]) == there * count
        assert response.css(query).getall() == page(text).css(query).getall()
        assert response.tps.asked.parsed is not there


def test_siblings_of_parts_are_passed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passed, siblings = [], asked_parts._siblings

    def counted(*args: Any) -> Any:
        for one in siblings(*args):
            passed.append(one)
            yield one

    monkeypatch.setattr(asked_parts, "_siblings", counted)
    text, known, settings = many(200)
    response = prune_response(page(text), settings, learnt=SiteQueries(known))
    assert response.text.count("note") == 100
    assert 0 < len(passed) < 400
