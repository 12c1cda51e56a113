"""Pages of one text: what stands around it goes, what is about it stays."""

from __future__ import annotations

import re

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, kept, menu

TEXT = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(16))
INTRODUCTION = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(9))
TILE = '<a class="tile" href="/{0}"><img src="/{0}.jpg"><span>Vase {0}</span></a>'
BOX = '<div class="box"><a href="/{0}"><img src="/{0}.jpg"></a><i>Clay</i><a href="/{0}">Vase {0}</a></div>'
DATED = '<div class="item"><h3><a href="/{0}">The vase of a quite different kiln, {0}</a></h3><b>{0} May</b></div>'


def page(after: str, *, text: str = TEXT, above: str = "") -> str:
    story = f"<h1>The mill</h1>{above}<div class=story>{text}</div>"
    return f"<html><body><div class=page>{story}{after}</div></body></html>"


def teasers(number: int = 4) -> str:
    return '<div class="grid">' + "".join(map(_teaser, range(number))) + "</div>"


def _teaser(number: int) -> str:
    return (
        f'<div class="card"><a href="/{number}"><h3>Of a quite different river, number {number}</h3></a>'
        f"<span>{number} May</span><p>A few words about {number}</p></div>"
    )


def comments(number: int = 12) -> str:
    return "".join(
        f'<div class="comment-{number}"><b>Reader {number}</b><p>I have been there {number} times and liked it, '
        "although it rained on all of the days that we had.</p><a href=#r>Reply</a></div>"
        for number in range(number)
    )


def test_teasers_below_an_article_go() -> None:
    html = kept(page(teasers()))
    assert "different river" not in html
    assert html.count("grey stone") == 48


@pytest.mark.parametrize(
    "writer",
    [
        "<div class=post-author-box><p>Ada Miller keeps bees, and the books of a mill</p></div>",
        "<div><a href=/author/ada>Ada Miller</a><p>keeps bees, and the books of a mill</p></div>",
    ],
)
def test_who_wrote_an_article_stays_below_it(writer: str) -> None:
    html = kept(page(writer + teasers(), above="<p class=byline>By Ada Miller</p>"))
    assert "keeps bees" in html
    assert "different river" not in html


def test_what_stands_between_heading_and_text_stays() -> None:
    assert "By Ada Miller" in kept(page(teasers(), above="<p class=byline>By Ada Miller</p>"))


def test_questions_and_answers_below_an_article_stay() -> None:
    answers = "".join(
        f'<div class="qa"><h3>Question {number}?</h3><div><p>{SENTENCE} It is answer {number}.</p></div></div>'
        for number in range(5)
    )
    assert "answer 4" in kept(page(f"<div>{answers}</div>"))


def test_a_table_of_facts_below_a_text_stays() -> None:
    rows = "".join(f"<tr><th>Fact {number}</th><td>{number} ells</td></tr>" for number in range(6))
    assert "3 ells" in kept(page(f"<table>{rows}</table>"))


def test_parts_of_the_same_make_as_the_text_stay() -> None:
    assert "the last word" in kept(page("<div class=story><p>And this is the last word.</p></div>"))


def test_replies_to_a_long_opening_post_stay() -> None:
    replies = "".join(
        f"<li class=message><b>Reader {number}</b><div><p>It is {number} times as old.</p></div></li><li></li>"
        for number in range(9)
    )
    opening = f"<li class='message starter'><b>Ada</b><div>{TEXT}</div></li><li></li>"
    html = kept(f"<html><body><div><h1>The mill</h1><ol>{opening}{replies}</ol></div></body></html>")
    assert html.count("times as old") == 9


def test_a_long_list_of_records_below_a_text_stays() -> None:
    vacancies = "".join(
        f"<li><a href=/j/{number}>Miller {number}</a><i>Town {number}</i><u>{number} May, full time</u></li>"
        for number in range(12)
    )
    assert "Town 11" in kept(page(f"<h2>Vacancies</h2><ul>{vacancies}</ul>"))
    assert "different river" not in kept(page(teasers(9)))


