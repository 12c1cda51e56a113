"""Pages of documentation: introductions, code and short lists beside a dominating list stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.strategies.auto.conditions import UNLABELLED
from scrapy_tps.engine.strategies.auto.pipeline import AUTO
from scrapy_tps.engine.strategies.auto.strategy import AutoStrategy
from tests.engine.strategies.made import SENTENCE, menu

WORDS = ["stone", "water", "wheel", "grain", "flour", "river", "bridge", "barrel", "ladder", "candle"]


#: ``auto`` as on pages where nothing is named: these pages are short, and their names are what the tests are about.
OLD = AutoStrategy(
    pipeline=replace(
        AUTO,
        rules=tuple(
            rule._replace(when=tuple(one for one in rule.when if one is not UNLABELLED))
            for rule in AUTO.rules
        ),
    )
)


def kept(html: str) -> str:
    return prune(html, settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": OLD}).html


def entry(number: int) -> str:
    word = WORDS[number % len(WORDS)]
    return (
        f'<section class="entry"><h3 id="{word}">{word} <a href="#{word}">#</a></h3><p>Takes a {word} and gives '
        f"back number {number} of what the mill has made of it so far.</p><ul><li>{word} <b>{number}</b></li></ul>"
        "</section>"
    )


def page(before: str = "", after: str = "", entries: int = 10) -> str:
    text = "".join(map(entry, range(entries)))
    return (
        f"<html><body>{menu(20, 'nav')}<div id=a><div id=b><h1>Reference of the mill</h1>{before}{text}</div></div>"
        f"{after}</body></html>"
    )


def test_an_introduction_beside_the_entries_stays() -> None:
    introduction = (
        "<p>The mill module gives access to everything that the mill can <em>grind</em> in a day.</p>"
    )
    assert "everything that the mill" in kept(page(introduction + "<hr>"))


@pytest.mark.parametrize("code", ["<pre>mill.open()</pre>", "<div><div><code>mill.open()</code></div></div>"])
def test_code_at_a_distance_from_the_entries_stays(code: str) -> None:
    assert "mill.open()" in kept(page(after=f"<div id=c><b>Call</b>{code}</div>"))


def test_without_code_the_same_part_goes() -> None:
    assert "mill.open()" not in kept(page(after="<div id=c><b>Call</b><div><i>mill.open()</i></div></div>"))


def parts(*numbers: int, make: str = "part") -> str:
    items = "".join(
        f'<li class={make}><a href="/{number}">{WORDS[number % 10]}</a> <b>{number} of them</b> <i>in the mill</i>'
        "<span>one more word</span></li>"
        for number in numbers
    )
    return f"<section><ul>{items}</ul></section>"


def test_a_short_list_of_the_same_make_in_another_container_stays() -> None:
    assert "99 of them" in kept(page(parts(*range(40)) + parts(99), entries=0))
    assert "99 of them" not in kept(page(parts(*range(40)) + parts(99, make="seen"), entries=0))


def test_a_page_with_much_prose_outside_of_its_list_is_not_about_the_list() -> None:
    prose = f"<div id=c><div>{SENTENCE * 4}</div></div>"
    aside = "<div id=d><span>Written by Ada Miller</span></div>"
    assert "Ada Miller" in kept(page(after=prose + aside, entries=4))
    assert "Ada Miller" not in kept(page(after=aside, entries=4))


def index(links: int) -> str:
    items = "".join(f'<li><a href="/{word}">{word} command</a></li>' for word in WORDS[:links])
    help_text = (
        "<div class=hints><p>Press the left or the right arrow to turn the pages of this book over.</p></div>"
    )
    return (
        f"<html><body>{menu(20, 'nav')}{help_text}<div class=page><main><h1>Commands</h1><ul>{items}</ul></main></div>"
        "</body></html>"
    )


def test_a_short_index_that_is_all_of_the_main_element_stays() -> None:
    assert kept(index(4)).count(" command<") == 4


def test_a_link_list_that_is_a_small_part_of_the_main_element_goes() -> None:
    html = index(4).replace("<main>", f"<main><p>{SENTENCE}</p><p>{SENTENCE * 2}</p>")
    html = html.replace("<h1>Commands</h1>", "<div><h1>Commands</h1></div>")
    assert " command<" not in kept(html)


def test_a_definition_of_links_stays_with_its_term() -> None:
    chapters = "".join(
        f"<dt><a href='/{word}'>{word} in the mill and how it is used</a></dt>" for word in WORDS
    )
    inner = "".join(f"<dt><a href='/sub/{number}'>Part {number}</a></dt>" for number in range(6))
    html = kept(page(f"<dl>{chapters}<dd><dl>{inner}</dl></dd></dl>"))
    assert "Part 5" in html


def test_sections_with_headings_like_the_one_above_the_records_stay() -> None:
    def section(heading: str, items: str) -> str:
        return f"<div><h2>{heading}</h2>{items}</div>"

    lectures = "".join(
        f"<div><b>Day {number}</b> <a href='/notes/{number}'>Notes on the {WORDS[number % 10]} of a mill</a>"
        f"<p>The lecture of day {number} is on {WORDS[number % 10]} and on what comes of it in the end.</p></div>"
        for number in range(20)
    )
    html = kept(
        f"<html><body><h1>Course</h1>{section('Lectures', lectures)}{section('Tasks', '<ul><li>Grind corn.</li></ul>')}"
        "<div><i>Set in type by us</i></div></body></html>"
    )
    assert "Grind corn" in html
    assert "Set in type" not in html


@pytest.mark.parametrize("name", ["node-no-sidebar", "body-main--withSidebar", "page_has_footer"])
def test_a_name_that_says_what_is_beside_or_missing_marks_nothing(name: str) -> None:
    """Without this the page, but for its heading, was a sidebar."""
    article = f"<div class={name}><p>{SENTENCE}</p></div>"
    listing = "".join(map(entry, range(8)))
    html = f"<html><body>{menu(20, 'nav')}<div><h1>Mill</h1></div>{article}<div>{listing}</div></body></html>"
    assert SENTENCE.strip() in kept(html)
    assert SENTENCE.strip() not in kept(html.replace(name, "advertisement"))


def test_claim_and_byline_between_heading_and_main_element_stay() -> None:
    title = "<div><h1>The mill</h1></div><div><h3>A long history</h3><span>May 15, 2013</span></div>"
    body = f"{menu(20, 'nav')}<div id=b>{title}<div role=main><p>{SENTENCE * 20}</p></div><div>Made by us</div></div>"
    html = kept(f"<html><body>{body}</body></html>")
    assert "A long history" in html
    assert "May 15, 2013" in html
    assert "Made by us" not in html


def test_an_article_above_a_hundred_comments_stays() -> None:
    comments = "".join(
        f"<dl><dt>Reader <b>{number}</b> wrote</dt><dd>{SENTENCE * 3}<i>{number} hours ago</i></dd></dl>"
        for number in range(100)
    )
    story = f"<div><font>{SENTENCE * 8}<br><br>{SENTENCE * 8}</font></div>"
    html = f"<html><body><div><b>News</b></div>{story}<div id=c>{comments}</div></body></html>"
    assert kept(html).count("grey stone") >= 16 + 300


RECORDS = "".join(
    f"<tr><td>{number}.</td><td><a href='/{number}'>{WORDS[number % 10]} of the mill</a> <i>{number} crowns</i>"
    f"<p>What the mill says of {WORDS[number % 10]}s when they are asked for.</p></td></tr>"
    for number in range(20)
)


def test_lines_between_heading_and_records_stay() -> None:
    lines = (
        "<div>214 things found</div><p>We made <b>all</b> of them.</p><div><a href=/s>Sort by age</a></div>"
    )
    html = kept(f"<html><body><div><h1>Things</h1>{lines}<table>{RECORDS}</table></div></body></html>")
    assert "214 things found" in html
    assert "We made" in html
    assert "Sort by age" not in html


def test_a_heading_in_a_bar_above_the_records_stays() -> None:
    bar = "<div><div><h2>Things of this year</h2><a href=/all>See all of them</a></div></div>"
    html = kept(f"<html><body><div><h1>Mill</h1></div>{bar}<table>{RECORDS}</table></body></html>")
    assert "Things of this year" in html
    assert "See all of them" not in html


def test_a_list_without_links_among_the_sections_of_a_text_stays() -> None:
    limits = "<ul><li>One writer at a time.</li><li>No network.</li></ul>"
    text = "".join(map(entry, range(10)))
    html = f"<html><body>{menu(20, 'nav')}<div id=b><h1>Mill</h1>{text}<hr>{limits}</div></body></html>"
    assert "No network" in kept(html)


def test_menus_in_table_rows_are_not_of_the_make_of_records_in_table_rows() -> None:
    rows = "".join(f"<tr><td><a href='/m/{number}'>Menu {number}</a></td></tr>" for number in range(15))
    html = kept(
        f"<html><body><table><tr><td><table>{rows}</table></td><td><h1>Things</h1><table>{RECORDS}</table></td></tr>"
        "</table></body></html>"
    )
    assert "Menu 7" not in html
    assert html.count(" crowns") == 20


def test_the_options_of_a_product_stay_above_its_reviews() -> None:
    reviews = "".join(
        f"<li class=review><h3>Review {number}</h3><p>{SENTENCE}{number}</p></li>" for number in range(12)
    )
    form = "<form><label><input type=radio name=c>Copper</label><button>Put in basket</button></form>"
    product = f"<section><h1>A kettle</h1><p>{SENTENCE * 3}</p>{form}</section><section><ol>{reviews}</ol></section>"
    html = prune(
        f"<html><body>{menu(30, 'nav')}<main>{product}</main></body></html>",
        settings={"TPS_KEEP_FORMS": False},
    ).html
    assert "Copper" in html
