"""Lists that their headings call related content go; what is on the page for its own sake stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps import prune
from scrapy_tps.engine.cues.reading import SUBHEADING
from scrapy_tps.engine.cues.words import TELLING_WORDS, speaks_of_related
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.native import AVAILABLE, REASON, extension, walk
from scrapy_tps.engine.strategies.auto.marked_parts import RelatedHeadings, related_headings
from scrapy_tps.engine.strategies.auto.page import Page
from tests.engine.strategies.made import SENTENCE

STORY = f"<div><h1>The mill bread</h1><p>{SENTENCE * 12}</p></div>"
CARDS = "".join(
    f"<div class=tile><a href=/{n}><img src=/{n}.jpg></a>"
    f"<h3><a href=/{n}>Bread number {n} of the mill by the river</a></h3></div>"
    for n in range(6)
)
PRODUCTS = "".join(
    f"<li class=tile><a href=/{n}><img src=/{n}.jpg></a><h3><a href=/{n}>Bit number {n}</a></h3><b>{n}.90</b></li>"
    for n in range(9)
)
SAYS = (
    "You may also like",
    "You’ll also love …",
    "Customers who bought this item also bought",
    "Similar Products",
    "Related posts",
    "READ NEXT",
    "Das könnte dir auch schmecken",
    "Vous aimerez aussi",
    "También te puede gustar",
    "Potrebbe interessarti anche",
    "Leia também",
    "Lees ook",
    "Přečtěte si také",
    "Läs också",
    "Читайте также",
    "こちらもおすすめ",
    "관련 기사",
)


def kept(content: str) -> str:
    page = f"<html><body><header class=top>The mill</header>{content}</body></html>"
    return prune(page, settings={"TPS_MIN_NODES": 0}).html


@pytest.mark.parametrize("says", SAYS)
def test_a_list_that_its_heading_calls_related_goes(says: str) -> None:
    html = kept(f"{STORY}<div class=x1><h2>{says}</h2><div class=x2>{CARDS}</div></div>")
    assert "Bread number 3" not in html
    assert SENTENCE in html


@pytest.mark.parametrize(
    "layout",
    [
        "<h2>You may also like</h2><div class=x2>{}</div>",
        "<div class=x1><span><h2>You may <em>also</em> like</h2></span></div><div></div><div class=x2>{}</div>",
        "<section class=x1><div class=x2><h2>You may also like</h2></div>{}</section>",
    ],
)
def test_the_list_may_follow_its_heading_or_stand_in_one_part_with_it(layout: str) -> None:
    assert "Bread number 3" not in kept(f"{STORY}{layout.format(CARDS)}")


@pytest.mark.parametrize(
    "says",
    [
        "More breads",
        "Our breads",
        "Latest posts",
        "Related documents",
        "Recommended products",
        "See also",
        "You may need",
        "Beagles also love",
        "Up next",
        "Folgende Nebenwirkungen könnten auch auftreten",
        "Recommended reading",
        "What you like",
        "I read it next to the mill",
        "Likely",
    ],
)
def test_a_list_under_another_heading_stays(says: str) -> None:
    assert "Bread number 3" in kept(
        f"{STORY}<section class=x1><h2>{says}</h2><div class=x2>{CARDS}</div></section>"
    )


def test_the_account_says_why() -> None:
    page = f"{STORY}<div class=x1><h2>Similar products</h2>{CARDS}</div>"
    gone = prune(page, settings={"TPS_MIN_NODES": 0}).removed()
    assert any("related content" in one.reason for one in gone)


@pytest.mark.parametrize(
    "content",
    [
        f"<h1>Bread</h1><p>A few words.</p><div><h2>You may also like</h2>{CARDS}</div>",
        f"<main><h2>You may also like</h2>{CARDS}</main><footer>The mill</footer>",
        f"{STORY}<div><h2>You may also like</h2><p>{SENTENCE * 3}{'<a href=/>1</a>' * 3}</div>",
        f"{STORY}<div><h2>You may also like</h2><a href=/a>One</a><h2>Breads</h2>{CARDS}</div>",
        f"<h1>Bread</h1><article><h2>You may also like</h2>{CARDS}<p>{SENTENCE * 12}</p></article>",
        f"{STORY}<div><a href=/all><h2>You may also like</h2></a></div><p>{SENTENCE}</p><div>{CARDS}</div>",
        f"{STORY}<article class=x1><h2>You may also like</h2>{CARDS}</article>",
        f"{STORY}<div class=x1><h3>Read also: <a href=/o>The other mill</a></h3><div class=x2>{CARDS}</div></div>",
        f"{STORY}<div class=x1><h3>Related articles</h3><div class=x2>{CARDS}<a href=/act.PDF?v=1>Act</a></div></div>",
        f"<div><h2>The mill bread</h2><p>{SENTENCE * 12}</p></div>"
        f"<section class=x1><h2>You may also like</h2><div class=x2>{CARDS}</div></section>",
        f"{STORY}<div class=x1><p>{SENTENCE}</p><h2>You may also like</h2>{CARDS}</div>",
        f"{STORY}<section class=x1><h2>What you may also like to know before you come to us, {SENTENCE}</h2>"
        f"<div class=x2>{CARDS}</div></section>",
        f"<div class=x1><h1>For the drill</h1><p>{SENTENCE}</p><h2>Customers also bought</h2>"
        f"<ul class=x2>{PRODUCTS}</ul></div>",
    ],
    ids=[
        "little else",
        "nothing else",
        "a text",
        "another section",
        "before the text",
        "no list behind it",
        "an article",
        "the text behind a link to read also",
        "documents",
        "a page without a first heading",
        "a text before the heading",
        "a long heading",
        "about as much",
    ],
)
def test_what_is_no_list_beside_the_content_stays(content: str) -> None:
    html = kept(content)
    assert html.count("Bread number 3") == content.count("Bread number 3")
    assert html.count("Bit number 3") == content.count("Bit number 3")
    assert html.count(SENTENCE) == content.count(SENTENCE)


def test_a_list_below_the_part_of_the_heading_is_not_taken_for_its_list() -> None:
    pictures = "".join(f"<a href=/{n}><img src=/{n}.jpg></a>" for n in range(6))
    branches = "".join(f"<li><a href=/b{n}>Branch {n} of the mill</a></li>" for n in range(6))
    part = f"<div class=x1><p>The mill</p><h2>You may also like</h2>{pictures}</div>"
    page = Page(walk(parse(f"{STORY}{part}<ul>{branches}</ul>").body))
    assert related_headings(page, RelatedHeadings()) == []


def test_a_page_of_such_headings_does_not_have_all_of_them_looked_at() -> None:
    page = Page(walk(parse(STORY * 9 + f"<section><h2>Read next</h2><div>{CARDS}</div></section>" * 25).body))
    assert len(related_headings(page, RelatedHeadings())) == RelatedHeadings().most


@pytest.mark.skipif(not AVAILABLE, reason=f"no native core: {REASON}")
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [*SAYS, "x", "<b>You may</b> also <i>like</i>", "you'll-like", "like’s", "İ", "K"]
            ),
            st.text(st.characters(codec="utf-8", exclude_characters="<&\x00"), max_size=30),
        ),
        max_size=6,
    )
)
def test_the_native_core_leaves_out_no_heading_that_tells(headings: list[str]) -> None:
    body = parse("".join(f"<h2>{heading}</h2>" for heading in headings) + "<p>text</p>").body
    page = Page(walk(body))
    words = extension("texts").Table(dict.fromkeys(TELLING_WORDS, (1, 0, 0)))
    found = extension("cues").telling_headings(page.columns, SUBHEADING, 80, words)
    for heading in page.all_with(SUBHEADING):
        said = " ".join(page.sequence.nodes[heading].itertext())
        if 0 < page.text_before[page.end[heading]] - page.text_before[heading] <= 80 and speaks_of_related(
            said
        ):
            assert heading in found
