from __future__ import annotations

from typing import Any

import pytest

from scrapy_tps import extract_records
from tests.records.pages import page, sentence


def texts(html: str) -> list[str]:
    regions: Any = extract_records(page(html))
    return [record.text for record in regions[0].records]


def test_rows_without_classes_are_divided_by_what_they_hold() -> None:
    rows = "".join(
        f"<tr><td><b>{n}.</b> <a href='/d/{n}'>Paper {n}</a></td></tr><tr><td>{sentence(n)}</td></tr>"
        f"<tr><td><i>site{n}.example/paper</i></td></tr>"
        for n in range(8)
    )
    assert texts(f"<table>{rows}</table>") == [
        f"{n}. Paper {n} {sentence(n)} site{n}.example/paper" for n in range(8)
    ]


@pytest.mark.parametrize("end", ["<hr>", "<br><br>"])
def test_separators_in_one_element_divide_records(end: str) -> None:
    cases = "".join(
        f"<b>No. 20-{n}</b><br><a href='/c/{n}'>Smith v. Jones {n}</a><br>{sentence(n)}{end}"
        for n in range(9)
    )
    found = texts(f"<div>{cases}</div>")
    assert found[1:8] == [f"No. 20-{n} Smith v. Jones {n} {sentence(n)}" for n in range(1, 8)]


def test_the_first_record_starts_like_the_others() -> None:
    heading = "<tr><td>Orders</td><td>pronounced in May</td></tr>"
    rows = ""
    for n in range(9):
        rows += f"<tr><td>24-{n}</td><td>Smith v. Jones {n}</td></tr>"
        rows += f"<tr><td><i>{sentence(n + 20)}</i><b>{n}</b></td></tr>" if n in (0, 4) else ""
        rows += f"<tr><td><p>{sentence(n)}</p><p><a href='/c/{n}'>Briefs {n}</a></p></td></tr>"
    found = texts(f"<table>{3 * heading}{rows}{3 * heading}</table>")
    assert [text.split()[0] for text in found] == [f"24-{n}" for n in range(9)]


def test_a_table_without_links_is_a_list() -> None:
    head = "<tr>" + "".join(f"<th>Name {n}</th>" for n in range(7)) + "</tr>"
    rows = "".join("<tr>" + "".join(f"<td>{n * 7 + m}</td>" for m in range(7)) + "</tr>" for n in range(12))
    assert len(texts(f"<h1>Figures</h1><table>{head}{rows}</table>")) >= 12


def test_a_long_table_is_never_no_list() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>Case {n}</td><td>{sentence(n)}</td></tr>" for n in range(400))
    menu = "".join(f"<li><a href='/{letter}'>{letter}</a></li>" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert len(texts(f"<ul>{menu}</ul><table>{rows}</table>")) == 400


def test_cards_of_one_text_are_a_list() -> None:
    cards = "".join(
        f"<div class='country'>{name}</div>" for name in sentence(1).split() + sentence(2).split()
    )
    assert len(texts(f"<h1>Countries</h1><div>{cards}</div>")) > 10


def test_headings_of_groups_between_rows_are_no_records() -> None:
    rows = ""
    for day in range(4):
        rows += f"<tr><td colspan='3'>May {day + 1}, 2026</td></tr>"
        rows += "".join(
            f"<tr><td>24-{day}{n}</td><td><a href='/o/{day}{n}'>Doe v. Roe {day}{n}</a></td><td>{sentence(n)}</td></tr>"
            for n in range(5)
        )
    found = texts(f"<table>{rows}</table>")
    assert len(found) == 20
    assert not any(text.startswith("May") for text in found)


def test_the_items_of_a_feed_are_records() -> None:
    items = "".join(
        f"<item><title>Opinion {n}</title><description>{sentence(n)}</description></item>" for n in range(6)
    )
    feed = f"<?xml version='1.0'?><rss><channel><title>News</title>{items}</channel></rss>"
    assert len(extract_records(feed)[0].records) == 6


def test_confidences_are_shares_of_the_lists_of_a_page() -> None:
    cards = "".join(f"<div><a href='/p/{n}'>Thing {n}</a><p>{sentence(n)}</p></div>" for n in range(9))
    alone = extract_records(page(f"<main>{cards}</main>"), min_confidence=0)
    twice = extract_records(page(f"<main>{cards}</main><section>{cards}</section>"), min_confidence=0)
    assert sum(region.confidence for region in alone) <= 1
    assert sum(region.confidence for region in twice) <= 1
