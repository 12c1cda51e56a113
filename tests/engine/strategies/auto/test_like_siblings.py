"""Cues that only some of many similar siblings have remove none of them."""

from __future__ import annotations

import pytest

from tests.engine.strategies.made import SENTENCE, kept, listing, menu


def topic(number: int, attributes: str) -> str:
    return (
        f'<li {attributes}><a class=t href="/t/{number}">Topic {number} of all</a><span class=by>Ada <b>{number}</b>'
        f"</span><i>{number} May</i></li>"
    )


def board(marked: str, plain: str, *numbers: int, topics: int = 12) -> str:
    items = "".join(topic(number, marked if number in numbers else plain) for number in range(topics))
    return f"<html><body>{menu(20, 'nav')}<div><ul class=topics>{items}</ul></div></body></html>"


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ('class="Item Announcement"', "class=Item"),
        ('class="post category-fixed"', 'class="post category-open"'),
        ('class="post tag-newsletter"', 'class="post tag-mills"'),
    ],
)
def test_marked_items_of_a_list_stay(marked: str, plain: str) -> None:
    html = kept(board(marked, plain, 0, 7))
    assert [number for number in range(12) if f"Topic {number} of" not in html] == []


@pytest.mark.parametrize("classes", ["", "class=item"])
def test_items_of_a_second_list_that_are_shown_later_stay(classes: str) -> None:
    slides = "".join(topic(number, classes + ' style="display: none"' * (number > 2)) for number in range(9))
    story = "".join(f"<p>{SENTENCE * 4}{number}</p>" for number in range(6))
    html = listing().replace("<footer>", f"<div>{story}</div><div><ul>{slides}</ul></div><footer>")
    assert kept(html).count("of all") == 9


def test_items_of_a_class_that_hides_among_items_of_one_that_shows_stay() -> None:
    html = kept(board("class=hidden", "class=block", *range(5, 12)))
    assert [number for number in range(12) if f"Topic {number} of" not in html] == []


def test_marked_parts_of_another_make_go() -> None:
    other = f'<li class="Item Announcement"><p>{SENTENCE}</p><form><input><button>Join</button></form></li>'
    html = board("", "class=Item").replace("<li", other + "<li", 1)
    assert "Topic 0 of" in kept(html)
    assert "Join" not in kept(html)


def test_board_whose_topics_are_called_announcements_stays() -> None:
    html = board("", "class=row", topics=25).replace("<div>", '<div class="board announcement">')
    assert kept(html).count("Topic ") == 25


def test_an_announcement_above_the_board_goes() -> None:
    notice = '<div class="announcement"><p>We move house.</p><a href=/n>More of it</a></div>'
    html = board("", "class=row", topics=25).replace("<div>", notice + "<div>")
    assert "move house" not in kept(html)
    assert kept(html).count("Topic ") == 25


def test_bars_of_tools_below_the_titles_of_records_stay() -> None:
    questions = "".join(
        f'<article><h4><a href="/q/{number}">How do I recover from boot error number {number}</a></h4>'
        f'<div class=toolbar><a href="/q/{number}#a">{number} answers</a> <a href="/u/{number}">Ada {number}</a></div>'
        "</article>"
        for number in range(30)
    )
    html = kept(f"<html><body>{menu(20, 'nav')}<section>{questions}</section></body></html>")
    assert html.count(" answers<") == 30


def test_announcements_in_a_part_beside_a_page_of_topics_stay() -> None:
    def part(classes: str, numbers: range) -> str:
        items = "".join(topic(number, "class=row") for number in numbers)
        heads = "<ul class=heads><li>Topics<b>Author</b></li></ul>"
        return f'<div class="{classes}">{heads}<ul class=topics>{items}</ul></div>'

    parts = part("forum announcement", range(3)) + part("forum", range(3, 103))
    html = kept(
        f"<html><body>{menu(20, 'nav')}<div role=main><div class=bar><b>100 topics</b></div>{parts}"
        "<div class=bar><b>Page 1 of 1</b></div></div></body></html>"
    )
    assert [number for number in range(103) if f"Topic {number} of" not in html] == []
