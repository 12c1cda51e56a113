from __future__ import annotations

import re
from collections import Counter
from typing import Any

from parsel import Selector

from scrapy_tps import extract_records
from scrapy_tps.records import record_selectors
from scrapy_tps.records.record_selectors import RegionSelectors, region_selectors
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


def test_records_of_several_elements_are_read_from_siblings() -> None:
    parts = "".join(f"<dt><a href='/d/{n}'>Term {n}</a></dt><dd>{sentence(n)}</dd>" for n in range(8))
    found = region_selectors(extract_records(page(f"<dl>{parts}</dl>"))[0])
    assert (found.record, found.exact) == ("dl > dt", True)
    assert found.columns["title"].code == "record.css('a::text')"
    assert found.columns["description"].code == "record.xpath('following-sibling::*[1]').css(':scope::text')"


def test_what_all_records_hold_tells_them_from_other_rows() -> None:
    rows = "".join(
        f"<tr><td>{n}</td><td><a href='/c/{n}'>Case {n}</a></td><td>{sentence(n)}</td></tr>" for n in range(8)
    )
    html = page(f"<table><tr><td colspan='3'>All the cases</td></tr>{rows}</table>")
    found = region_selectors(extract_records(html)[0])
    assert found.exact
    assert len(Selector(html).css(found.record)) == 8


def values_of(html: str, found: RegionSelectors, name: str) -> list[str | None]:
    column = found.columns[name]
    given = []
    for record in Selector(html).css(found.record or ""):
        texts = record.css(column.css).getall()
        text = (
            " ".join((texts[0] if column.reading == "first" else " ".join(texts)).split()) if texts else None
        )
        given.append(text)
    return given


def test_no_two_columns_have_the_same_selector_and_each_gives_its_column() -> None:
    # of three spans without classes any may be missing
    def spans(n: int) -> str:
        held = [
            f"<span>{sentence(n)}</span>",
            f"<span>{n}.{n % 7} kg</span>",
            f"<span><b>From</b> Town {n}</span>",
        ]
        return "".join(
            f"<div class='{word}'>{one}</div>" for word, one in zip(("x", "x", "y"), held, strict=True)
        )

    records = "".join(
        f"<div class='card'><h3><a href='/p/{n}'>Product {n}</a></h3>{spans(n)}</div>" for n in range(12)
    )
    html = page(records)
    region = extract_records(html)[0]
    found = region_selectors(region)
    assert len(found.columns) >= 4
    assert len({column.css for column in found.columns.values()}) == len(found.columns)
    for name in found.columns:
        assert values_of(html, found, name) == [row[name] for row in region.rows()]


def test_records_similar_inside_do_not_answer_for_what_they_hold() -> None:
    # `li` selects the record itself, too
    items = "".join(
        f"<li><a href='/x/{n}'>Thing {n}</a><p>{sentence(n)}</p><ul><li>Inner {n}</li></ul></li>"
        for n in range(10)
    )
    html = page(f"<ul class='outer'>{items}</ul>")
    region = extract_records(html)[0]
    found = region_selectors(region)
    for name in found.columns:
        assert values_of(html, found, name) == [row[name] for row in region.rows()]


def test_what_marks_one_record_is_in_no_selector() -> None:
    extra = {3: "<div id='only-here' class='badge-1203'>Sold out in May</div>"}
    html = page("".join(card(n, extra.get(n, "")) for n in range(10)))
    found = region_selectors(extract_records(html)[0])
    assert any(column.filled == 1 for column in found.columns.values())
    selectors = " ".join(column.css for column in found.columns.values())
    assert "only-here" not in selectors
    assert "1203" not in selectors


def test_selectors_tell_in_how_many_records_they_are_right() -> None:
    html = page("".join(card(n, f"<p class='note'>Note {n}</p>" if n % 4 == 0 else "") for n in range(12)))
    columns = region_selectors(extract_records(html)[0]).columns
    assert (columns["note"].right, columns["note"].wrong, columns["note"].filled) == (3, 0, 3)
    assert (columns["title"].right, columns["title"].wrong, columns["title"].filled) == (12, 0, 12)


def test_images_that_load_late_are_read_from_where_they_are() -> None:
    html = page("".join(card(n, f"<img data-src='/i/{n}.png' alt=''>") for n in range(10)))
    region = extract_records(html)[0]
    assert values_of(html, region_selectors(region), "image") == [row["image"] for row in region.rows()]


def test_a_selector_runs_once_for_all_columns(monkeypatch) -> None:
    spans = "".join(f"<span>{sentence(number)} @</span><br>" for number in range(40))
    row = f"<div class='row'><a href='/@'>Row @</a><pre>{spans}</pre></div>"
    html = page("".join(row.replace("@", str(n)) for n in range(5)))
    region = extract_records(html)[0]
    assert len(region.columns) > 40
    runs: Counter[str] = Counter()
    compiled = record_selectors.compiled_css

    def counting(css: str, prefix: str = "descendant-or-self::") -> Any:
        select = compiled(css, prefix)

        def run(node: Any) -> Any:
            runs[css] += 1
            return select(node)

        return run

    monkeypatch.setattr(record_selectors, "compiled_css", counting)
    found = region_selectors(region)
    assert len(found.columns) > 40
    assert any(column.css.endswith("span:nth-of-type(40)::text") for column in found.columns.values())
    assert max(runs.values()) == len(region.records)


def test_a_link_in_prose_has_a_selector() -> None:
    titles = [
        "<b>Rain</b> on the coast",
        "Snow in the <b>hills</b>",
        "Sun",
        "Fog over <b>towns</b> and woods",
    ]
    rows = "".join(
        f"<tr><td><a href='/{n}'>{title}</a><br>The <b>{n}</b> day of weather, and <b>more</b> of it at day {n}.<br>"
        f"<i>news.example/{n}</i></td></tr>"
        for n, title in enumerate(titles)
    )
    html = page(f"<table>{rows}</table>")
    region = extract_records(html)[0]
    assert [row["title"] for row in region.rows()] == [re.sub("<.*?>", "", title) for title in titles]
    assert values_of(html, region_selectors(region), "title") == [row["title"] for row in region.rows()]
