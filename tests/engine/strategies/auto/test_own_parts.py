"""Parts of the content that are named like boilerplate stay; boilerplate of the same names goes."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu

STORY = f"<div><h1>The mill bread</h1><p>{SENTENCE * 12}</p></div>"
INGREDIENTS = "<h2>Ingredients</h2><ul>" + "".join(f"<li>{n} g of flour {n}</li>" for n in range(8)) + "</ul>"
LINKS = "".join(f"<li><a href=/{n}>A story about mill number {n}</a></li>" for n in range(20))
TOPICS = "".join(f"<li><a href=/topic/{n}>topic {n}</a></li>" for n in range(5))


def kept(content: str) -> str:
    body = f"{menu(20, 'nav')}<main><article>{content}</article></main>"
    return prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize("name", ["sidebar", "filters", "dropdown", "recipe-sidebar"])
def test_what_is_named_after_lists_of_links_and_is_text_stays(name: str) -> None:
    assert kept(f"{STORY}<div class={name}>{INGREDIENTS}</div>").count(" g of flour ") == 8
    assert "mill number 7" not in kept(f"{STORY}<div class={name}><ul>{LINKS}</ul></div>")


def test_an_aside_that_is_the_answer_stays() -> None:
    assert "Yes, on Sundays as well" in kept(
        f"{STORY}<aside><p>Yes, on Sundays as well, from nine to five.</p></aside>"
    )


@pytest.mark.parametrize(
    "part", ["<header>{}</header>", "<footer>{}</footer>", "<div class=card-header>{}</div>"]
)
def test_header_and_footer_of_a_card_in_an_article_stay(part: str) -> None:
    card = (
        f"<section>{part.format('<p>Prep time: 10 minutes</p><p>Yield: 12</p>')}<p>{SENTENCE}</p></section>"
    )
    assert "Prep time: 10 minutes" in kept(STORY + card)


def test_the_header_of_an_article_stays_whatever_role_it_has() -> None:
    header = "<header role=banner><h1>The mill bread</h1><p>By Ada Miller</p><time>3 May</time></header>"
    html = kept(f"{header}<p>{SENTENCE * 12}</p>")
    assert "Ada Miller" in html
    assert "3 May" in html


@pytest.mark.parametrize("name", ["related", "tags-menu", "article-footer"])
def test_a_short_list_of_topics_in_an_article_stays(name: str) -> None:
    assert "topic 3" in kept(f"{STORY}<div class={name}><ul>{TOPICS}</ul></div>")


def test_topics_in_a_nav_of_an_article_stay() -> None:
    assert "topic 3" in kept(f"{STORY}<nav><ul>{TOPICS}</ul></nav>")
    assert "topic 3" not in kept(f"{STORY}</article><nav><ul>{TOPICS}</ul></nav>")


def test_a_short_list_that_its_heading_calls_similar_goes() -> None:
    assert "topic 3" not in kept(f"{STORY}<section><h2>Similar jobs</h2><ul>{TOPICS}</ul></section>")


def test_a_list_of_other_articles_goes() -> None:
    assert "mill number 7" not in kept(f"{STORY}<div class=related><ul>{LINKS}</ul></div>")


@pytest.mark.parametrize("name", ["lightbox", "aside-box", "image-overlay"])
def test_a_picture_that_leads_nowhere_stays_with_its_caption(name: str) -> None:
    picture = f"<div class={name}><img src=/mill.jpg><p>The mill in winter</p></div>"
    html = kept(f"{STORY}<aside>{picture}</aside>{picture}")
    assert html.count("/mill.jpg") == 2
    assert html.count("The mill in winter") == 2


def test_a_button_that_says_a_whole_line_is_a_title() -> None:
    rows = "".join(
        f"<div><button>{n}: The miller versus the river, no. {n}</button><p>{SENTENCE}{n}</p></div>"
        for n in range(2)
    )
    assert "The miller versus the river, no. 1" in kept(STORY + rows)


@pytest.mark.parametrize("title", ["The mill bread - Our mill", "Welcome"])
def test_an_overlay_with_the_only_first_heading_is_a_banner(title: str) -> None:
    hero = "<div class=hero-overlay><h1>The mill bread</h1><p>Baked by all of us on Sundays</p></div>"
    page = f"<title>{title}</title>{menu(20, 'nav')}{hero}<div><p>{SENTENCE * 12}</p></div>"
    assert "Baked by all of us" in prune(page, settings={"TPS_MIN_NODES": 0}).html


def test_an_overlay_with_another_first_heading_is_a_dialog() -> None:
    sign_up = "<div class=news-overlay><h1>Be told first</h1><p>Baked by all of us on Sundays</p></div>"
    page = f"<title>The mill bread</title>{menu(20, 'nav')}{STORY}{sign_up}"
    assert "Baked by all of us" not in prune(page, settings={"TPS_MIN_NODES": 0}).html


def test_filters_of_texts_with_controls_go() -> None:
    boxes = "".join(f"<li><label><input type=checkbox>Made of grain {n}</label></li>" for n in range(9))
    assert "Made of grain" not in kept(f"{STORY}<div class=filters><ul>{boxes}</ul></div>")


def test_a_number_that_stands_where_links_are_shared_stays() -> None:
    number = "<p>The number of this article in our list is 4711</p>"
    assert number in kept(f"{STORY}<div class=meta-share>{number}</div>")


def test_an_aside_with_a_time_says_something_about_the_text() -> None:
    facts = "<aside><h3>Baked</h3><time>4 May</time><h3>See</h3><a href=/1>All our breads</a></aside>"
    assert "All our breads" in kept(STORY + facts)


def test_a_sidebar_of_facts_stays_where_nothing_is_an_article_or_main() -> None:
    def page(aside: str) -> str:
        body = f"{menu(20, 'nav')}<div class=ad>{STORY}<div class=job-sidebar>{aside}</div></div>"
        return prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html

    assert "until the end of May" in page(
        "<p>Apply to Ada Miller</p><p>+49 40 1234, until the end of May</p>"
    )
    assert "mill number 7" not in page(f"<ul>{LINKS}</ul>")


def tabbed(*addresses: str) -> str:
    labels = "".join(
        f"<li class=nav-item><a href={address}>Label {address}</a></li>" for address in addresses
    )
    panes = "".join(
        f"<div class=tab-pane id={name}><p>{SENTENCE * 6}</p></div>" for name in ("data", "reviews")
    )
    content = f"<h1>The mill</h1><ul class='nav nav-tabs'>{labels}</ul><div>{panes}</div>"
    page = f"<html><body>{menu(20, 'nav')}{content}</body></html>"
    return prune(page, settings={"TPS_MIN_NODES": 0}).html


def test_labels_of_tabs_stay() -> None:
    html = tabbed("#data", "#reviews")
    assert "Label #data" in html
    assert "Label #reviews" in html


@pytest.mark.parametrize(
    ("classes", "stay"), [("nav nav-tabs", True), ("menu productTabs", True), ("menu stable", False)]
)
def test_labels_of_tabs_stay_above_the_heading(classes: str, stay: bool) -> None:
    labels = (
        f"<ul class='{classes}'><li><a href=#data>All its data</a></li><li><a href=#map>The map</a></li></ul>"
    )
    page = f"<html><body>{menu(20, 'nav')}<div>{labels}<p>{SENTENCE * 9}</p></div><h1>The mill</h1></body></html>"
    assert ("All its data" in prune(page, settings={"TPS_MIN_NODES": 0}).html) is stay


@pytest.mark.parametrize("addresses", [("/data", "/reviews"), ("#", "#"), ("#data", "/reviews"), ("#data",)])
def test_menus_that_lead_elsewhere_are_none(addresses: tuple[str, ...]) -> None:
    assert f"Label {addresses[0]}<" not in tabbed(*addresses)


def test_a_table_of_contents_is_none() -> None:
    contents = "".join(f"<li><a href=#{n}>What the mill was in its year {n}</a></li>" for n in range(5))
    assert "in its year 3" not in kept(f"{STORY}<ul class=menu>{contents}</ul>".replace("<article>", ""))


def test_a_sidebar_of_facts_stays_in_an_aside_where_nothing_is_main() -> None:
    facts = (
        "<aside class='col sidebar'><h4>Rossi Estates</h4><p>12 Market square, from nine to five</p></aside>"
    )
    page = f"<html><body>{menu(20, 'nav')}{STORY}{facts}<footer>Imprint</footer></body></html>"
    assert "12 Market square" in prune(page, settings={"TPS_MIN_NODES": 0}).html


def test_a_sidebar_with_an_address_to_write_to_stays() -> None:
    facts = "<p>Building 4, room 12</p><p><a href=mailto:g@u.org>novak@mill.org</a></p><p>Mondays from 9 to 11</p>"
    page = f"<html><body>{menu(20, 'nav')}<div class=sidebar>{facts}</div>{STORY}<footer>Imprint</footer></body></html>"
    assert "Building 4, room 12" in prune(page, settings={"TPS_MIN_NODES": 0}).html
