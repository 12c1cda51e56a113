"""A selector that was lost by a redesign gets a proposal that finds the same, or none."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import HtmlResponse

from scrapy_tps.proposals.crawl import CrawlMemory
from scrapy_tps.proposals.memory import (
    MOST_SELECTORS,
    MOST_VALUES,
    SampledPage,
    Trace,
    memory_as_json,
    memory_from_json,
)
from scrapy_tps.proposals.proposal import Proposal
from scrapy_tps.proposals.search import Search
from scrapy_tps.settings.definitions import page_settings
from tests.support.responses import pruned

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.proposals.memory import CallbackMemory

NOUNS = list(enumerate(["Lamp", "Chair", "Desk", "Clock"]))

#: Name, price and stock of the products on three pages.
PRODUCTS = [
    [
        (f"{noun} number {page}{place}", f"£{19 + page}.{30 + place}", f"{page}{place}0")
        for place, noun in NOUNS
    ]
    for page in range(3)
]

OLD = (
    '<div class="product"><h3><a href="/p/{2}">{0}</a></h3>'
    '<p class="price_color">{1}</p><em class="stock">In stock: {2}</em></div>'
)


def pages(row: str, around: str = '<div class="grid">{}</div>') -> list[tuple[str, str]]:
    """The pages of a list whose rows have that markup."""
    return [
        (f"http://shop.example/?page={number}", around.format("".join(row.format(*one) for one in products)))
        for number, products in enumerate(PRODUCTS)
    ]


def parse(response: Any) -> None:
    for product in response.css("div.product"):
        product.css("h3 a::text").get()
        product.css("h3 a::attr(href)").get()
        product.css(".price_color::text").get()
        product.xpath('.//em[@class="stock"]/text()').get()


def remembered(visited: list[tuple[str, str]], callback: Callable[[Any], None] = parse) -> CallbackMemory:
    """What is remembered of a callback after some pages."""
    memory: CallbackMemory = {}
    for url, body in visited:
        page = HtmlResponse(url, body=f"<html><body>{body}".encode(), encoding="utf-8")
        response = pruned(page, page_settings({}))
        usage = response.tps.selector_usage
        usage.trace = Trace()
        callback(response)
        usage.trace.remember(memory, url, usage)
    return memory_from_json(memory_as_json(memory))


def proposed(row: str, *lost: str, around: str = '<div class="grid">{}</div>') -> dict[str, Proposal]:
    new = [SampledPage(url, body.encode(), "utf-8") for url, body in pages(row, around)]
    return Search(remembered(pages(OLD)), lost, new).run()


def test_a_renamed_class_is_found_by_the_values_of_the_same_rows() -> None:
    row = OLD.replace("price_color", "cost")
    found = proposed(row, ".price_color::text")[".price_color::text"]
    assert found == Proposal("p.cost::text", "css", pages=3, found=3, equal_values=12, known_values=12)


def test_a_class_that_other_elements_have_is_no_name() -> None:
    row = OLD.replace("price_color", "text-left").replace("<h3>", '<h3 class="text-left">')
    found = proposed(row.replace('"stock"', '"stock text-left"'), ".price_color::text")[".price_color::text"]
    assert (found.selector, found.equal_values) == ("p::text", 12)


def test_an_xpath_gets_a_selector_as_well() -> None:
    row = OLD.replace('"stock"', '"supply"')
    (found,) = proposed(row, './/em[@class="stock"]/text()').values()
    assert (found.selector, found.kind) == ("em.supply::text", "css")


def test_a_row_selector_is_repaired_with_the_selectors_in_its_rows() -> None:
    row = OLD.replace('<div class="product">', '<article class="card">').replace("</div>", "</article>")
    found = proposed(row.replace("price_color", "cost"), "div.product")
    assert found["div.product"].selector == "article.card"
    assert found[".price_color::text"].selector == "p.cost::text"
    assert set(found) == {"div.product", ".price_color::text"}, "the others still work in the new rows"


def test_rows_that_differ_in_a_class_are_found_by_the_others() -> None:
    row = OLD.replace('<div class="product">', '<li class="card n{2}">').replace("</div>", "</li>")
    assert proposed(row, "div.product", around="<ul>{}</ul>")["div.product"].selector == "li.card"


def test_lost_rows_of_new_things_are_found_as_a_list_of_records() -> None:
    new = [(f"https://shop.example/?page={page}", body) for page, (_, body) in enumerate(pages(OLD), 7)]
    memory = remembered(pages(OLD.replace("{0}", "Old {0}").replace("{1}", "{1}9").replace("{2}", "9{2}")))
    sampled = [SampledPage(url, body.replace("product", "card").encode(), "utf-8") for url, body in new]
    (found,) = Search(memory, ["div.product"], sampled).run().values()
    assert found == Proposal("div.card", "css", pages=3, found=3, equal_values=0, known_values=0)


def shelf(row: str, number: int) -> str:
    """A page of so many things."""
    return "".join(row.format(f"Thing {place}", f"£{place}.50", place) for place in range(11, 11 + number))


def test_the_rows_that_differ_from_the_first_ones_are_found_as_well() -> None:
    url, card = "http://shop.example/", OLD.replace('"product"', '"card"')
    body = shelf(card.replace("card", "card top"), 10) + card.format("Thing 99", "£9.90", 99)
    search = Search(
        remembered([(url, shelf(OLD, 11))]),
        ["div.product"],
        [SampledPage(url, body.encode(), "utf-8")],
    )
    assert search.run()["div.product"].selector == "div.card"


def test_what_stands_between_the_rows_is_no_row() -> None:
    url, row = "http://shop.example/", OLD.replace("div", "li").replace('"product"', '"card"')
    body = "<ul>" + (shelf(row, 4) + "<li class=ad><a href=/more>More offers</a></li>") * 3 + "</ul>"
    search = Search(
        remembered(pages(OLD.replace("{0}", "Old {0}").replace("{1}", "{1}9"))),
        ["div.product"],
        [SampledPage(url, body.encode(), "utf-8")],
    )
    assert search.run()["div.product"].selector == "li.card"


def of_new_things(row: str, *lost: str) -> dict[str, Proposal]:
    """The proposals for pages on which all values are new."""
    memory = remembered(
        pages(
            OLD.replace("{0}", "Old {0}")
            .replace("{1}", "{1}9")
            .replace("/{2}", "/9{2}")
            .replace("{2}<", "9{2}<")
        )
    )
    new = [(f"https://shop.example/?page={page}", body) for page, (_, body) in enumerate(pages(row), 7)]
    return Search(memory, lost, [SampledPage(url, body.encode(), "utf-8") for url, body in new]).run()


def test_new_names_of_everything_are_found_without_a_value_seen_before() -> None:
    row = OLD.replace("product", "css-a").replace("price_color", "css-b").replace("stock", "css-c", 1)
    found = of_new_things(row, "div.product")
    assert found["div.product"].selector == "div.css-a"
    assert found[".price_color::text"] == Proposal("p::text", pages=3, found=3)


def test_a_new_name_with_a_word_of_the_old_one_is_found_without_a_value_seen_before() -> None:
    row = OLD.replace("price_color", "price-tag")
    assert of_new_things(row, ".price_color::text")[".price_color::text"].selector == "p.price-tag::text"


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(OLD.replace("price_color", "shipping"), id="called otherwise"),
        pytest.param(
            OLD.replace("price_color", "price-tag").replace("</p>", "</p><p>£{2}.99</p>"), id="one of two"
        ),
        pytest.param(
            OLD.replace("price_color", "price-tag").replace("<p", "<b").replace("</p", "</b"), id="elsewhere"
        ),
    ],
)
def test_a_field_that_may_be_another_one_gets_no_proposal_without_a_value_seen_before(row: str) -> None:
    assert not of_new_things(row, ".price_color::text")[".price_color::text"].selector


def test_one_element_takes_the_place_of_one_field_only_without_a_value_seen_before() -> None:
    def read(response: Any) -> None:
        for product in response.css("div.product"):
            product.css(".net::text").get()
            product.css(".gross::text").get()

    def shop(row: str, first: int) -> list[tuple[str, str]]:
        body = "".join(
            f"<div class=product>{row.format(place, 2 * place)}</div>" for place in range(first, first + 8)
        )
        return [(f"http://shop.example/?page={first}{number}", body) for number in range(3)]

    memory = remembered(shop("<b class=net>£{}.50</b><b class=gross>£{}.70</b>", 11), read)
    new = [SampledPage(url, body.encode(), "utf-8") for url, body in shop("<b class=total>£{1}.70</b>", 31)]
    found = Search(memory, [".net::text", ".gross::text"], new).run()
    assert not any(one.selector for one in found.values())


def test_a_value_that_is_written_in_another_way_is_found() -> None:
    row = OLD.replace("£", "").replace("{1}", "{1:.6} GBP").replace("price_color", "cost")
    old = pages(OLD)
    memory = remembered(old[:1])
    new = [SampledPage(url, body.replace("£", "").encode(), "utf-8") for url, body in pages(row)]
    found = Search(memory, [".price_color::text"], new).run()[".price_color::text"]
    assert (found.selector, found.found, found.equal_values) == ("p.cost::text", 3, 4)


def test_an_element_without_text_is_found_by_its_address() -> None:
    def read(response: Any) -> None:
        for product in response.css("div.product"):
            product.css("a.more").get()

    old = OLD.replace("<h3>", '<a class="more" href="/p/{2}"><img src="/zoom.png"></a><h3>')
    memory = remembered(pages(old), read)
    new = [SampledPage(url, body.encode(), "utf-8") for url, body in pages(old.replace('"more"', '"zoom"'))]
    assert Search(memory, ["a.more"], new).run()["a.more"].selector == "a.zoom"


def test_a_value_that_also_stands_elsewhere_on_the_page_does_no_harm() -> None:
    def read(response: Any) -> None:
        response.css("a.tag::text").getall()

    def body(tag: str, number: int) -> str:
        words = (f"word{number}", "new", f"other{number}")
        return "<ul><li><a>New</a></li><li><a>Old</a></li></ul>" + "".join(tag.format(word) for word in words)

    old = [(f"http://news.example/{number}", body("<a class=tag>{}</a>", number)) for number in range(4)]
    new = [
        SampledPage(url, body('<p><a rel="tag">{}</a></p>', number).encode(), "utf-8")
        for number, (url, _) in enumerate(old)
    ]
    found = Search(remembered(old, read), ["a.tag::text"], new).run()["a.tag::text"]
    assert (found.selector, found.equal_values) == ('a[rel="tag"]::text', 12)


def test_all_text_of_an_element_takes_the_place_of_a_text_that_was_split() -> None:
    row = OLD.replace("{1}", "<b>{1:.3}</b><sup>{1[3]}{1[4]}{1[5]}</sup>").replace("price_color", "cost")
    (found,) = proposed(row, ".price_color::text").values()
    assert found.selector.startswith("normalize-space(.//p[")
    assert (found.kind, found.equal_values) == ("xpath", 12)


def test_a_selector_that_finds_blank_texts_is_lost() -> None:
    row = OLD.replace("{1}</p>", " <b>{1}</b></p>")
    (found,) = proposed(row, ".price_color::text").values()
    assert (found.selector, found.equal_values) == ("p.price_color > b::text", 12)


def test_an_attribute_takes_the_place_of_a_text() -> None:
    row = OLD.replace('<p class="price_color">{1}</p>', '<buy-box data-amount="{1}"></buy-box>')
    (found,) = proposed(row, ".price_color::text").values()
    assert found.selector == "buy-box::attr(data-amount)"


@pytest.mark.parametrize(
    "instead",
    [
        pytest.param("", id="nothing"),
        pytest.param("<i class='shipping'>£3.99</i>", id="another amount"),
        pytest.param("<i class='old_price'>£{2}.99</i>", id="another price in elements with the same word"),
        pytest.param("<b>{0}</b>", id="another value of the row"),
    ],
)
def test_a_field_that_is_gone_gets_no_proposal(instead: str) -> None:
    row = OLD.replace('<p class="price_color">{1}</p>', instead)
    assert proposed(row, ".price_color::text") == {".price_color::text": Proposal("", pages=3)}


def test_texts_that_are_equal_in_some_rows_only_are_no_field() -> None:
    titles = OLD.replace("{0}</a>", '</a><b title="{0:.14}"></b>')
    assert not proposed(titles, "h3 a::text")["h3 a::text"].selector


def searched(
    old: list[str], new: list[str], callback: Callable[[Any], None], *lost: str
) -> dict[str, Proposal]:
    """The proposals for pages that were as in `old`, and are as in `new`."""
    urls = [f"http://shop.example/{number}" for number, _ in enumerate(old)]
    memory = remembered(list(zip(urls, old, strict=True)), callback)
    sampled = [SampledPage(url, body.encode(), "utf-8") for url, body in zip(urls, new, strict=True)]
    return Search(memory, lost, sampled).run()


def matches_of(*scores: tuple[int, int], names: tuple[str, str] = ("home", "away")) -> str:
    """A page of games with the scores of both teams."""
    row = "<li class=game><h3>Game {}</h3><b class={}>{}</b><b class={}>{}</b></li>"
    home, away = names
    games = [
        row.format(f"{number} of {scores}", home, one, away, other)
        for number, (one, other) in enumerate(scores)
    ]
    return f"<ul>{''.join(games)}</ul>"


def parse_games(response: Any) -> None:
    for game in response.css("li.game"):
        game.css("h3::text").get()
        game.css("b.home::text").get()


def test_columns_that_are_equal_in_all_known_rows_only_get_no_proposal() -> None:
    drawn, later = ((0, 0), (1, 1), (2, 2), (1, 1), (3, 3)) * 2, ((0, 2), (4, 1), (1, 0))
    old, new = matches_of(*drawn, *later), matches_of(*drawn, *later, names=("one", "two"))
    assert not searched([old], [new], parse_games, "b.home::text")["b.home::text"].selector


def test_a_value_that_is_the_same_in_few_known_rows_proves_nothing() -> None:
    known, later = ((0, 0), (0, 0), (0, 0), (0, 0), (0, 0)), ((0, 2), (0, 1), (0, 3))
    old = matches_of(*known, *later)
    new = old.replace("<b class=home>0</b>", "")
    assert not searched([old], [new], parse_games, "b.home::text")["b.home::text"].selector


def test_a_selector_of_fewer_rows_than_a_known_page_had_is_none() -> None:
    rows = [OLD.format(f"Thing {place}", f"£{place}.50", place) for place in range(11, 21)]
    new = [row.replace('"product"', '"card"' if place < 8 else '"teaser"') for place, row in enumerate(rows)]
    new = [f"<div class=grid>{''.join(new[:8])}</div><aside><p>See also</p>{''.join(new[8:])}</aside>"]
    found = searched([f"<div class=grid>{''.join(rows)}</div>"], new, parse, "div.product")
    assert found["div.product"].selector != "div.card"


def test_rows_of_a_longer_list_with_the_same_class_are_left_out() -> None:
    row = OLD.replace('"product"', '"card"')
    others = "".join(
        row.format(f"Other thing {number}", f"£7.{number}", f"9{number}") for number in range(10, 18)
    )
    around = f'<div class="grid">{{}}</div><aside><p>See also</p>{others}</aside>'
    assert proposed(row, "div.product", around=around)["div.product"].selector == "div.grid > div.card"


def test_another_value_behind_the_same_label_is_no_field_of_a_row_that_is_known() -> None:
    old = OLD.replace('<p class="price_color">', '<b>Price</b><p class="price_color">')
    new = [
        SampledPage(url, body.encode(), "utf-8")
        for url, body in pages(old.replace("{1}</p>", "£{2}.49</i>").replace("price_color", "cost"))
    ]
    assert (
        not Search(remembered(pages(old)), [".price_color::text"], new).run()[".price_color::text"].selector
    )


def test_an_address_that_is_none_does_no_harm() -> None:
    row = OLD.replace("price_color", "cost").replace("<h3>", '<h3 data-link="http://[shop]/p?q=1">')
    assert proposed(row, ".price_color::text")[".price_color::text"].selector == "p.cost::text"


def test_pages_of_another_kind_get_no_proposal() -> None:
    wall = "<h1>Are you a human?</h1><form><label>Code 123 £5.00</label><input name=c></form>"
    assert not proposed(wall, "div.product")["div.product"].selector


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param([], id="no entry"),
        pytest.param({"row": "", "css": True}, id="parts are missing"),
        pytest.param({"values": {"0": ["a", 1]}}, id="no text"),
        pytest.param({"uses": {"0": "a"}}, id="no list"),
        pytest.param({"uses": {"0": [1, "7", 1]}}, id="no number"),
        pytest.param({"further": 1}, id="another part"),
    ],
)
def test_a_damaged_memory_costs_its_callback_alone(damaged: Any) -> None:
    text = memory_as_json(remembered(pages(OLD)))
    entries = json.loads(text)
    entries["h3 a::text"] = entries["h3 a::text"] | damaged if "css" not in damaged and damaged else damaged
    crawl, url = CrawlMemory(), "http://shop.example/?page=2"
    places = [("shop.example", "parse"), ("shop.example", "parse_damaged")]
    crawl.load([(*places[0], text), (*places[1], json.dumps(entries))])
    for place in places:
        usage = pruned(
            HtmlResponse(url, body=pages(OLD)[2][1].encode()), page_settings({})
        ).tps.selector_usage
        usage.use_of("div.product").used += 1
        sampled = SampledPage(url, pages(OLD.replace("product", "item"))[2][1].encode(), "utf-8")
        crawl.end(place, url, usage, partial(SampledPage, *sampled), well=True)
    assert [key[1] for key in crawl.proposals()] == ["parse"]


def test_of_several_processes_the_one_with_the_longest_memory_counts() -> None:
    memories = [memory_as_json(remembered(pages(OLD)[:number])) for number in (1, 3, 2)]
    crawl = CrawlMemory()
    crawl.load(("shop.example", "parse", one) for one in memories)
    page = HtmlResponse("http://shop.example/?page=2", body=pages(OLD)[2][1].encode(), encoding="utf-8")
    usage = pruned(page, page_settings({})).tps.selector_usage
    usage.use_of("div.product").used += 1
    sampled = SampledPage(page.url, page.body.replace(b"product", b"item"), "utf-8")
    crawl.end(("shop.example", "parse"), page.url, usage, lambda: sampled, well=True)
    proposal = crawl.proposals()["shop.example", "parse", "div.product"]
    assert (proposal.selector, proposal.equal_values) == ("div.item", 16), (
        "the second has the values of this page"
    )


def test_a_crawl_with_hundreds_of_lost_selectors_waits_for_proposals_only_so_long() -> None:
    def read(response: Any) -> None:
        for number in range(MOST_SELECTORS):
            response.css(f".price_color:not(.n{number})::text").get()

    crawl = CrawlMemory()
    url, body = pages(OLD)[0]
    places = [("shop.example", f"parse{number}") for number in range(4)]
    text = memory_as_json(remembered(pages(OLD), read))
    crawl.load((*place, text) for place in places)
    for place in places:
        usage = pruned(HtmlResponse(url, body=body.encode()), page_settings({})).tps.selector_usage
        for name in memory_from_json(text):
            usage.use_of(name).used += 1
        page = SampledPage(url, body.replace("price_color", "cost").encode(), "utf-8")
        crawl.end(place, url, usage, partial(SampledPage, *page), well=True)
    assert crawl.proposals(seconds=1e-9) == {}
    found = crawl.proposals(seconds=600)
    assert len(found) == 4 * MOST_SELECTORS
    assert {one.selector for one in found.values()} == {"p.cost::text"}


def test_few_values_are_remembered_and_none_of_a_row() -> None:
    many = [(f"http://shop.example/{number}", pages(OLD)[0][1]) for number in range(30)]
    memory = remembered(many)
    assert not memory["div.product"].values
    assert [len(one.values) for one in memory.values()] == [0, *[MOST_VALUES] * 4]


def test_long_values_are_cut() -> None:
    def read(response: Any) -> None:
        response.css("p::text").get()

    memory = remembered([("http://shop.example/", f"<p>{'word ' * 1000}")], read)
    assert max(map(len, memory_as_json(memory).split('"'))) == 200


def test_an_answer_of_the_page_as_downloaded_is_remembered() -> None:
    url, body = pages(OLD)[0]

    def read(response: Any) -> None:
        assert response.css("nav a::text").getall() == ["Home"]

    memory = remembered([(url, f"<nav><a href='/'>Home</a></nav><main>{body}</main>")], read)
    assert list(memory["nav a::text"].values.values()) == [["Home"]]