def test_records_below_a_short_introduction_stay() -> None:
    introduction = f"<p>{SENTENCE * 4}</p>"
    html = kept(page(teasers(12), text=introduction))
    assert all(f"number {number}<" in html for number in range(12))


@pytest.mark.parametrize(("card", "number"), [(TILE, 24), (BOX, 24), (DATED, 3)])
def test_cards_without_prices_below_the_introduction_of_a_category_stay(card: str, number: int) -> None:
    cards = "".join(map(card.format, range(number)))
    html = kept(page(f'<div class="grid">{cards}</div>', text=INTRODUCTION))
    assert all(f"/{one}" in html for one in range(number))


def test_works_with_short_names_below_a_text_in_japanese_stay() -> None:
    text = (
        "<p>" + "港の町で新しい橋が開通しました。多くの人々が朝から集まり、式典が行われました。" * 12 + "</p>"
    )
    works = "".join(
        f'<div><a href="/{one}"><img src="/{one}.jpg"><p>陶器の茶碗{one}</p></a></div>' for one in range(24)
    )
    html = kept(page(f"<div class=list>{works}</div>", text=text))
    assert all(f"茶碗{one}" in html for one in range(24))


def test_records_below_a_text_that_is_not_below_the_heading_stay() -> None:
    options = "".join(
        f"<li>Option {number} of this thing and what it costs in crowns</li>" for number in range(30)
    )
    html = kept(page(teasers(), above=f"<ul>{options}</ul>"))
    assert "different river" in html


def test_comments_below_a_long_text_go() -> None:
    html = kept(page(f'<div id="comments">{comments()}</div>'))
    assert "it rained" not in html


def test_replies_below_a_short_opening_stay() -> None:
    html = kept(page(f'<div id="comments">{comments()}</div>', text=f"<p>{SENTENCE * 4}</p>"))
    assert html.count("it rained") == 12


def test_raising_the_ratio_keeps_teasers_and_comments() -> None:
    html = page(teasers() + f'<div id="comments">{comments()}</div>')
    pruned = prune(html, settings={"TPS_SIZE_RATIO": 0.99}).html
    assert "different river" in pruned
    assert "it rained" in pruned


def test_reviews_below_a_long_description_go() -> None:
    assert "it rained" not in kept(page(f'<div class="product-reviews">{comments()}</div>'))
    short = page(f'<div class="product-reviews">{comments()}</div>', text=f"<p>{SENTENCE * 4}</p>")
    assert kept(short).count("it rained") == 12


def test_lists_of_references_with_short_links_stay() -> None:
    entries = "".join(
        f'<div class="impl"><h4>Entry {number} of it</h4><a href="#{number}">src</a><a href="/t">T</a>'
        f"<div><code>a declaration of some length, number {number}</code></div></div>"
        for number in range(5)
    )
    assert "a declaration of some length, number 4" in kept(page(f'<div class="impls">{entries}</div>'))


def test_headings_of_what_stays_below_a_text_stay() -> None:
    html = kept(page("<h2>In figures</h2><table><tr><th>Built</th><td>1811</td></tr></table>"))
    assert "In figures" in html


def test_lines_of_code_around_the_longest_comment_stay() -> None:
    code = f'<pre><span>{SENTENCE * 40}</span>\n<span class="k">let</span> three = 1 + 2;</pre>'
    html = kept(page("", text=code))
    assert "three" in html
    assert ">let<" in html


@pytest.mark.parametrize("price", ["248,00", "$ 12", "1 299 €", "1.299,95 kr", "￥980"])
def test_products_below_the_description_of_their_category_stay(price: str) -> None:
    products = teasers().replace("A few words", price)
    assert kept(page(products)).count("quite different river") == 4
    assert "quite different river" not in kept(page(products.replace(price, "12.11.2026")))


