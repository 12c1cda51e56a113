from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine.sequence.region_search import VISITS_PER_NODE, search_region
from tests.support.sequences import hostile_sequences
from tests.support.straightforward import search_region as straightforward

RATIOS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 0.9)


def found(symbols, size_ratio, *, inclusive=False):
    start, end, splits = search_region(symbols, size_ratio, inclusive=inclusive, visits_per_node=10**6)
    return start, end, [tuple(split) for split in splits]


def test_example_of_the_paper():
    # figure 1: thresholds 1, 2, 4; only symbols 3 and 4 remain at the first, and they overlap
    assert found([1, 2, 3, 4, 4, 3, 4, 4], 0.2) == (0, 8, [])


def test_the_larger_part_is_kept_and_searched_again():
    # one node without its like in each part: the first threshold already leaves out the rarest symbols
    menu, records, footer = [1, 2] * 5, [8, *[3, 4, 5] * 20][:60], [6, 7] * 4
    start, end, splits = search_region([0, *menu, *records, *footer], 0.2)
    assert (start, end) == (11, 71)
    assert [(split.position, split.kept_left) for split in splits] == [(11, False), (71, True)]


def test_rare_symbols_between_regions_go_with_the_part_they_stand_in():
    start, end, _ = search_region([1, 1, 1, 90, 91, 2, 2, 2, 2, 2, 2, 2, 2], 0.2)
    assert (start, end) == (3, 13)


def test_an_even_split_is_not_made():
    assert search_region([1] * 10 + [2] * 10, 0.2)[:2] == (0, 20)


def test_the_ratio_is_exclusive():
    # |6 - 4| / 10 is exactly 0.2
    symbols = [1] * 6 + [2] * 3 + [0]
    assert search_region(symbols, 0.2)[2] == []
    assert search_region(symbols, 0.19)[:2] == (0, 6)


@pytest.mark.parametrize("symbols", [[], [0], [7], [0, 0], [0, 1]])
def test_short_sequences_are_one_region(symbols):
    assert found(symbols, 0.2) == (0, len(symbols), [])


@given(
    symbols=st.lists(st.integers(0, 12), max_size=60),
    size_ratio=st.sampled_from(RATIOS) | st.floats(0, 0.9),
    inclusive=st.booleans(),
)
def test_equals_the_published_loop(symbols, size_ratio, inclusive):
    expected = straightforward(symbols, size_ratio, inclusive=inclusive)
    assert found(symbols, size_ratio, inclusive=inclusive) == expected


@pytest.mark.parametrize("name", hostile_sequences(10))
@pytest.mark.parametrize("inclusive", [False, True])
def test_equals_the_published_loop_on_hostile_sequences(name, inclusive):
    symbols = hostile_sequences(60)[name]
    assert found(symbols, 0.2, inclusive=inclusive) == straightforward(symbols, 0.2, inclusive=inclusive)


@pytest.mark.parametrize("name", hostile_sequences(10))
@pytest.mark.parametrize("inclusive", [False, True])
def test_work_is_bounded_on_hostile_sequences(name, inclusive):
    visits = 0

    class Counted(list):
        def __getitem__(self, index):
            nonlocal visits
            visits += 1
            return super().__getitem__(index)

    symbols = Counted(hostile_sequences(4000)[name])
    start, end, splits = search_region(symbols, 0.0, inclusive=inclusive)
    assert 0 <= start < end <= len(symbols)
    assert visits <= 2 * len(symbols)  # each position is dropped at most once
    assert len(splits) <= VISITS_PER_NODE * len(symbols)
