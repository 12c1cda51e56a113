from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps import extract_records, prune
from scrapy_tps.records.regions import Budget
from tests.records.pages import FOOT, NAV, WORDS, card, cards, page, sentence


def best(html: str, **options: Any) -> Any:
    regions = extract_records(html, **options)
    assert regions
    return regions[0]


def texts(html: str) -> list[str]:
    return [record.text for record in best(html).records]


def test_cards_become_records_with_a_column_per_part() -> None:
    region = best(page(cards(range(1, 9))))
    assert [record.fields[0] for record in region.records] == [f"Product {n}" for n in range(1, 9)]
    assert region.rows()[2] == {
        "title": "Product 3",
        "description": sentence(3),
        "price": "£3.50",
        "url": "/p/3",
    }
    assert region.xpath == "/html/body/div[1]"
    assert all(record.nodes[0].get("class") == "card" for record in region.records)
    assert region.confidence > 0.5


def test_a_missing_part_leaves_its_column_empty() -> None:
    html = page(
        "".join(
            card(n).replace(f"<span class='price'>£{n}.50</span>", "") if n == 4 else card(n)
            for n in range(8)
        )
    )
    rows = best(html).rows()
    assert [row["price"] for row in rows] == [None if n == 4 else f"£{n}.50" for n in range(8)]


def test_headings_and_advertisements_between_records_are_left_out() -> None:
    advertisement = "<div class='card'><iframe src='/ad'></iframe>Advertisement</div>"
    html = page("<div class='card'>Sponsored</div>" + cards(range(5)) + advertisement + cards(range(5, 10)))
    assert [text.split()[1] for text in texts(html)] == [str(n) for n in range(10)]


def test_records_in_rows_of_a_grid_are_found_in_all_rows() -> None:
    rows = "".join(f"<div class='row'>{cards(range(start, start + 4))}</div>" for start in range(0, 16, 4))
    assert [text.split()[1] for text in texts(page(rows))] == [str(n) for n in range(16)]


def test_records_in_cells_of_a_layout_table_are_found_in_all_rows() -> None:
    rows = "".join(
        "<tr>" + "".join(f"<td>{card(n)}</td>" for n in range(start, start + 3)) + "</tr>"
        for start in range(0, 12, 3)
    )
    assert len(texts(page(f"<table>{rows}</table>"))) == 12


def test_records_wrapped_differently_join_the_list() -> None:
    html = page(
        cards(range(6)) + f"<div class='sponsored-block'><div>{card(6)}</div></div>" + cards(range(7, 10))
    )
    assert [text.split()[1] for text in texts(html)] == [str(n) for n in range(10)]


def test_a_record_may_span_several_siblings() -> None:
    parts = "".join(
        f"<h3><a href='/a/{n}'>Article {n}</a></h3><p>{sentence(n)}</p><p class='by'>by Author {n}</p>"
        for n in range(8)
    )
    region = best(page(parts))
    assert [record.text for record in region.records] == [
        f"Article {n} {sentence(n)} by Author {n}" for n in range(8)
    ]
    assert all([node.tag for node in record.nodes] == ["h3", "p", "p"] for record in region.records)


def test_what_unfolds_below_a_record_belongs_to_it() -> None:
    head = "<div class='item head'><b>Title</b> <b>Date</b></div>"
    parts = "".join(
        f"<div class='item'>{card(n)}<span>by Author {n}</span><i>{n} views</i></div>"
        f"<div class='more'><p>{n} reviews</p></div>"
        for n in range(12)
    )
    assert texts(page(head + parts)) == [
        f"Product {n} {sentence(n)} £{n}.50 by Author {n} {n} views {n} reviews" for n in range(12)
    ]


def test_definition_lists_are_records_of_term_and_definition() -> None:
    parts = "".join(f"<dt><a href='/d/{n}'>Term {n}</a></dt><dd>{sentence(n)}</dd>" for n in range(8))
    assert texts(page(f"<dl>{parts}</dl>")) == [f"Term {n} {sentence(n)}" for n in range(8)]