def test_a_name_of_what_holds_the_heading_and_the_text_says_nothing_about_the_text() -> None:
    inside = f"<h1>The mill</h1><div class=story>{TEXT}</div>{teasers()}"
    html = kept(f"<html><body><div class=content-sidebar-wrap>{inside}</div></body></html>")
    assert "different river" not in html


@pytest.mark.parametrize(
    "line",
    [
        "<div>Dec. 19, 2025 &middot; Ada Miller on behalf of the guild</div>",
        "<div><a href=/>Home</a> / <a href=/mills>Mills</a> / The mill by the river and its miller</div>",
        "<p>Why did it ever stop? A claim.</p>",
    ],
)
def test_a_byline_a_path_or_a_claim_above_the_heading_stays(line: str) -> None:
    story = f"<h1>The mill</h1><div class=story>{TEXT}</div>"
    html = kept(f"<html><body><div class=page>{line}{story}{teasers()}</div></body></html>")
    assert re.sub("<[^>]+>|&[a-z]+;", "", line)[-30:-6] in re.sub("<[^>]+>", "", html)
    assert "different river" not in html


DATA = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
TYPED = '<meta property="og:type" content="article">'
SAYS = (DATA, TYPED, '<script type="application/ld+json">{"@graph": [{"@type": ["BlogPosting"]}]}</script>')
STORIES = "".join(
    f"<div class=card><a href=/n/{n}><img src=/{n}.jpg></a><h3><a href=/n/{n}>A story about quarry number {n}</a></h3>"
    f"<p>It was opened in the spring of 19{n + 10}.</p></div>"
    for n in range(6)
)


def short(head: str, behind: str, within: str = "") -> str:
    """An article of some 2,300 characters, with something behind it and in it."""
    text = f"<p>{SENTENCE * 5}</p>"
    story = f"<div class=story>{text * 3}{within}{text * 2}</div>"
    return kept(
        f"<html><head>{head}</head><body>{menu(20, 'nav')}<h1>The mill</h1>{story}{behind}</body></html>"
    )


@pytest.mark.parametrize(
    "head", [*SAYS, DATA + '<script type="application/ld+json">{"@type": "ItemList"}</script>']
)
def test_teasers_below_a_short_text_go_if_the_page_says_that_it_is_an_article(head: str) -> None:
    html = short(head, f"<div class=grid>{STORIES}</div>")
    assert "ground barley" in html
    assert "quarry" not in html


@pytest.mark.parametrize(
    "head",
    [
        "",
        '<meta property="og:type" content="website">',
        TYPED + '<script type="application/ld+json">{"@type": "Product"}</script>',
        DATA + '<script type="application/ld+json">{"@type": "CollectionPage"}</script>',
    ],
)
def test_they_stay_if_it_says_something_else_or_nothing(head: str) -> None:
    assert "quarry number 5" in short(head, f"<div class=grid>{STORIES}</div>")


@pytest.mark.parametrize(
    "behind",
    [
        "<div class=facts><table><tr><th>Built</th><td>1811, by quarrymen</td></tr></table></div>",
        "<div class=prices>"
        + "".join(f"<div><a href=/q/{n}>Flour of the quarry, {n} kg</a><b>{n}.50</b></div>" for n in range(5))
        + "</div>",
        "<ul class=tags><li><a href=/t/1>Mills</a><li><a href=/t/2>A quarry</a></ul>",
        "<div class=pagination><a href=?p=2>2</a> <a href=?p=3>quarry</a></div>",
    ],
)
def test_facts_prices_topics_and_pages_stay(behind: str) -> None:
    assert "quarry" in short(DATA, behind)


def test_notes_that_the_text_refers_to_stay() -> None:
    marks = "".join(f"<sup><a href=#n{n}>{n}</a></sup>" for n in range(4))
    notes = "".join(f"<li id=n{n}><a href=/b/{n}>A book about quarry number {n}</a></li>" for n in range(4))
    assert "quarry number 3" in short(
        DATA, f"<div class=sources><ol>{notes}</ol></div>", f"<p>See {marks}.</p>"
    )


