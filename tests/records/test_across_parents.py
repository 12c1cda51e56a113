"""Records whose neighbours lie under different parents."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_tps import extract_records
from tests.records.pages import page, sentence


def article(number: int) -> str:
    return f"<h3><a href='/a/{number}'>Article {number}</a></h3><p>{sentence(number)}</p><p>by Author {number}</p>"


def best(html: str) -> Any:
    return extract_records(page(html))[0]


@pytest.mark.parametrize(
    ("sizes", "band"),
    [
        ([2, 2, 2], "<div class='band'><div><div><div>{}</div></div></div></div>"),
        ([3] * 6, "<section><div><h2>Part</h2><div><ul>{}</ul></div></div></section>"),
        ([12, 3, 1], "<div class='band'><h2>Band</h2><div><div>{}</div></div></div>"),
    ],
    ids=["wrappers", "sections", "unequal"],
)
def test_records_are_found_in_bands_that_wrap_them_several_times(sizes: list[int], band: str) -> None:
    bands, number = [], 0
    for size in sizes:
        rows = [
            f"<li>{article(n)}</li>" if "<ul>" in band else f"<div>{article(n)}</div>" for n in range(size)
        ]
        bands.append(band.format("".join(row.replace("Article ", f"Article {number}-") for row in rows)))
        number += size
    assert len(best("".join(bands)).records) == number


def test_cards_with_a_list_of_facts_stay_whole() -> None:
    facts = "<dl><dt>Fat:</dt><dd class='fact'>@ g</dd><dt>Salt:</dt><dd class='fact'>@0 mg</dd></dl>"
    card = f"<div class='x'><h4><a href='/p/@'>Thing @</a></h4><p>#</p>{facts}</div>"
    html = page("".join(card.replace("@", str(n)).replace("#", sentence(n)) for n in range(8)))
    region = extract_records(html)[0]
    assert [record.text.split(" is made")[0] for record in region.records] == [
        f"Thing {n} Item {n}" for n in range(8)
    ]


def test_cards_with_parts_of_one_tag_stay_whole() -> None:
    card = "<div class='card'><a class='name' href='/p/@'>Thing @</a> #<a class='by' href='/u/@'>by Author @</a></div>"
    html = "".join(card.replace("@", str(n)).replace("#", sentence(n)) for n in range(12))
    assert len(best(html).records) == 12


def day(number: int, sizes: list[int]) -> str:
    """A heading of a day, and a table for each kind of its rows."""
    head = "<thead><tr><th>Number</th><th>Case</th></tr></thead>"
    tables = []
    for kind, size in enumerate(sizes):
        cells = [f"{number}-{kind}{row}</td><td><a href='/{number}/{kind}/{row}'>A" for row in range(size)]
        rows = "".join(
            f"<tr><td>{cell}nderson Brothers v. Brookfield Holdings</a></td></tr>" for cell in cells
        )
        tables.append(f"<table><caption>Kind {kind}</caption>{head}<tbody>{rows}</tbody></table>")
    return f"<div class='day'><time>{number} June 2026</time><div>{''.join(tables)}</div></div>"


@pytest.mark.parametrize(
    "days", [[[2], [4], [3], [1], [5]] * 9, [[1, 2], [3, 1], [2], [4, 2]] * 10], ids=["one", "two"]
)
def test_rows_below_the_heading_of_each_day_are_the_records(days: list[list[int]]) -> None:
    html = "".join(day(number, sizes) for number, sizes in enumerate(days, 1))
    records = best(f"<main>{html}</main>").records
    numbers = [record.text.split()[0] for record in records]
    assert numbers == [
        f"{number}-{kind}{row}"
        for number, sizes in enumerate(days, 1)
        for kind, size in enumerate(sizes)
        for row in range(size)
    ]


def test_rows_nested_in_each_other_by_unclosed_cells_are_records() -> None:
    row = "<tr><td><font><a href='/@'>@/26</a></font></td><td><font>#</font></td><td><font>@"
    html = "".join(row.replace("@", str(n)).replace("#", sentence(n)) for n in range(20))
    texts = [record.text for record in best(f"<table>{html}</table>").records]
    assert texts == [f"{n}/26 {sentence(n)} {n}" for n in range(20)]


def test_a_record_with_a_wrapper_less_than_the_others_is_found_whole() -> None:
    hits = [f"<div class='hit'><div class='text'>{article(n)}</div></div>" for n in range(9)]
    region = best(f"<div class='hits'>{hits[0]}<div class='more'>{''.join(hits[1:])}</div></div>")
    assert [node.get("class") for record in region.records for node in record.nodes] == ["hit"] * 9


@pytest.mark.parametrize("columns", [3, 5])
def test_rows_of_short_cells_are_records_and_their_cells_are_not(columns: int) -> None:
    names = "".join(f"<th>Stop {column}</th>" for column in range(columns + 1))
    rows = "".join(
        f"<tr><td>{hour}. bus</td>{''.join(f'<td>{hour}:{column}5</td>' for column in range(columns))}</tr>"
        for hour in range(6, 20)
    )
    html = page(f"<h1>Buses</h1><table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>")
    assert len(extract_records(html)[0].records) == 14


@pytest.mark.parametrize("name", ["related", "sidebar", "advertisement"])
def test_a_list_does_not_go_on_in_boilerplate(name: str) -> None:
    rows = [f"<li class='hit'>{article(n)}</li>" for n in range(13)]
    beside = f"<div class='{name}'><ol>{''.join(rows[:4])}</ol></div>"
    results = f"<div class='results'><ol>{''.join(rows[4:])}</ol></div>"
    assert len(best(beside + results).records) == 9
    assert len(best(results + beside).records) == 9
