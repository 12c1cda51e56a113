"""The first of each kind of fact that markup labels stays, whatever holds it."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu, record

TEXT = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(8))
SHARE = " ".join(f'<a href="/s/{number}">Send it by way number {number}</a>' for number in range(6))


def kept(below: str = "", above: str = "", end: str = "") -> str:
    html = (
        f"<html><body>{menu(20, 'nav')}<div class=story>{above}<h1>The mill</h1>{below}"
        f"<div class=text>{TEXT}</div>{end}</div><footer>Imprint and more of it</footer></body></html>"
    )
    return pruned(html)


def pruned(html: str) -> str:
    return prune(html, settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize(
    "byline",
    [
        '<span class="post-author">Ada Miller</span> <time>4 May 2025</time>',
        '<span class="ArticleByLine_name">Ada Miller</span> <i>4 May 2025</i>',
        '<a rel="author" href="/ada">Ada Miller</a>, 4 May 2025',
    ],
)
@pytest.mark.parametrize("mark", ["headline-footer", "social", "sidebar"])
def test_a_byline_in_a_marked_part_stays_with_its_date(mark: str, byline: str) -> None:
    html = kept(f'<div class="{mark}"><div>{byline}</div><div>{SHARE}</div></div>')
    assert "Ada Miller" in html
    assert "4 May 2025" in html
    assert "/s/1" not in html


def test_a_byline_right_above_the_heading_stays() -> None:
    assert "Ada Miller" in kept(above='<aside><p class="author">Ada Miller</p></aside>')


def test_a_byline_below_the_text_stays_where_it_is_the_first() -> None:
    end = '<footer class="entry-footer"><p class="author">Ada Miller</p></footer>'
    assert "Ada Miller" in kept(end=end)


@pytest.mark.parametrize("tag", ["nav", "footer"])
def test_the_topics_of_a_text_stay(tag: str) -> None:
    topics = "".join(f'<li><a rel="tag" href="/t/{number}">Mills {number}</a>' for number in range(3))
    html = kept(end=f"<{tag}><ul>{topics}</ul><p><a href=/more>Much more of it</a></p></{tag}>")
    assert html.count("/t/") == 3
    assert "Much more" not in html


def test_topics_of_other_pages_go() -> None:
    related = '<aside class="related"><p><a href=/2>The weir</a></p><a rel=tag href=/t/4>Weirs</a></aside>'
    assert "Weirs" not in kept(end=related)


def test_further_authors_go() -> None:
    related = '<aside class="related"><p><a href=/2>The weir</a></p><p class="author">Bert Weaver</p></aside>'
    assert "Bert Weaver" not in kept('<p class="author">Ada Miller</p>', end=related)


@pytest.mark.parametrize("mark", ["author-bio", "post-signature"])
def test_a_portrait_is_no_advertisement_beside_a_text(mark: str) -> None:
    assert "It was Ada Miller" in kept(f"<div class={mark}>It was Ada Miller who wrote this down</div>")


def test_the_portrait_of_an_author_goes() -> None:
    end = f'<aside class="author">About Ada Miller. {SENTENCE}</aside>'
    assert "About Ada Miller" not in kept(end=end)


def test_authors_in_a_menu_go() -> None:
    assert "Our authors" not in kept('<nav><a class="authors" href="/authors">Our authors</a></nav>')


def test_authorities_write_nothing() -> None:
    assert "Board of mills" not in kept('<aside><p class="authority-name">Board of mills</p></aside>')


def test_a_byline_far_above_the_heading_stays() -> None:
    teaser = (
        f"<aside><p class=publish-date-author>4 May, Ada Miller</p></aside><div><p>{SENTENCE * 2}</p></div>"
    )
    assert "Ada Miller" in kept(above=teaser)


def test_the_name_in_a_byline_that_stays_comes_back() -> None:
    tooltip = f"<div class=tooltip>{{}}<div>{SENTENCE * 3}</div></div>"
    names = "".join(
        tooltip.format(f"<div class=tooltip><button>{name}</button></div>") for name in ("Ada Miller", "Bert")
    )
    html = kept(f"<div class=contributorbyline><div>By {names}</div><p>Checked by all of the board</p></div>")
    assert "Ada Miller" in html
    assert "Bert" not in html
    assert "<button>Ada Miller</button>" in kept("<p class=byline>By <button>Ada Miller</button></p>")


@pytest.mark.parametrize(
    "fact",
    [
        '<time datetime="2025-05-04">4 May 2025</time>',
        '<local-time datetime="2025-05-04">4 May 2025</local-time>',
        '<b itemprop="datePublished">4 May 2025</b>',
        '<span class="entry-date published">4 May 2025</span>',
        '<b itemprop="sku">4 May 2025</b>',
        '<b itemprop="author">4 May 2025</b>',
    ],
)
@pytest.mark.parametrize("mark", ["<aside>{}</aside>", "<div class=share>{}</div>", "<footer>{}</footer>"])
def test_the_first_fact_of_a_kind_stays_and_what_stands_beside_it_goes(mark: str, fact: str) -> None:
    part = mark.format(f"<div>{fact}</div><div>{SHARE}</div>")
    html = kept(end=part)
    assert "4 May 2025" in html
    assert "/s/1" not in html
    assert kept(f"<p>{fact}</p>", end=part).count("4 May 2025") == 1


def test_a_fact_that_is_hidden_for_machines_stays_beside_the_shown_one() -> None:
    shown = '<p>Posted <time itemprop="datePublished" datetime="2025-05-04">May 4</time></p>'
    hidden = '<div style="display: none"><b itemprop="datePublished">2025-05-04T10:00</b><b>200 px</b></div>'
    html = kept(shown + hidden)
    assert "2025-05-04T10:00" in html
    assert "200 px" not in html


@pytest.mark.parametrize("mark", ["related", "comments", "dropdown-menu", "cookie-consent"])
def test_facts_about_something_else_go(mark: str) -> None:
    part = f'<div class="{mark}"><p>{SHARE}</p><time datetime="2024">In the year before</time></div>'
    assert "In the year before" not in kept(end=part)


@pytest.mark.parametrize(
    "heading",
    ["<h1>Board of mills 7</h1>", "<title>Board of mills 7 - The forum</title><h2>Board of mills 7</h2>"],
)
@pytest.mark.parametrize("around", ["form class=jump", "form class=filter", "div class=footer"])
def test_the_chosen_option_that_repeats_the_heading_stays(heading, around):
    options = "".join(
        f"<option value={n}{' selected' * (n == 7)}>Board of mills {n}</option>" for n in range(12)
    )
    part = f"<{around}><select name=f>{options}</select><button>Go</button></{around.split()[0]}>"
    html = pruned(f"{heading}{menu(30, 'nav')}{''.join(map(record, range(12)))}{part}")
    assert '<option value="7"' in html
    assert '<option value="8"' not in html


@pytest.mark.parametrize(
    ("address", "stays"),
    [
        ("http://a.example/?court=5", True),
        ("http://a.example/?q=5&court=%35#5", True),
        ("http://a.example/?court=6&q=5", False),
        ("http://[wrong/?court=6", False),
    ],
)
def test_the_chosen_option_that_the_address_names_stays(address, stays):
    options = "".join(f"<option value={n}{' selected' * (n == 5)}>Court {n}</option>" for n in range(9))
    part = f"<form class=filter><select name=court>{options}</select><button>Show</button></form>"
    html = prune(f"<h1>Sittings</h1>{part}{''.join(map(record, range(12)))}", url=address).html
    assert ('<option value="5"' in html) is stays
    assert '<option value="4"' not in html


def test_a_chosen_option_that_says_something_else_goes():
    part = "<form class=filter><select><option selected>Newest first<option>Oldest first</select></form>"
    assert "Newest" not in pruned(f"<h1>Board of mills 7</h1>{''.join(map(record, range(12)))}{part}")
