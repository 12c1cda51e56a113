from __future__ import annotations

import sys
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from scrapy_tps import extract_records, prune
from scrapy_tps.records.cells import type_of
from scrapy_tps.records.names import slug
from tests.records.pages import page, sentence

if TYPE_CHECKING:
    from scrapy_tps.records import DataRegion


@pytest.mark.parametrize(
    ("values", "attribute", "expected"),
    [
        (["/a", "/b"], "href", "url"),
        (["/a.png"], "src", "image"),
        (["https://example.com/a", "www.example.com"], None, "url"),
        (["£5.00", "£12.50", "£1,099"], None, "price"),
        (["12", "1,024", "3.5"], None, "number"),
        (["3 May 2021", "4 June 2021", "12 December 2020"], None, "date"),
        (["2021-05-03", "2020-12-12"], None, "date"),
        (["3 mai 2021", "12 de junho de 2020", "5. helmikuuta 2020"], None, "date"),
        (["12 apples 90", "14 pears 95"], None, "text"),
        (["three", "four"], None, "text"),
        (["A book of 1984 pages and a price of £5.00 in a long text"], None, "text"),
        ([None, None], None, "text"),
    ],
)
def test_columns_are_typed(values: list[str | None], attribute: str | None, expected: str) -> None:
    pytest.importorskip("price_parser")
    assert type_of(values, attribute) == expected


def test_without_the_extra_prices_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "price_parser", None)
    assert type_of(["5.00 GBP", "6.00 GBP"], None) == "text"
    assert type_of(["3 May 2021", "4 May 2021"], None) == "date"
    assert type_of(["12", "13"], None) == "number"


def test_a_few_odd_values_do_not_change_a_type() -> None:
    assert type_of(["1", "2", "3", "n/a"], None) == "number"
    assert type_of(["1", "n/a", "3", "none"], None) == "text"


def names(record: str) -> list[str]:
    html = page("".join(record.replace("@", str(n)).replace("#", sentence(n)) for n in range(8)))
    return [column.name for column in extract_records(html)[0].columns]


def test_itemprop_names_a_column() -> None:
    record = "<div class='x'><h4 itemprop='name'>Thing @</h4><p itemprop='description'>#</p></div>"
    assert names(record) == ["name", "description"]


def test_class_names_are_used_unless_they_only_lay_out() -> None:
    record = (
        "<div class='x'><h4 class='col-md-4 jobTitle'>Thing @</h4><p class='css-1x2y'>#</p>"
        "<span class='item__company-name large'>Firm @</span></div>"
    )
    assert names(record) == ["job_title", "description", "company_name"]


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ("yuRUbf MUxGbd", "description"),
        ("sc-bdVaJa jkLmNo", "description"),
        ("css-kxjlgc", "description"),
        ("hover grey", "description"),
        ("ContentPage_byline__NnZLK", "page_byline"),
        ("card__byline--1aBcD", "card_byline"),
        ("articleURL", "article_url"),
        ("HTMLSummary", "htmlsummary"),
        ("newsTxt", "news_txt"),
        ("описание", "описание"),
    ],
)
def test_made_up_class_names_name_nothing(classes: str, expected: str) -> None:
    assert names(f"<div class='x'><h4>Thing @</h4><p class='{classes}'>#</p></div>") == ["title", expected]


def test_classes_made_up_for_each_record_divide_no_column() -> None:
    made_up = [letter * 4 for letter in "abcdefgh"]
    rows = "".join(
        f"<div class='x {name}'><div class='c{name}'><h4>Thing {n}</h4><div class='{name}-co'>Firm {n}</div>"
        f"<p class=about>{sentence(n)}</p></div></div>"
        for n, name in enumerate(made_up)
    )
    assert [row["text"] for row in extract_records(page(rows))[0].rows()] == [f"Firm {n}" for n in range(8)]


def test_labels_name_columns_where_classes_are_made_up() -> None:
    record = (
        "<div class='yuRUbf'><h4 class='sc-bdVaJa'>Thing @</h4><p class='jkLmNo'>#</p>"
        "<div class='tF2Cxc'>Made by: Firm @</div>"
        "<div><span class='aCOpRe'>Net weight:</span> <span class='IsZvec'>heavy @</span></div></div>"
    )
    assert names(record) == ["title", "description", "made_by", "net_weight"]