def test_a_table_gives_its_header_cells_as_names() -> None:
    body = "".join(
        f"<tr><td><a href='/m/{n}'>Model {n}</a></td><td>{n}0 kg</td><td>{sentence(n)}</td></tr>"
        for n in range(8)
    )
    html = page(f"<table><tr><th>Model</th><th>Net weight</th><th>Remarks</th></tr>{body}</table>")
    region = best(html)
    assert [column.name for column in region.columns] == ["model", "net_weight", "remarks", "model_url"]
    assert region.rows()[1]["net_weight"] == "10 kg"
    assert len(region.records) == 8


def test_lists_inside_records_become_one_cell_and_regions_of_their_own() -> None:
    def tags(number: int) -> str:
        return (
            "<ul class='tags'>"
            + "".join(f"<li><a href='/t/{t}'>tag{t}</a></li>" for t in range(number))
            + "</ul>"
        )

    region = best(page("".join(card(n, tags(n % 4)) for n in range(1, 9))))
    third = region.records[2]
    assert region.rows()[2]["tags"] == "tag0, tag1, tag2"
    assert [record.text for record in third.sublists[0].records] == ["tag0", "tag1", "tag2"]
    assert third.sublists[0].rows()[1] == {"text": "tag1", "url": "/t/1"}
    assert region.rows()[3]["tags"] is None
    assert region.records[3].sublists == []
    assert [len(record.sublists[0].records) for record in region.records if record.sublists] == [
        1,
        2,
        3,
        1,
        2,
        3,
    ]


def test_the_main_list_ranks_before_menus() -> None:
    regions = extract_records(page(cards(range(10))), min_confidence=0)
    assert regions[0].records[0].text.startswith("Product 0")
    assert regions[0].confidence == max(region.confidence for region in regions)


def test_a_long_menu_ranks_behind_a_short_list_with_more_to_say() -> None:
    menu = "".join(
        f"<tr><td><a href='/c/{n}'>Maps of the {WORDS[n % 24]} {n}</a></td></tr>" for n in range(48)
    )
    rows = "".join(
        f"<tr><td>{n}.</td><td><a href='/d/{n}'><b>Chart {n}</b></a><br>{sentence(n, 20)}</td></tr>"
        for n in range(10)
    )
    html = (
        f"<body><table><tr><td><table>{menu}</table></td><td><table>{rows}</table></td></tr></table></body>"
    )
    assert [text.split()[2] for text in texts(html)] == [str(n) for n in range(10)]


def test_titles_beside_their_texts_are_no_menu() -> None:
    titles = "".join(f"<li><a href='/t/{n}'>A title of its own, number {n}</a></li>" for n in range(30))
    assert len(texts(page(f"<ul>{titles}</ul>", after=f"<p>{sentence(1, 40)}</p>"))) == 30


def test_parts_of_one_name_share_a_column_however_they_are_wrapped() -> None:
    plain = "<div class='card'><h3 class='name'><a href='/p/@'>Name @</a></h3><p class='about'>#</p></div>"
    lead = (
        "<div class='card'><a href='/p/@'><img src='/@.png'></a><div><h2 class='name'><a href='/p/@'>Name @</a></h2>"
        "<blockquote class='about'>#</blockquote></div></div>"
    )
    kinds = [lead, plain, plain, lead, plain, plain, plain]
    html = page("".join(kind.replace("@", str(n)).replace("#", sentence(n)) for n, kind in enumerate(kinds)))
    rows = best(html).rows()
    assert [row["title"] for row in rows] == [f"Name {n}" for n in range(7)]
    assert [row["description"] for row in rows] == [sentence(n) for n in range(7)]
    assert [row["url"] for row in rows] == [f"/p/{n}" for n in range(7)]


def test_a_pruned_page_gives_the_records_of_the_whole_one() -> None:
    html = page(cards(range(20)))
    whole = best(html)
    for strategy in ("paper",):
        pruning = prune(html, settings={"TPS_STRATEGY": strategy, "TPS_MIN_NODES": 0})
        assert [record.fields for record in pruning.records()[0].records] == [
            record.fields for record in whole.records
        ]
        assert [r.text for r in extract_records(pruning.html)[0].records] == [r.text for r in whole.records]


@pytest.mark.parametrize(
    "html", ["", " ", "text", "<p>one paragraph", "{}", "<html></html>", "<frameset></frameset>"]
)
def test_pages_without_a_list_give_none(html: str) -> None:
    assert extract_records(html) == []
    assert extract_records(html.encode()) == []


