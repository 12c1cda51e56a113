from __future__ import annotations

from functools import partial
from html import escape

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.cues.words import MORE_WORDS, PAGINATION_WORDS
from scrapy_tps.engine.strategies.auto.pagination import NextLinks
from tests.engine.strategies.made import SENTENCE, listing_above
from tests.support.counting import calls_in

NEXT = {
    "its word": "<a href=/?p=2>Next</a>",
    "an arrow beside it": "<p><a href=/?p=2>Next »</a></p>",
    "an arrow": "<p><a href=/?p=2><span>›</span></a></p>",
    "German": "<p><a href=/?p=2>Nächste Seite</a></p>",
    "Russian": "<p><a href=/?p=2>Следующая</a></p>",
    "Japanese": "<p><a href=/?p=2>次へ</a></p>",
    "its class": "<p><a class=next-page href=/?p=2>Onwards</a></p>",
    "its class in one word": "<p><a class=btnNext href=/?p=2>Onwards</a></p>",
    "its id": "<p><a id=next href=/?p=2>Onwards</a></p>",
    "the class around it": "<ul><li class=next><a href=/?p=2>Onwards</a></li></ul>",
    "the class further out": "<div class=nav-previous><span><a href=/?p=2>To before</a></span></div>",
    "its label": "<p><a aria-label='Next page' href=/?p=2><img src=a.png></a></p>",
    "its title": "<p><a title='Next page' href=/?p=2><img src=a.png></a></p>",
    "what its picture says": "<p><a href=/?p=2><img src=a.png alt='More results'></a></p>",
    "how many": "<p><a href=/?p=2>Next 20 matches</a></p>",
    "more of them": "<div class=more><a class=btn href=/?p=2>Load more</a></div>",
    "older ones": "<p><a href=/?p=2>← Older posts</a></p>",
}
OTHERS = {
    "slides": "<a class=carousel-control-next href=/?p=2>Onwards</a>",
    "places on the page": "<a class=next href=#b>Next</a>",
    "scripts": "<a href='javascript:turn()'>Next</a>",
    "titles": "<p class=next><a href=/?p=2>Next: what came of the mill</a></p>",
    "other pictures": "<a href=/?p=2><img src=a.png alt='The next mill'></a>",
    "days": "<a href=/?p=2>Next 7 days</a>",
    "words in between": "<a href=/?p=2>What comes next</a>",
    "names with more": "<a class=read-more href=/?p=2>Onwards</a>",
    "a class of more than the link": "<p class=next><a href=/?p=2>Onwards</a> and upwards</p>",
}
LOADED = {
    "a link": "<p><a href=# data-href='/s?q=mill&page=2'>More</a></p>",
    "a button": "<p><button data-next-url=/s/2>Load more</button></p>",
    "a button of a library": '<nav><button hx-get="" hx-vals=\'{"page": "2"}\'>Show more</button></nav>',
}
NOT_LOADED = {
    "another page": "<p><a href=# data-href=/mill>More</a></p>",
    "what is there already": "<p><button>Show more</button></p>",
    "a link with an address": "<p><a href=/mills data-page=2>Show more</a></p>",
    "words of their own": "<p><button data-page=2>Buy the mill</button></p>",
    "slides": "<p><button class=carousel-next data-page=2>On</button></p>",
}


@pytest.mark.parametrize("link", LOADED.values(), ids=LOADED)
def test_links_and_buttons_stay_where_an_attribute_has_the_page_that_they_load(link: str) -> None:
    result = prune(listing_above(link))
    assert len(result.root.xpath("//footer//*[self::a or self::button]")) == 1
    assert "Imprint" not in result.html


@pytest.mark.parametrize("link", NOT_LOADED.values(), ids=NOT_LOADED)
def test_other_links_and_buttons_go(link: str) -> None:
    assert not prune(listing_above(link)).root.xpath("//footer//*[self::a or self::button][text()]")


@pytest.mark.parametrize("link", NEXT.values(), ids=NEXT)
@pytest.mark.parametrize("strategy", ["auto", "aggressive", "tps"])
def test_links_to_the_next_page_stay_in_what_goes(link: str, strategy: str) -> None:
    result = prune(listing_above(link), settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": strategy})
    assert result.root.xpath("//footer//a/@href") == ["/?p=2"]
    if strategy != "tps":
        assert "Imprint" not in result.html


def lost(words: frozenset[str], link: str) -> list[str]:
    """The words that do not keep such a link on the page."""
    pages = {word: listing_above(link.format(escape(word))) for word in words}
    return [word for word, page in pages.items() if not prune(page).root.xpath("//footer//a")]


def test_every_word_keeps_its_link() -> None:
    short = frozenset(word for word in PAGINATION_WORDS if len(word) <= NextLinks().characters)
    assert lost(short, "<a href=/?p=2>{}</a>") == []
    assert lost(PAGINATION_WORDS, "<a href=/?p=2 aria-label='{}'><img src=a.png></a>") == []
    assert lost(MORE_WORDS, "<a href=# data-page=2>{}</a>") == []


@pytest.mark.parametrize("link", OTHERS.values(), ids=OTHERS)
def test_other_links_go(link: str) -> None:
    assert not prune(listing_above(link)).root.xpath("//footer//a")


def test_of_equal_links_one_stays_where_a_list_has_none() -> None:
    above = f"<header><p>{SENTENCE}</p>{NEXT['its word']}</header>"
    root = prune(listing_above(NEXT["its word"]).replace("<nav", f"{above}<nav", 1)).root
    assert root.xpath("//a[.='Next']/..")[0].tag == "div"
    assert len(root.xpath("//a[.='Next']")) == 1


def test_a_page_of_nothing_but_links_to_others_keeps_none() -> None:
    links = "".join(f"<p><a class=next href=/{number}>Onwards</a></p>" for number in range(9))
    assert not prune(listing_above(links)).root.xpath("//footer//a")


def test_the_account_says_why() -> None:
    regions = prune(listing_above(NEXT["its word"])).regions
    assert "a link to the next or the previous page" in {region.reason for region in regions}


def test_many_links_and_many_parts_that_stay_take_calls_in_proportion() -> None:
    calls = []
    for many in (100, 100, 400):  # the first one fills caches
        links = "".join(f"<li><a href=/?p={number}>Next</a>" for number in range(many))
        crumbs = "".join(f"<div class=breadcrumb><b>x{number}</b></div>" for number in range(many))
        page = f"<nav>{links}</nav>{listing_above('')}<footer class=footer>{crumbs}</footer>"
        calls.append(calls_in(partial(prune, page)))
    assert calls[2] < 6 * calls[1]
