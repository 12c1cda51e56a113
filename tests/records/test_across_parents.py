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
