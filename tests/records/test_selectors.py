from __future__ import annotations

from parsel import Selector

from scrapy_tps import extract_records
from scrapy_tps.records.selectors import region_selectors
from tests.records.pages import NAV, card, cards, page, sentence


def test_pasted_selectors_give_what_the_extractor_gave() -> None:
    html = page(cards(range(10)))
    region = extract_records(html)[0]
    found = region_selectors(region)
    assert found.record == "div.card"
    assert found.exact
    records = Selector(html).css(found.record)
    assert len(records) == 10
    for row, record in zip(region.rows(), records, strict=True):
        assert set(found.columns) == set(row)
        for name, selector in found.columns.items():
            assert " ".join(record.css(selector.css).getall()) == row[name]


def test_lists_without_classes_are_told_apart_by_what_holds_them() -> None:
    items = "".join(f"<li><a href='/x/{n}'>Thing {n}</a> <span>{sentence(n)}</span></li>" for n in range(10))
    html = page(f"<ul>{items}</ul>")
    region = extract_records(html)[0]
    found = region_selectors(region)
    assert found.exact
    assert found.record == "div#main > ul > li"
    assert len(Selector(html).css(found.record)) == 10
    assert Selector(NAV).css(found.record) == []


def test_optional_columns_do_not_pick_up_others() -> None:
    html = page("".join(card(n, f"<p class='note'>Note {n}</p>" if n % 2 else "") for n in range(10)))
    region = extract_records(html)[0]
    found = region_selectors(region)
    picked = [
        record.css(found.columns["note"].css).get() for record in Selector(html).css(found.record or "")
    ]
    assert picked == [row["note"] for row in region.rows()]


def test_records_of_several_elements_have_no_selector() -> None:
    parts = "".join(f"<dt><a href='/d/{n}'>Term {n}</a></dt><dd>{sentence(n)}</dd>" for n in range(8))
    found = region_selectors(extract_records(page(f"<dl>{parts}</dl>"))[0])
    assert found.record is None
    assert found.columns == {}