def test_cards_that_are_one_link_each_go_behind_an_article() -> None:
    cards = "".join(
        f"<a href=/n/{n}><h3>A quarry, number {n}</h3><p>It was opened in 19{n + 10}.</p></a>"
        for n in range(6)
    )
    assert "quarry" not in short(DATA, f"<div class=grid>{cards}</div>")
    assert "quarry" in short("", f"<div class=grid>{cards}</div>")


def test_short_titles_with_linked_pictures_are_no_topics() -> None:
    titles = "".join(
        f"<div><a href=/n/{n}><img src=/{n}.jpg></a><h3><a href=/n/{n}>The old quarry of {n}</a></h3>"
        f"<i>{n} May</i></div>"
        for n in range(5)
    )
    assert "quarry" not in short(DATA, f"<div class=grid>{titles}</div>")
    topics = re.sub("<img[^>]+>", "", titles)
    assert "quarry of 4" in short(DATA, f"<div class=grid>{topics}</div>")


CARDS = "".join(
    f"<div class=card><h3>A quarry, number {n}</h3><p>It opened in 19{n + 10}.</p><a href=/n/{n}>Read more</a></div>"
    for n in range(4)
)


def test_cards_below_an_article_go_if_the_page_declares_it() -> None:
    assert "quarry" not in short(DATA, f"<div class=grid>{CARDS}</div>")
    assert "quarry" not in short(TYPED, f"<div class=grid>{CARDS}</div>")
    assert "quarry" in short("", f"<div class=grid>{CARDS}</div>")


@pytest.mark.parametrize(
    "behind",
    [
        f"<section><h2>A quarry</h2><p>{SENTENCE}See <a href=/a>one</a>, <a href=/b>two</a>, <a href=/c>more</a>.",
        f"<section><h2>A quarry</h2><p>{SENTENCE * 12}</p><ul>"
        + "".join(f"<li><a href=/n/{n}>The long story of a mill, part {n}</a>" for n in range(6))
        + "</ul></section>",
        CARDS.replace("/n/", "https://elsewhere.example/n/"),
        re.sub("/n/.", "#end", CARDS),
    ],
    ids=["a section", "a text of its own", "other sites", "within the page"],
)
def test_what_does_not_lead_to_a_page_for_each_heading_stays(behind: str) -> None:
    address = "<link rel=canonical href=https://here.example/mill>"
    assert "quarry" in short(DATA + address, f"<div>{behind}</div>")


@pytest.mark.parametrize(("host", "stays"), [("books.example", True), ("mill.example", False)])
def test_the_address_of_the_response_tells_other_sites_from_its_own(host: str, stays: bool) -> None:
    books = re.sub("/n/(.)", rf"https://{host}/\1", STORIES)
    story = f"<h1>The mill</h1><div class=story>{TEXT}</div><div>{books}</div>"
    html = f"<html><head>{DATA}</head><body>{story}</body></html>"
    pruned = prune(html, url="https://mill.example/a", settings={"TPS_MIN_NODES": 0}).html
    assert ("quarry number 5" in pruned) is stays


WRITER = "<b class=author-name><a href=/about/ada>Ada Miller</a></b>"
BOX_OF_WRITER = f"<div class=box>{WRITER}<p>Of the quarry. {SENTENCE}</p></div>"


def test_a_box_about_the_writer_goes_and_the_name_stays() -> None:
    signed = DATA + "</head><body><p class=byline>By Ada Miller</p>"
    assert "quarry" not in short(signed, BOX_OF_WRITER)
    assert "By Ada Miller" in short(signed, BOX_OF_WRITER)
    assert "quarry" not in short(DATA, BOX_OF_WRITER)
    assert "Ada Miller" in short(DATA, BOX_OF_WRITER)
    assert "quarry" in short("", BOX_OF_WRITER)