def test_forms_and_places_of_texts_name_columns() -> None:
    record = "<div class='yuRUbf'><a href='/p/@'><b>Thing @</b></a><p>#</p><div>4.@ out of 5</div></div>"
    assert names(record) == ["title", "description", "rating", "url"]


def test_prose_with_a_colon_is_no_label() -> None:
    record = "<div class='yuRUbf'><h4>Thing @</h4><p class='jkLmNo'>Word@: #</p></div>"
    assert names(record) == ["title", "description"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Net Weight (kg)", "net_weight_kg"),
        ("", ""),
        ("§", ""),
        ("3rd one", "n3rd_one"),
        ("a b c d e f", "a_b_c_d"),
    ],
)
def test_slugs_are_identifiers(text: str, expected: str) -> None:
    assert slug(text) == expected


def regions_of(record: str) -> DataRegion:
    rows = "".join(record.replace("@", str(n)).replace("#", sentence(n)) for n in range(6))
    return extract_records(page(rows))[0]


def test_texts_and_signs_that_all_records_share_are_no_columns() -> None:
    record = (
        "<div class='x'><h4>Thing @</h4><p>#</p><i class='dot'>•</i><span class='go'>Add to cart</span>"
        "<span class='stock'>@ left</span></div>"
    )
    assert [column.key for column in regions_of(record).columns] == ["title", "description", "stock"]


def test_equal_columns_are_one() -> None:
    record = "<div class='x'><h4>Thing @</h4><p>#</p><span class='again'>Thing @</span></div>"
    assert [column.key for column in regions_of(record).columns] == ["title", "description"]


def test_roles_stand_beside_names() -> None:
    record = (
        "<div class='x'><a href='/by/@'><img src='/i/@.png'></a><h4 class='headline'><a href='/p/@'>Thing @</a></h4>"
        "<p class='blurb'>#</p><span class='cost'>£@.50</span><span class='when'>2026-01-0@</span>"
        "<b>4.@ out of 5</b></div>"
    )
    region = regions_of(record)
    roles = {column.role: column.name for column in region.columns if column.role}
    assert roles["title"] == "headline"
    assert set(roles) == {"title", "url", "image", "price", "date", "rating", "description"}
    assert [row["url"] for row in region.rows()] == [f"/p/{n}" for n in range(6)]
    assert region.rows()[1]["title"] == "Thing 1"


def test_the_title_is_the_full_text_not_the_one_cut_for_the_eye() -> None:
    html = "".join(
        f"<div class='card'><a href='/b/{n}'><img src='{n}.png'><i class='short'>Book of {sentence(n)[:9]}…</i></a>"
        f"<p><a class='full' href='/b/{n}'>Book of {sentence(n)}</a></p><p>by Author {n}</p></div>"
        for n in range(8)
    )
    region = extract_records(page(html))[0]
    assert [row["title"] for row in region.rows()] == [f"Book of {sentence(n)}" for n in range(8)]


def test_labels_and_words_before_a_value_name_it_whatever_its_class() -> None:
    record = (
        "<div class='x'><h4><a href='/p/@'>Thing @</a></h4><p>#</p><dl><dt class='k'>Fat:</dt><dd class='fact'>@ g</dd>"
        "<dt class='k'>Salt:</dt><dd class='fact'>@0 mg</dd></dl><div>by <a href='/by/@'>Writer @</a></div></div>"
    )
    region = regions_of(record)
    assert [column.key for column in region.columns] == [
        "title",
        "description",
        "fat",
        "salt",
        "by",
        "url",
        "by_url",
    ]


def test_numbers_are_the_last_resort_of_names() -> None:
    record = (
        "<div class='x'><h4><a href='/p/@'>Thing @</a></h4><p>Small @ thing</p><div>Big @ thing</div>"
        "<div class='fact wide'>@ one</div><div class='fact deep'>@ two</div></div>"
    )
    assert [column.key for column in regions_of(record).columns] == [
        "title",
        "text",
        "div",
        "fact",
        "deep",
        "url",
    ]