def test_bytes_are_decoded_as_declared() -> None:
    html = page(cards(range(6)).replace("Product", "Prodüct")).encode("latin-1")
    assert best(html, encoding="latin-1").records[0].text.startswith("Prodüct 0")


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="timeout is -1; allowed"):
        extract_records("<p>a", timeout=-1)
    with pytest.raises(ValueError, match="min_confidence is 2; allowed"):
        extract_records("<p>a", min_confidence=2)
    with pytest.raises(ValueError, match="did you mean"):
        extract_records("", settings={"TPS_MAX_BYTE": 1})
    with pytest.raises(TypeError):
        extract_records(None)  # type: ignore[arg-type]


def test_low_confidence_is_left_out_on_demand() -> None:
    assert extract_records(page(cards(range(10))), min_confidence=1) == []


def test_a_budget_that_runs_out_is_said() -> None:
    assert not extract_records(page(cards(range(3000))), timeout=0.001).complete
    assert extract_records(page(cards(range(5))), timeout=None).complete


def test_what_was_found_within_the_budget_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    class Checks(Budget):
        """Runs out after so many looks at the clock, on every machine."""

        looks = 0

        def left(self) -> bool:
            self.looks += 1
            self.exceeded = self.looks > 5
            return not self.exceeded

    monkeypatch.setattr("scrapy_tps.records.extract.Budget", Checks)
    regions = extract_records(page(cards(range(50))))
    assert not regions.complete
    assert len(regions[0].records) == 50


def test_pages_over_the_limits_are_left_alone() -> None:
    html = page(cards(range(10)))
    assert extract_records(html, settings={"TPS_MAX_BYTES": 100}) == []
    assert extract_records(html + "<br>" * 1_000_000) == []


@pytest.mark.parametrize("tag", ["div", "b", "font", "span", "li", "table><tr><td"])
def test_depth_costs_no_recursion(tag: str) -> None:
    deep = "".join(f"<{tag}>level {n} " for n in range(900))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        regions = extract_records(page(cards(range(5)) + deep))
    finally:
        sys.setrecursionlimit(limit)
    assert len(regions[0].records) == 5


def test_the_page_given_is_not_changed_by_a_second_look() -> None:
    pruning = prune(page(cards(range(10))))
    before = pruning.html
    assert pruning.records() == pruning.records()
    assert pruning.html == before


_PIECES = """<div> </div> <ul> <li> </ul> <table> <tr> <td> </table> <a&href='/x'> </a> <br> <p> <img&src='i.png'> text&
12.50& <dl><dt> <dd> <b> </b> <li&class='x1'> <!--c--> <script>x</script> <tr><td>a<td>b é \0 <h3> <select><option>o
<font> <hr> <span&style='a'> </span>""".replace("\0", "\x00")
_piece = st.sampled_from([piece.replace("&", " ") for piece in _PIECES.split()])


@given(st.lists(_piece, max_size=120))
def test_any_markup_gives_well_formed_regions_twice_the_same(pieces: list[str]) -> None:
    html = f"<html><body>{NAV}{''.join(pieces)}{FOOT}</body></html>"
    regions = extract_records(html, min_confidence=0)
    for region in regions:
        assert len(region.records) >= 2
        assert len({column.name for column in region.columns}) == len(region.columns)
        for record in region.records:
            assert len(record.fields) == len(region.columns) == len(record.elements)
            assert record.text
        assert all(
            any(record.fields[c] is not None for record in region.records) for c in range(len(region.columns))
        )
    again = extract_records(html, min_confidence=0)
    assert [[r.fields for r in region.records] for region in again] == [
        [r.fields for r in region.records] for region in regions
    ]


@pytest.mark.parametrize(
    "record",
    [
        "<li><span class=a>Cut {0}</span><span class=b>{0}5 min</span><span class=c>{0}2 crowns</span></li>",
        "<li><div><b>Wins</b> <i>{0}</i></div><div><b>Losses</b> <i>1{0}</i></div>"
        "<div><b>Goals</b> <i>2{0}</i></div></li>",
    ],
)
def test_fields_without_links_are_no_records(record: str) -> None:
    records = "".join(map(record.format, range(1, 10)))
    best = extract_records(f"<body><h1>A list</h1><ul>{records}</ul></body>")[0]
    assert len(best.records) == 9