def test_a_box_named_after_the_writer_goes_from_the_text_as_well() -> None:
    box = f"<div class=author-box><b>Ada Miller</b><p>Of the quarry. {SENTENCE}</p></div>"
    html = f"<head>{{}}</head><h1>The mill</h1><div class=story><p>{SENTENCE * 5}</p>{box}<p>{SENTENCE * 5}</p></div>"
    assert "quarry" not in kept(html.format(DATA))
    assert "quarry" in kept(html.format(""))


def test_a_form_behind_a_declared_article_goes() -> None:
    form = (
        f"<div><h2>The quarry</h2><p>{SENTENCE}</p><form><input type=email><button>Join</button></form></div>"
    )
    assert "quarry" not in short(DATA, form)
    assert "quarry" in short("", form)


def test_an_article_needs_no_main_heading() -> None:
    story = f"<head>{DATA}</head><body><div class=story><h2>The mill</h2>{TEXT}</div><div class=more>{STORIES}</div>"
    assert "quarry" not in kept(story)


def test_data_without_links_behind_a_declared_article_stay() -> None:
    pictures = "<div>Pictures: the quarry of Whitby</div>"
    amounts = "".join(f"<li><b>{n}</b><i>ml</i><u>water {n}</u></li>" for n in (5, 10, 500))
    html = short(DATA, f"{pictures}<div><div>Needed</div><ul>{amounts}</ul></div>")
    assert "Whitby" in html
    assert "water 500" in html


def test_topics_in_a_box_about_the_writer_stay() -> None:
    signed = DATA + "</head><body><p class=byline>By Ada Miller</p>"
    topics = "".join(f"<a href=/t/{n}>Quarry {n}</a>" for n in range(3))
    assert "Quarry 2" in short(signed, f"<div>{BOX_OF_WRITER}<p>{topics}</p></div>")


PROMOTION = f"<div class=x><h2>A quarry</h2><p>{SENTENCE}</p><a href=/join>Read on</a></div>"


def test_what_leads_to_another_page_behind_an_article_goes() -> None:
    assert "quarry" not in short(DATA, PROMOTION)
    assert "quarry" in short("", PROMOTION)


def test_the_only_article_element_says_that_its_text_is_one() -> None:
    story = f"<h1>The mill</h1><div class=story>{f'<p>{SENTENCE * 5}</p>' * 5}</div>"

    def of(beside: str) -> str:
        return kept(f"<body><article>{story}</article>{beside}<div class=grid>{STORIES}</div></body>")

    assert "quarry" not in of("")
    assert "quarry number 5" in of("<article><p>Of a weir.</p></article>")


def test_topics_in_the_footer_of_an_article_stay_and_other_pages_go() -> None:
    topics = "<ul><li><a href=/t/weir>Weir</a></li><li><a href=/t/wheel>Wheel</a></li></ul>"
    other = "<div><a href=/q>The long story of a quarry above the town</a></div>"
    foot = f"<footer>{topics}<p>The desk welcomes all corrections of this text.</p>{other}</footer>"
    story = f"<article><h1>The mill</h1><div class=story>{f'<p>{SENTENCE * 5}</p>' * 5}</div>{foot}</article>"
    html = kept(f"<body>{menu(20, 'nav')}{story}</body>")
    assert "Weir" in html
    assert "corrections of this text" in html
    assert "quarry" not in html


def test_titles_with_pictures_in_the_text_of_an_article_go() -> None:
    cards = re.sub("<p>.*?</p>", "", STORIES)
    inside = f"<div class=more>{cards}</div>"
    assert "quarry" not in short(DATA, "", inside)
    assert "quarry" in short("", "", inside)


def test_a_list_that_says_it_is_an_article_stays() -> None:
    stories = "".join(
        f"<div class=post><h2><a href=/n/{n}>A story about quarry number {n}</a></h2><p>{SENTENCE * 2}</p></div>"
        for n in range(12)
    )
    html = kept(
        f"<html><head>{TYPED}</head><body>{menu(20, 'nav')}<h1>Stories</h1><div>{stories}</div></body></html>"
    )
    assert "quarry number 11" in html
