"""Restricted top-down mapping as the benchmark has it, on trees whose distance can be told by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.similarity import Grams, Mapping, auc
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence.walking import walk

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence


def two(first: str, second: str) -> tuple[TagPathSequence, int, int]:
    sequence = walk(parse(f"<body><div>{first}</div><div>{second}</div></body>").body)
    return sequence, 1, sequence.end[1]


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("<p><b></b></p>", "<p><b></b></p>", 0),
        ("<p></p>", "<p></p><p></p>", 1),  # a leaf is inserted
        ("<b></b>", "<i></i>", 1),  # a leaf is replaced
        ("<p><b></b></p>", "<ul><b></b></ul>", 4),  # an inner node is not: all of it goes and comes
        ("<p><b></b></p>", "<i></i>", 2),  # a leaf for an inner node, what is below goes
        ("<p><b></b><i></i></p>", "<p><i></i></p>", 1),
    ],
)
def test_mappings_cost_what_they_should(first: str, second: str, distance: int) -> None:
    sequence, one, other = two(first, second)
    nodes = sequence.end[other] - one
    measure = Mapping(sequence)
    assert measure.pair(one, other) == measure.pair(other, one) == pytest.approx(1 - distance / nodes)


def test_bags_are_equal_for_equal_trees_only() -> None:
    sequence, one, other = two("<p><b></b></p>", "<p><b></b></p>")
    assert Grams(sequence, 3, 0).pair(one, other) == 1
    sequence, one, other = two("<p><b></b></p>", "<p><i></i></p>")
    assert 0 < Grams(sequence, 2, 3).pair(one, other) < 1


def test_ties_count_half() -> None:
    assert auc([1.0, 0.5], [0.5]) == 0.75
    assert auc([], [1.0]) is None


def test_depth_costs_no_recursion() -> None:
    deep = "<div>" * 900
    sequence, one, other = two(deep + "<b></b>" + "</div>" * 900, deep + "<i></i>" + "</div>" * 900)
    assert Mapping(sequence).pair(one, other) == pytest.approx(1 - 1 / (2 * 902))