def test_markup_inside_a_sentence_does_not_divide_it() -> None:
    words = ["plain", "<b>bold</b>", "<span class='hit'>found</span> and", "<em>so</em> <mark>word</mark> on"]
    rows = "".join(
        f"<div class='x'><h4><a href='/p/{n}'>A {words[n % 4]} title {n} {words[(n + 1) % 4]}</a></h4>"
        f"<p>{sentence(n)}</p></div>"
        for n in range(8)
    )
    region = extract_records(page(rows))[0]
    assert [column.key for column in region.columns] == ["title", "description", "url"]
    assert region.rows()[1]["title"] == "A bold title 1 found and"
    assert region.rows()[3]["title"] == "A so word on title 3 plain"


def test_links_of_a_text_and_further_parts_of_a_name_are_one_column() -> None:
    def notes(number: int) -> str:
        places = range(number % 5)
        return "".join(
            f"<p>See <a href='/l/{number}{place}'>{number}{place}</a> for more.</p>" for place in places
        )

    rows = "".join(
        f"<div class='x'><h4><a href='/p/{n}'>Thing {n}</a></h4><p class='blurb'>{sentence(n)}</p>"
        f"<div class='notes'>{notes(n)}</div></div>"
        for n in range(12)
    )
    region = extract_records(page(rows))[0]
    numbered = [column.key for column in region.columns if column.key[-1].isdigit()]
    assert not numbered
    values = " ".join(filter(None, region.records[4].fields))
    assert all(f"See 4{place} for more" in values and f"/l/4{place}" in values for place in range(4))


def test_a_part_at_one_of_two_places_is_one_column() -> None:
    firms = ["<span class='firm'>Firm {n}</span>", "<div class='firm'><a href='/f/{n}'>Firm {n}</a></div>"]
    rows = "".join(
        f"<div class='x'><h4><a href='/p/{n}'>Thing {n}</a></h4>{firms[n % 2].format(n=n)}<p>{sentence(n)}</p></div>"
        for n in range(8)
    )
    region = extract_records(page(rows))[0]
    assert [row["firm"] for row in region.rows()] == [f"Firm {n}" for n in range(8)]


def test_what_only_some_records_say_stays_and_so_do_stars() -> None:
    rows = "".join(
        f"<div class='x'><h4>Thing {n}</h4><p>{sentence(n)}</p><span class='mark'>{'★' * (n % 5 + 1)}</span>"
        + ("<span class='sale'>Sale</span>" if n % 3 else "")
        + "</div>"
        for n in range(9)
    )
    region = extract_records(page(rows))[0]
    assert [row["sale"] for row in region.rows()[:2]] == [None, "Sale"]
    assert "★★" in region.records[1].fields


def test_addresses_are_absolute() -> None:
    record = "<div class='x'><a href='p/@?a b'><img src='/i/@.png'></a><h4>Thing @</h4><p>#</p></div>"
    html = page("".join(record.replace("@", str(n)).replace("#", sentence(n)) for n in range(6)))
    row = extract_records(html, url="https://shop.example/list/")[0].rows()[1]
    assert (row["url"], row["image"]) == (
        "https://shop.example/list/p/1?a%20b",
        "https://shop.example/i/1.png",
    )
    based = html.replace("<body", "<base href='https://cdn.example/'><body", 1)
    assert (
        extract_records(based, url="https://shop.example/")[0].rows()[1]["url"]
        == "https://cdn.example/p/1?a%20b"
    )


def test_parsed_prices_and_dates_stand_beside_their_texts() -> None:
    pytest.importorskip("price_parser")
    pytest.importorskip("dateparser")
    record = "<div class='x'><h4>Thing @</h4><p>#</p><span>£@.50</span><span>@ May 2026</span></div>"
    html = page("".join(record.replace("@", str(n)).replace("#", sentence(n)) for n in range(1, 7)))
    with_url = prune(html, url="https://shop.example/", settings={"TPS_ENABLED": False})
    region = with_url.records(parse=True)[0]
    parsed = dict(zip([column.key for column in region.columns], region.records[1].parsed, strict=True))
    assert (parsed["price"].amount, parsed["price"].currency) == (Decimal("2.50"), "£")
    assert parsed["date"].date() == date(2026, 5, 2)
    assert parsed["title"] is None
    assert (region.rows()[1]["price"], region.rows()[1]["date"]) == ("£2.50", "2 May 2026")
    assert with_url.records()[0].records[1].parsed == []
