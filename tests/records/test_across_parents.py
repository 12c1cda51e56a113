"""Records whose neighbours lie under different parents."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_tps import extract_records
from tests.records.pages import page, sentence


def article(number: int) -> str:
    return f"<h3><a href='/a/{number}'>Article {number}</a></h3><p>{sentence(number)}</p><p>by Author {number}</p>"


def rows_of(number: int) -> str:
    return (
        f"<tr class='t'><td colspan='2'><a href='/a/{number}'>Article {number}</a></td></tr>"
        f"<tr class='d'><td>{sentence(number)}</td><td>by Author {number}</td></tr>"
    )


def term(number: int) -> str:
    return (
        f"<dt><a href='/a/{number}'>Article {number}</a></dt><dd>{sentence(number)} by Author {number}</dd>"
    )


def best(html: str) -> Any:
    return extract_records(page(html))[0]


@pytest.mark.parametrize("sizes", [[4, 4, 4], [2, 2, 2, 2], [1, 3, 2, 5]])
@pytest.mark.parametrize(
    ("whole", "container", "record"),
    [
        ("{}", "<div class='column'>{}</div>", article),
        ("<table>{}</table>", "<tbody>{}</tbody>", rows_of),
        ("{}", "<h2>Section</h2><dl>{}</dl>", term),
        ("{}", "<div class='row'><div class='column'>{}</div></div>", article),
    ],
)
def test_lists_of_records_of_several_siblings_go_on_in_other_containers(
    sizes: list[int], whole: str, container: str, record: Any
) -> None:
    containers, number = [], 0
    for size in sizes:
        containers.append(container.format("".join(record(n) for n in range(number, number + size))))
        number += size
    region = best(whole.format("".join(containers)))
    expected = [f"Article {n} {sentence(n)} by Author {n}" for n in range(number)]
    assert [found.text for found in region.records] == expected


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
