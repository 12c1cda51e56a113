from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mdr import edit_distance, mine_records, mine_regions
from scrapy_tps.engine.html import document
from scrapy_tps.engine.sequence.walking import walk_tree
from tests.records.pages import cards, page

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence


def sequence_of(html: str) -> TagPathSequence:
    return walk_tree(document.parse(html).body)


def tags(sequence: TagPathSequence, nodes: tuple[int, ...]) -> list[str]:
    return [sequence.symbol_tag[sequence.symbols[node]] for node in nodes]


def straightforward(left: list[int], right: list[int]) -> int:
    row = list(range(len(right) + 1))
    for number, one in enumerate(left, 1):
        below = [number]
        for place, other in enumerate(right, 1):
            below.append(min(row[place] + 1, below[-1] + 1, row[place - 1] + (one != other)))
        row = below
    return row[-1]


_string = st.lists(st.integers(0, 2), max_size=12)


@given(_string, _string, st.integers(0, 12))
def test_edit_distance_is_exact_up_to_its_limit(left: list[int], right: list[int], limit: int) -> None:
    assert edit_distance(left, right, limit) == min(straightforward(left, right), limit + 1)


def test_similar_siblings_are_a_region_of_single_nodes() -> None:
    sequence = sequence_of(page(cards(range(6))))
    sizes = [(region.size, len(region.children)) for region in mine_regions(sequence)]
    assert (1, 6) in sizes


def test_records_of_two_rows_are_generalised_nodes_of_two() -> None:
    rows = "".join(
        f"<tr><td><b><a href='/{n}'>{n}</a></b><img src='i'></td></tr><tr><td>t<i>u</i><p>v<p>w<ul><li>x</ul></td></tr>"
        for n in range(5)
    )
    sequence = sequence_of(f"<body><div><table><tbody>{rows}</tbody></table></div></body>")
    regions = mine_regions(sequence)
    assert [(region.size, len(region.children)) for region in regions] == [(2, 10)]
    assert [tags(sequence, record.tops) for record in mine_records(sequence)] == [["tr", "tr"]] * 5


def test_rows_of_a_data_table_are_records_and_cells_of_a_grid_are() -> None:
    row = "<tr>" + "<td><p>a</p><b>c</b></td>" * 4 + "</tr>"
    grid = "<div>" + "<div><p>a</p><b>c</b></div>" * 4 + "</div>"
    table = sequence_of(f"<body><div><table><tbody>{row * 5}</tbody></table></div></body>")
    assert [tags(table, record.tops) for record in mine_records(table)] == [["tr"]] * 5
    blocks = sequence_of(f"<body><section>{grid * 5}</section></body>")
    assert len(mine_records(blocks)) == 20


@pytest.mark.slow
def test_wide_pages_have_records_and_a_chain_has_none() -> None:
    wide = "".join(f"<p>{'<b>x</b>' * (n % 17)}</p>" for n in range(3000))
    chain = "<div><p>a</p>" * 900
    assert mine_records(sequence_of(f"<body><div>{wide}</div></body>"))
    assert not mine_records(sequence_of(f"<body><div>{chain}</div></body>"))
